//! What a node has still to do: messages to be delivered, messages to be handled, messages to be
//! cancelled.

use crate::pending::{Entry, Pending};
use crate::{ObjectId, VirtualTime};
use std::collections::VecDeque;

pub(super) struct Agenda {
    /// Messages about to be delivered, with the numbers of their objects.
    pub incoming: Vec<(u32, u32)>,
    pub pending: Pending,
    /// Annihilated messages whose entries are still in the pending set.
    pub dead: usize,
    /// Messages to be cancelled.
    pub cancels: VecDeque<u32>,
}

impl Agenda {
    pub fn new() -> Agenda {
        Agenda { incoming: Vec::new(), pending: Pending::new(), dead: 0, cancels: VecDeque::new() }
    }

    /// When an object's messages are due that wait for it at `from` or later, in order.
    pub fn due(&mut self, index: u32, from: VirtualTime) -> Vec<VirtualTime> {
        let mut due = Vec::new();
        self.pending.retain(|entry| {
            if entry.object == ObjectId(index) && entry.time >= from {
                due.push(entry.time);
            }
            true
        });
        due.sort_unstable();
        due
    }

    /// Take an object's entries at `from` or later out of the pending set, and out of those held
    /// back; their slots, in order of time.
    pub fn take_from(&mut self, index: u32, from: VirtualTime, held: &mut Vec<Entry>) -> Vec<u32> {
        let mut taken = Vec::new();
        let mut stays = |entry: &Entry| {
            let goes = entry.object == ObjectId(index) && entry.time >= from;
            if goes {
                taken.push((entry.time, entry.slot));
            }
            !goes
        };
        self.pending.retain(&mut stays);
        held.retain(&mut stays);
        taken.sort_unstable();
        taken.into_iter().map(|(_, slot)| slot).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(object: u32, time: f64, slot: u32) -> Entry {
        Entry { time: VirtualTime::at(time), object: ObjectId(object), slot }
    }

    #[test]
    fn an_objects_later_messages_are_taken_wherever_they_wait() {
        let mut agenda = Agenda::new();
        for (object, time, slot) in [(1, 5.0, 0), (1, 2.0, 1), (2, 6.0, 2), (1, 3.0, 3)] {
            agenda.pending.push(entry(object, time, slot));
        }
        let mut held = vec![entry(1, 4.0, 4), entry(2, 9.0, 5)];
        let times = [3.0, 5.0].map(VirtualTime::at);
        assert_eq!(agenda.due(1, VirtualTime::at(3.0)), times);
        assert_eq!(agenda.take_from(1, VirtualTime::at(3.0), &mut held), [3, 4, 0]);
        assert_eq!((agenda.pending.len(), held), (2, vec![entry(2, 9.0, 5)]));
        assert_eq!(agenda.due(1, VirtualTime::NEGINF), [VirtualTime::at(2.0)]);
    }
}
