//! One direction of a link: connections share its rate equally, and each carries one message after the other.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

/// A message on its way, by the number that it was given.
type Message = usize;

/// Messages under way in one direction.
pub(crate) struct Line {
    /// When it was looked at last.
    now_s: f64,
    /// How long each connection has had the whole line by now, had it been busy since the begin. All that are busy get the same, so one number serves all.
    each_s: f64,
    busy: BinaryHeap<Head>,
    behind: BTreeMap<u32, VecDeque<(f64, Message)>>,
}

/// The first message of a connection, and what `each_s` will be when it is through.
#[derive(PartialEq)]
struct Head {
    until_s: f64,
    connection: u32,
    message: Message,
}

impl Eq for Head {}

impl Ord for Head {
    /// The heap gives the greatest: the one that is through first.
    fn cmp(&self, other: &Head) -> Ordering {
        other.until_s.total_cmp(&self.until_s).then(other.connection.cmp(&self.connection))
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Head) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Line {
    pub fn new() -> Line {
        Line { now_s: 0.0, each_s: 0.0, busy: BinaryHeap::new(), behind: BTreeMap::new() }
    }

    /// A message that would take `busy_s` alone. Times must not go backwards.
    pub fn add(&mut self, now_s: f64, connection: u32, busy_s: f64, message: Message) {
        self.advance(now_s);
        if let Some(behind) = self.behind.get_mut(&connection) {
            return behind.push_back((busy_s, message));
        }
        self.behind.insert(connection, VecDeque::new());
        self.busy.push(Head { until_s: self.each_s + busy_s, connection, message });
    }

    /// When the next message will be through if nothing is added before.
    pub fn next_s(&self) -> Option<f64> {
        let left_s = self.busy.peek()?.until_s - self.each_s;
        Some(self.now_s + left_s.max(0.0) * self.busy.len() as f64)
    }

    /// It is through.
    pub fn take(&mut self) -> Option<Message> {
        let now_s = self.next_s()?;
        self.advance(now_s);
        let head = self.busy.pop()?;
        match self.behind.get_mut(&head.connection).and_then(VecDeque::pop_front) {
            Some((busy_s, message)) => {
                self.busy.push(Head { until_s: head.until_s + busy_s, message, ..head });
            }
            None => drop(self.behind.remove(&head.connection)),
        }
        Some(head.message)
    }

    fn advance(&mut self, now_s: f64) {
        if !self.busy.is_empty() {
            self.each_s += (now_s - self.now_s) / self.busy.len() as f64;
        }
        self.now_s = now_s;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(line: &mut Line) -> Vec<(f64, Message)> {
        std::iter::from_fn(|| Some((line.next_s()?, line.take()?))).collect()
    }

    #[test]
    fn connections_share_and_a_connection_queues() {
        let mut line = Line::new();
        line.add(0.0, 7, 1.0, 0);
        line.add(0.0, 7, 1.0, 1);
        line.add(0.0, 8, 3.0, 2);
        // Half of the line for each: the first is through at 2, the second at 4; then the third has all of it.
        assert_eq!(through(&mut line), [(2.0, 0), (4.0, 1), (5.0, 2)]);
        line.add(10.0, 7, 1.0, 3);
        assert_eq!(through(&mut line), [(11.0, 3)]);
    }

    #[test]
    fn one_that_comes_later_takes_its_share_from_then_on() {
        let mut line = Line::new();
        line.add(0.0, 1, 2.0, 0);
        line.add(1.0, 2, 0.5, 1);
        assert_eq!(through(&mut line), [(2.0, 1), (2.5, 0)]);
    }
}
