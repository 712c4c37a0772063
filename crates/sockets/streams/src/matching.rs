//! One direction of a connection: what was written, what was read, and which bytes are the same.

use crate::arrival::{Arrival, Known, arrival};
use crate::cutting;
use crate::entry::flags;
use crate::marks::Mark;
use crate::op::Op;
use crate::row::MessageRow;
use crate::writes::{Sent, messages};
use record::{How, NULL};

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

/// Match what one end wrote with what the other read. `receiver` is the process that is told where
/// none has read it. `None`: something was read before it was written, so the two do not belong
/// together.
pub(crate) fn between(
    (sends, marks): (&[Op], &[Mark]),
    receives: &[Op],
    (is_unix, receiver): (bool, u32),
    rows: &mut Vec<MessageRow>,
) -> Option<Counts> {
    let mut counts = Counts::default();
    let sent = cutting::messages(messages(sends, &mut counts.overlapping), marks);
    let begun = rows.len();
    let (mut at, mut read, mut written, mut transit) = (0, 0u64, 0u64, None);
    for (number, message) in sent.iter().enumerate() {
        written += message.bytes;
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
            class: message.class,
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
        class: message.class,
        ready: message.ready,
        sent: message.sent(NULL),
        arrival: Arrival::UNKNOWN,
        taken: NULL,
    }
}

/// An end whose other end is not known: every message that it wrote is a half one, and every one
/// that it read, which is a read where it is not framed.
pub(crate) fn halves(
    (sends, sent): (&[Op], &[Mark]),
    (receives, received): (&[Op], &[Mark]),
    outside: u32,
    rows: &mut Vec<MessageRow>,
) -> Counts {
    let mut counts = Counts::default();
    for message in cutting::messages(messages(sends, &mut counts.overlapping), sent) {
        counts.lone_sends += 1;
        rows.push(lone_send(&message, outside));
    }
    let receives: Vec<&Op> = receives.iter().filter(|got| got.bytes > 0).collect();
    for piece in cutting::pieces(receives.iter().map(|got| got.bytes.into()), received) {
        let got = receives[piece.last];
        counts.lone_receives += 1;
        // What was joined to it in the queue may have come later than the last byte that was read.
        let is_exact = piece.ends_call && got.has(flags::EMPTIED) && got.stamp != NULL;
        rows.push(MessageRow {
            src: outside,
            dst: got.node,
            seq: 0,
            bytes: piece.bytes,
            class: piece.class,
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
