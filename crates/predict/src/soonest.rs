//! A queue in the order of time: what is due first comes first, and of what is due at once, what
//! has the lesser number.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Things that are due.
pub struct Soonest<T>(BinaryHeap<Due<T>>);

/// One of them.
pub struct Due<T> {
    /// s.
    pub at_s: f64,
    pub number: u64,
    pub what: T,
}

impl<T> Default for Soonest<T> {
    fn default() -> Soonest<T> {
        Soonest::new()
    }
}

impl<T> Soonest<T> {
    pub fn new() -> Soonest<T> {
        Soonest(BinaryHeap::new())
    }

    pub fn push(&mut self, at_s: f64, number: u64, what: T) {
        self.0.push(Due { at_s, number, what });
    }

    pub fn pop(&mut self) -> Option<Due<T>> {
        self.0.pop()
    }

    /// When the first is due.
    pub fn next_s(&self) -> Option<f64> {
        self.0.peek().map(|due| due.at_s)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> Ord for Due<T> {
    /// The heap gives the greatest: the one that is due first.
    fn cmp(&self, other: &Due<T>) -> Ordering {
        other.at_s.total_cmp(&self.at_s).then(other.number.cmp(&self.number))
    }
}

impl<T> PartialOrd for Due<T> {
    fn partial_cmp(&self, other: &Due<T>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Due<T> {
    fn eq(&self, other: &Due<T>) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Due<T> {}
