//! One direction of a link: connections share its rate equally, and each carries one message after
//! the other.

use crate::soonest::Soonest;
use std::collections::{BTreeMap, VecDeque};

/// A message on its way, by the number that it was given.
type Message = usize;

/// Messages under way in one direction.
pub struct Line {
    /// When it was looked at last.
    now_s: f64,
    /// How long each connection has had the whole line by now, had it been busy since the begin.
    /// All that are busy get the same, so one number serves all.
    each_s: f64,
    /// The first message of each connection, by what `each_s` will be when it is through, and the
    /// connection.
    busy: Soonest<Message>,
    behind: BTreeMap<u32, VecDeque<(f64, Message)>>,
}

impl Default for Line {
    fn default() -> Line {
        Line::new()
    }
}

impl Line {
    pub fn new() -> Line {
        Line { now_s: 0.0, each_s: 0.0, busy: Soonest::new(), behind: BTreeMap::new() }
    }

    /// A message that would take `busy_s` alone. Times must not go backwards.
    pub fn add(&mut self, now_s: f64, connection: u32, busy_s: f64, message: Message) {
        self.advance(now_s);
        if let Some(behind) = self.behind.get_mut(&connection) {
            return behind.push_back((busy_s, message));
        }
        self.behind.insert(connection, VecDeque::new());
        self.busy.push(self.each_s + busy_s, connection.into(), message);
    }

    /// When the next message will be through if nothing is added before.
    pub fn next_s(&self) -> Option<f64> {
        let left_s = self.busy.next_s()? - self.each_s;
        Some(self.now_s + left_s.max(0.0) * self.busy.len() as f64)
    }

    /// It is through.
    pub fn take(&mut self) -> Option<Message> {
        let now_s = self.next_s()?;
        self.advance(now_s);
        let head = self.busy.pop()?;
        let connection = head.number as u32;
        match self.behind.get_mut(&connection).and_then(VecDeque::pop_front) {
            Some((busy_s, message)) => self.busy.push(head.at_s + busy_s, head.number, message),
            None => drop(self.behind.remove(&connection)),
        }
        Some(head.what)
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
        // Half of the line for each: the first is through at 2, the second at 4; then the third has
        // all of it.
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
