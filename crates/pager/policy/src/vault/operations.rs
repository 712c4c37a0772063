//! What was asked of places and is not answered yet.

use std::collections::{HashMap, VecDeque};

use super::wanted::Get;
use crate::{Frame, Operation, Place};

/// What an answer is for.
#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    /// The contents of a cell.
    Write { cell: u32 },
    /// The parity of a group.
    Parity { group: u32 },
    /// Somebody wants a page. The version tells whether the cell is still the same.
    Get { get: Get, cell: u32, version: u64 },
    /// An input of a group that is being dissolved.
    Gather { job: u32, input: u32 },
}

/// Whose checksum was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Summed {
    Parity(u32),
    Job(u32),
}

/// Numbered in order, answered nearly in order: a window over the numbers.
#[derive(Debug, Default)]
pub(super) struct Operations {
    first: u64,
    window: VecDeque<Option<(Place, What)>>,
    sums: HashMap<Frame, Summed>,
    /// Of the contents that were written last.
    version: u64,
}

impl Operations {
    pub(super) fn ask(&mut self, place: Place, what: What) -> Operation {
        self.window.push_back(Some((place, what)));
        Operation(self.first + self.window.len() as u64 - 1)
    }

    /// `None`: nobody waits for it.
    pub(super) fn answered(&mut self, operation: Operation) -> Option<(Place, What)> {
        let index = operation.0.checked_sub(self.first)?;
        let found = self.window.get_mut(usize::try_from(index).ok()?)?.take();
        self.shrink();
        found
    }

    /// All that was asked of a place: it will not answer.
    pub(super) fn abandon(&mut self, place: Place) -> Vec<What> {
        let at_place = |slot: &mut Option<(Place, What)>| slot.take_if(|(at, _)| *at == place);
        let abandoned = self.window.iter_mut().filter_map(at_place).map(|(_, what)| what).collect();
        self.shrink();
        abandoned
    }

    /// The checksum of a frame is asked for.
    pub(super) fn sum(&mut self, frame: Frame, whose: Summed) {
        self.sums.insert(frame, whose);
    }

    /// It is known. `None`: nobody waits for it.
    pub(super) fn summed(&mut self, frame: Frame) -> Option<Summed> {
        self.sums.remove(&frame)
    }

    /// Of contents that are written now: no two have the same.
    pub(super) fn next_version(&mut self) -> u64 {
        self.version += 1;
        self.version
    }

    pub(super) fn is_empty(&self) -> bool {
        self.window.is_empty() && self.sums.is_empty()
    }

    fn shrink(&mut self) {
        while let Some(None) = self.window.front() {
            self.window.pop_front();
            self.first += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_answered_once_and_what_a_place_owes_is_given_up_together() {
        let mut operations = Operations::default();
        let asked: Vec<Operation> = (0..4)
            .map(|cell| operations.ask(Place(cell as u16 % 2), What::Write { cell }))
            .collect();
        let found = operations.answered(asked[2]);
        assert!(matches!(found, Some((Place(0), What::Write { cell: 2 }))), "{found:?}");
        assert!(operations.answered(asked[2]).is_none());
        assert!(matches!(operations.abandon(Place(0))[..], [What::Write { cell: 0 }]));
        assert_eq!(operations.abandon(Place(1)).len(), 2);
        assert!(operations.is_empty() && operations.answered(asked[3]).is_none());
        operations.sum(Frame(3), Summed::Job(7));
        assert!(!operations.is_empty());
        assert_eq!(
            [operations.summed(Frame(3)), operations.summed(Frame(3))],
            [Some(Summed::Job(7)), None]
        );
        assert!(operations.next_version() < operations.next_version());
    }
}
