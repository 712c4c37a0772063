//! Messages that TCP held back: a short write waits in its sender's socket while an earlier one is
//! not acknowledged (Nagle's algorithm, RFC 896), and a receiver that has nothing to send puts its
//! acknowledgement off (RFC 1122), on Linux for some 40 ms.

use crate::arrival::Arrival;
use record::How;
use serde::{Deserialize, Serialize};

/// By so much Linux puts an acknowledgement off, in ticks of its clock; ns.
const PUT_OFF_NS: std::ops::RangeInclusive<i64> = 38_000_000..=60_000_000;
/// Who writes that long before it comes waits for it.
const WAITS_NS: i64 = 20_000_000;
/// The message before was no longer on its way than this, or the acknowledgement may have been.
const NEAR_NS: i64 = 5_000_000;
/// A full packet goes at once. On one host packets are larger, so longer messages wait as well.
const SHORT: u64 = 65_483;

/// Those of a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeldBack {
    pub messages: u64,
    /// How long they were on their way, all together, ns.
    pub ns: i64,
    /// When the message before arrived, if it was not long on its way.
    before: Option<i64>,
}

impl HeldBack {
    /// The next message over TCP, of so many bytes: one that comes when the acknowledgement of the
    /// message before it is due, long after the call that wrote it had returned (`written`), has
    /// waited for that.
    pub fn note(&mut self, bytes: u64, [sent, written]: [i64; 2], arrival: Arrival) {
        let is_near = arrival.at - sent <= NEAR_NS;
        let before = std::mem::replace(&mut self.before, is_near.then_some(arrival.at));
        if arrival.how != How::Observed || bytes >= SHORT || arrival.at - written < WAITS_NS {
            return;
        }
        if before.is_some_and(|before| PUT_OFF_NS.contains(&(arrival.at - before))) {
            self.messages += 1;
            self.ns += arrival.at - sent;
        }
    }
}

/// What a run says of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HeldBackFacts {
    /// How many.
    pub messages: u64,
    /// How long they were on their way, all together, ns.
    pub ns: i64,
    /// Directions of connections in which there were any.
    pub directions: u64,
    /// The nodes that wrote them.
    pub nodes: Vec<u32>,
}

impl HeldBackFacts {
    /// There were none.
    pub fn is_nothing(&self) -> bool {
        self.messages == 0
    }

    /// Those of a direction that a node wrote.
    pub(crate) fn add(&mut self, held: HeldBack, node: u32) {
        if held.messages > 0 {
            self.messages += held.messages;
            self.ns += held.ns;
            self.directions += 1;
            if let Err(place) = self.nodes.binary_search(&node) {
                self.nodes.insert(place, node);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn note(messages: &[(i64, i64)]) -> HeldBack {
        let mut held = HeldBack::default();
        for (sent, arrived) in messages {
            held.note(100, [sent * MS; 2], Arrival::observed(arrived * MS));
        }
        held
    }

    #[test]
    fn what_comes_with_the_acknowledgement_of_what_was_before_was_held_back() {
        let held = note(&[(0, 0), (1, 41), (50, 50), (52, 94)]);
        assert_eq!((held.messages, held.ns), (2, 82 * MS));
    }

    #[test]
    fn what_is_long_on_its_way_for_another_reason_was_not() {
        assert_eq!(note(&[(0, 45), (1, 46), (2, 47)]).messages, 0, "a long way");
        assert_eq!(note(&[(0, 0), (40, 41)]).messages, 0, "it was written late");
        assert_eq!(note(&[(0, 0), (1, 201)]).messages, 0, "it was sent again");
        assert_eq!(note(&[(0, 25), (50, 75), (95, 120)]).messages, 0, "a far peer, now and then");
        assert_eq!(note(&[(0, 22), (1, 67)]).messages, 0, "the acknowledgement was on its way");
        let mut stopped = note(&[(0, 0)]);
        stopped.note(100, [MS, 43 * MS], Arrival::observed(42 * MS));
        assert_eq!(stopped.messages, 0, "its writer was stopped within the call");
        let mut bracketed = note(&[(0, 0)]);
        let arrival = Arrival { how: How::Bracketed, ..Arrival::observed(41 * MS) };
        bracketed.note(100, [MS; 2], arrival);
        assert_eq!(bracketed.messages, 0, "nobody saw when it arrived");
    }
}
