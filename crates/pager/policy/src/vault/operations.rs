//! What was asked of places and is not answered yet.

use std::collections::VecDeque;

use super::fetch::Get;
use crate::{Operation, Place};

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

/// Numbered in order, answered nearly in order: a window over the numbers.
#[derive(Debug, Default)]
pub(super) struct Operations {
    first: u64,
    window: VecDeque<Option<(Place, What)>>,
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

    pub(super) fn is_empty(&self) -> bool {
        self.window.is_empty()
    }

    fn shrink(&mut self) {
        while let Some(None) = self.window.front() {
            self.window.pop_front();
            self.first += 1;
        }
    }
}
