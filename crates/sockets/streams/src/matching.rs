//! One direction of a connection: what was written, what was read, and which bytes are the same.

use crate::arrival::{Arrival, Known, arrival};
use crate::entry::flags;
use crate::op::Op;
use crate::row::MessageRow;
use record::{How, NULL};

/// A call that may wait and took this long is taken to have waited for room. One that did not takes
/// some microseconds; the thread may lose its core meanwhile.
pub(crate) const WAITED_NS: i64 = 100_000;

/// What a direction came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub matched: u64,
    pub lone_sends: u64,
    pub lone_receives: u64,
    pub bytes_sent: u64,
    pub bytes_matched: u64,
    pub overlapping: u64,
}

/// A message as its sender's calls tell it.
#[derive(Clone, Copy, Debug)]
struct Sent {
    ready: i64,
    enter: i64,
    /// When the call returned, where it waited.
    waited_until: Option<i64>,
    exit: i64,
    bytes: u32,
    node: u32,
}

impl Sent {
    /// The moment just before the last byte was handed over, as far as calls tell.
    fn sent(&self, arrived: i64) -> i64 {
        match self.waited_until {
            None => self.enter,
            Some(exit) if arrived == NULL => exit,
            // Delivered within the call: not later than that.
            Some(exit) => exit.min(arrived),
        }
    }
}

/// The messages that these calls wrote, in the order of their bytes.
fn messages(sends: &[Op], overlapping: &mut u64) -> Vec<Sent> {
    let (mut messages, mut since) = (Vec::new(), None);
    let (mut last_exit, mut last) = (i64::MIN, (0, 0));
    for op in sends {
        if op.has(flags::REFUSED) {
            since.get_or_insert(op.enter);
            continue;
        }
        // One call may write several, and knows their order.
        let is_same_call = last == (op.enter, op.exit);
        *overlapping += u64::from(op.enter < last_exit && !is_same_call);
        (last_exit, last) = (last_exit.max(op.exit), (op.enter, op.exit));
        let ready = since.take().unwrap_or(op.enter);
        let waited = !op.has(flags::NO_WAIT) && op.exit - op.enter >= WAITED_NS;
        messages.push(Sent {
            ready,
            enter: op.enter,
            waited_until: waited.then_some(op.exit),
            exit: op.exit,
            bytes: op.bytes,
            node: op.node,
        });
        // The rest of what it was given has to wait for another call.
        since = (op.bytes < op.offered).then_some(ready);
    }
    messages
}

/// Match what one end wrote with what the other read. `receiver` is the process that is told where
/// none has read it. `None`: something was read before it was written, so the two do not belong
/// together.
pub(crate) fn between(
    sends: &[Op],
    receives: &[Op],
    (is_unix, receiver): (bool, u32),
    rows: &mut Vec<MessageRow>,
) -> Option<Counts> {
    let mut counts = Counts::default();
    let sent = messages(sends, &mut counts.overlapping);
    let begun = rows.len();
    let (mut at, mut read, mut written, mut transit) = (0, 0u64, 0u64, None);
    for (number, message) in sent.iter().enumerate() {
        written += u64::from(message.bytes);
        while at < receives.len() && read + u64::from(receives[at].bytes) < written {
            read += u64::from(receives[at].bytes);
            at += 1;
        }
        let Some(got) = receives.get(at) else {
            counts.lone_sends += 1;
            rows.push(lone_send(message, receiver));
            continue;
        };
        if got.exit < message.enter {
            rows.truncate(begun);
            return None;
        }
        let ends_read = read + u64::from(got.bytes) == written;
        let next = sent.get(number + 1).map(|next| next.enter);
        let known = what_is_known(message, got, is_unix, (ends_read, next));
        let arrival = arrival(known, &mut transit);
        counts.matched += 1;
        rows.push(MessageRow {
            src: message.node,
            dst: got.node,
            seq: 0,
            bytes: message.bytes,
            ready: message.ready,
            sent: message.sent(arrival.at),
            arrival,
            taken: got.exit,
        });
    }
    let taken: u64 = receives.iter().map(|op| u64::from(op.bytes)).sum();
    if taken > written {
        // Bytes that nobody wrote: the log of the sender is not whole, or they are others'.
        rows.truncate(begun);
        return None;
    }
    (counts.bytes_sent, counts.bytes_matched) = (written, taken);
    Some(counts)
}

fn what_is_known(
    message: &Sent,
    got: &Op,
    is_unix: bool,
    (ends_read, next): (bool, Option<i64>),
) -> Known {
    let taken = got.exit;
    if is_unix || got.stamp == NULL {
        // Bytes for a Unix-domain socket are in its queue when the call returns.
        let latest = if is_unix { taken.min(message.exit) } else { taken };
        return Known { enter: message.enter, latest, exact: None };
    }
    let alone = got.has(flags::EMPTIED) || next.is_none_or(|next| next >= got.stamp);
    let exact = (ends_read && alone).then_some(got.stamp);
    Known { enter: message.enter, latest: got.stamp.min(taken), exact }
}

fn lone_send(message: &Sent, receiver: u32) -> MessageRow {
    MessageRow {
        src: message.node,
        dst: receiver,
        seq: 0,
        bytes: message.bytes,
        ready: message.ready,
        sent: message.sent(NULL),
        arrival: Arrival::UNKNOWN,
        taken: NULL,
    }
}

/// An end whose other end is not known: every write is a half message, and every read.
pub(crate) fn halves(
    (sends, receives): (&[Op], &[Op]),
    outside: u32,
    rows: &mut Vec<MessageRow>,
) -> Counts {
    let mut counts = Counts::default();
    for message in messages(sends, &mut counts.overlapping) {
        counts.lone_sends += 1;
        rows.push(lone_send(&message, outside));
    }
    for got in receives.iter().filter(|got| got.bytes > 0) {
        counts.lone_receives += 1;
        // What was joined to it in the queue may have come later than the last byte that was read.
        let is_exact = got.has(flags::EMPTIED) && got.stamp != NULL;
        rows.push(MessageRow {
            src: outside,
            dst: got.node,
            seq: 0,
            bytes: got.bytes,
            ready: NULL,
            sent: NULL,
            arrival: match is_exact {
                true => Arrival::observed(got.stamp),
                false => Arrival { at: got.stamp, error: NULL, how: How::Bracketed },
            },
            taken: got.exit,
        });
    }
    counts
}

#[cfg(test)]
mod tests;
