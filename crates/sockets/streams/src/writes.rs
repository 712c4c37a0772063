//! Messages as their sender's calls tell them.

use crate::entry::flags;
use crate::framing::Class;
use crate::op::Op;
use record::NULL;

/// A call that may wait and took this long is taken to have waited for room. One that did not takes
/// some microseconds; the thread may lose its core meanwhile.
pub(crate) const WAITED_NS: i64 = 100_000;

/// A message as its sender's calls tell it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub ready: i64,
    /// The call that wrote its last byte was entered.
    pub enter: i64,
    /// When that call returned, where it waited.
    pub waited_until: Option<i64>,
    pub exit: i64,
    pub bytes: u64,
    pub node: u32,
    pub thread: u32,
    /// See [`MessageRow::writing`](crate::row::MessageRow::writing).
    pub writing: i64,
    /// See [`MessageRow::class`](crate::row::MessageRow::class).
    pub class: Option<Class>,
}

impl Sent {
    /// When it waited for room no longer.
    pub fn free_at(&self) -> i64 {
        self.waited_until.unwrap_or(self.enter)
    }

    /// The moment just before the last byte was handed over, as far as calls tell.
    pub fn sent(&self, arrived: i64) -> i64 {
        match self.waited_until {
            None => self.enter,
            Some(exit) if arrived == NULL => exit,
            // Delivered within the call: not later than that.
            Some(exit) => exit.min(arrived),
        }
    }
}

/// What passed between the parts of something that was written, while none of them waited for room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Writing {
    /// ns.
    pub sum: i64,
    until: Option<i64>,
}

impl Writing {
    /// A part: when it was ready, when it was sent, and how much of that was writing.
    pub fn add(&mut self, ready: i64, sent: i64, within: i64) {
        let before = self.until.unwrap_or(ready);
        self.sum += (ready - before).max(0) + within;
        self.until = Some(before.max(sent));
    }
}

/// The calls of an end, one after another: each is a message.
#[derive(Clone, Debug)]
pub(crate) struct Writes {
    /// When what the next call writes was ready, where that was before it.
    pub since: Option<i64>,
    /// Messages that were written while another call wrote, too.
    pub overlapping: u64,
    last_exit: i64,
    last: Option<(u32, i64)>,
}

impl Writes {
    /// None yet.
    pub fn new() -> Writes {
        Writes { since: None, overlapping: 0, last_exit: i64::MIN, last: None }
    }

    /// What the next call wrote; `None` where it had no room.
    pub fn take(&mut self, op: &Op) -> Option<Sent> {
        if op.has(flags::REFUSED) {
            self.since.get_or_insert(op.enter);
            return None;
        }
        // One call may write several, and knows their order: they are logged one after another.
        let call = Some((op.node, op.enter));
        self.overlapping += u64::from(op.enter < self.last_exit && self.last != call);
        (self.last_exit, self.last) = (self.last_exit.max(op.exit), call);
        let ready = self.since.take().unwrap_or(op.enter);
        let waited = !op.has(flags::NO_WAIT) && op.exit - op.enter >= WAITED_NS;
        // The rest of what it was given has to wait for another call.
        self.since = (op.bytes < op.offered).then_some(ready);
        Some(Sent {
            ready,
            enter: op.enter,
            waited_until: waited.then_some(op.exit),
            exit: op.exit,
            bytes: op.bytes.into(),
            node: op.node,
            thread: op.thread,
            writing: 0,
            class: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_between_calls_is_writing_and_a_wait_for_room_is_not() {
        let of = |parts: &[(i64, i64, i64)]| {
            let mut writing = Writing::default();
            parts.iter().for_each(|(ready, sent, within)| writing.add(*ready, *sent, *within));
            writing.sum
        };
        assert_eq!(of(&[]), 0);
        assert_eq!(of(&[(100, 107, 0)]), 0, "one call");
        assert_eq!(of(&[(100, 100, 0), (150, 150, 0), (180, 180, 0)]), 80);
        assert_eq!(of(&[(100, 130, 0), (150, 155, 0)]), 20, "the first had no room for 30");
        assert_eq!(of(&[(100, 100, 0), (100, 400, 0)]), 0, "the rest of one that was cut");
        assert_eq!(of(&[(100, 160, 60), (160, 190, 25)]), 85, "each in several calls");
    }
}
