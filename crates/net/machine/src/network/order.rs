//! Messages of a pair arrive in the order in which they were sent, though one may have come later
//! than its successor: one that was lost and sent again, or that has a longer latency.

use super::Message;
use crate::pairs::{Table, pair};
use std::collections::BTreeMap;

/// Which message of each pair is next.
#[derive(Default)]
pub(super) struct Order {
    /// By pair.
    turns: Table<Turns>,
    /// Those that have come too early, by pair and number.
    waiting: BTreeMap<(u64, u64), Message>,
}

#[derive(Clone, Copy, Default)]
struct Turns {
    sent: u64,
    next: u64,
}

impl Order {
    /// One is sent: its number in its pair.
    pub fn sent(&mut self, from: u16, to: u16) -> u64 {
        let turns = self.turns.entry(pair(from, to)).or_default();
        turns.sent += 1;
        turns.sent - 1
    }

    /// One has come whole.
    pub fn came(&mut self, from: u16, to: u16, turn: u64, message: Message) {
        self.waiting.insert((pair(from, to), turn), message);
    }

    /// The one whose turn it is, if it has come.
    pub fn next(&mut self, from: u16, to: u16) -> Option<Message> {
        let pair = pair(from, to);
        let turns = self.turns.get_mut(&pair)?;
        let message = self.waiting.remove(&(pair, turns.next))?;
        turns.next += 1;
        Some(message)
    }
}
