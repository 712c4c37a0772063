//! Messages of a pair arrive in the order in which they were sent, though one may have come later
//! than its successor: one that was lost and sent again.

use super::Message;
use std::collections::BTreeMap;

/// Which message of each pair is next.
pub(super) struct Order {
    nodes: usize,
    sent: Vec<u64>,
    next: Vec<u64>,
    /// Those that have come, by pair and number.
    waiting: BTreeMap<(usize, u64), Message>,
}

impl Order {
    pub fn new(nodes: u16) -> Order {
        let nodes = usize::from(nodes);
        let none = vec![0; nodes * nodes];
        Order { nodes, sent: none.clone(), next: none, waiting: BTreeMap::new() }
    }

    /// One is sent: its number in its pair.
    pub fn sent(&mut self, from: u16, to: u16) -> u64 {
        let pair = self.pair(from, to);
        self.sent[pair] += 1;
        self.sent[pair] - 1
    }

    /// One has come whole.
    pub fn came(&mut self, from: u16, to: u16, turn: u64, message: Message) {
        self.waiting.insert((self.pair(from, to), turn), message);
    }

    /// The one whose turn it is, if it has come.
    pub fn next(&mut self, from: u16, to: u16) -> Option<Message> {
        let pair = self.pair(from, to);
        let message = self.waiting.remove(&(pair, self.next[pair]))?;
        self.next[pair] += 1;
        Some(message)
    }

    fn pair(&self, from: u16, to: u16) -> usize {
        usize::from(from) * self.nodes + usize::from(to)
    }
}
