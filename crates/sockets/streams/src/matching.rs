//! One direction of a connection: what was written, what was read, and which bytes are the same.

use crate::arrival::{Arrival, Known, arrival};
use crate::cutting;
use crate::entry::flags;
use crate::framing::Class;
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

/// Whose calls they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub is_unix: bool,
    /// The process that is told where none has written it, or read it.
    pub from: u32,
    pub to: u32,
    /// When the first of those that write logged its last call of any kind, ns. One that is killed
    /// within a call does not log it, and nothing after it.
    pub silent_from: i64,
}

/// Match what one end wrote with what the other read. `None`: something was read before it was
/// written, so the two do not belong together.
pub(crate) fn between(
    (sends, marks): (&[Op], &[Mark]),
    receives: &[Op],
    way: Way,
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
            rows.push(lone_send(message, way.to));
            continue;
        };
        if got.exit < message.enter {
            rows.truncate(begun);
            return None;
        }
        let ends_read = read + u64::from(got.bytes) == written;
        let next = sent.get(number + 1).map(|next| next.enter);
        let known = what_is_known(message, got, way.is_unix, (ends_read, next));
        let arrival = arrival(known, &mut transit);
        counts.matched += 1;
        rows.push(MessageRow {
            src: message.node,
            dst: got.node,
            seq: 0,
            bytes: message.bytes,
            class: message.class,
            ready: message.ready,
            writing: message.writing,
            sent: message.sent(arrival.at),
            arrival,
            taken: got.exit,
        });
    }
    let taken: u64 = receives.iter().map(|op| u64::from(op.bytes)).sum();
    let beyond = reads_beyond(written, receives, way, rows);
    if beyond > 0 && rows[rows.len() - beyond].taken < way.silent_from {
        // Bytes that nobody wrote: the log of the sender is not whole, or they are others'.
        rows.truncate(begun);
        return None;
    }
    counts.lone_receives = beyond as u64;
    (counts.bytes_sent, counts.bytes_matched) = (written, taken.min(written));
    Some(counts)
}

/// What was read beyond so many bytes: a row for each call. How many.
fn reads_beyond(written: u64, receives: &[Op], way: Way, rows: &mut Vec<MessageRow>) -> usize {
    let (mut read, begun) = (0, rows.len());
    for got in receives {
        read += u64::from(got.bytes);
        if read > written && got.bytes > 0 {
            let bytes = (read - written).min(got.bytes.into());
            rows.push(lone_receive((bytes, None), got, way.from, got.has(flags::EMPTIED)));
        }
    }
    rows.len() - begun
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
        writing: message.writing,
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
        let is_last = piece.ends_call && got.has(flags::EMPTIED);
        rows.push(lone_receive((piece.bytes, piece.class), got, outside, is_last));
    }
    counts
}

/// `is_last`: nothing was behind it in the queue, so the stamp is its own.
fn lone_receive(
    (bytes, class): (u64, Option<Class>),
    got: &Op,
    src: u32,
    is_last: bool,
) -> MessageRow {
    MessageRow {
        src,
        dst: got.node,
        seq: 0,
        bytes,
        class,
        ready: NULL,
        writing: 0,
        sent: NULL,
        arrival: match is_last && got.stamp != NULL {
            true => Arrival::observed(got.stamp),
            false => Arrival { at: got.stamp, error: NULL, how: How::Bracketed },
        },
        taken: got.exit,
    }
}

#[cfg(test)]
mod tests;
