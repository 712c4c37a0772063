//! What looks for a place.

use std::collections::VecDeque;

/// Cells and parities that have no place yet, in order.
#[derive(Debug, Default)]
pub(super) struct Queues {
    /// Moved cells, and others. Apart, because the first may use the last room, and the others may
    /// wait for the first.
    cells: [VecDeque<u32>; 2],
    /// Groups whose parity is complete.
    parities: VecDeque<u32>,
}

impl Queues {
    /// Those of cells.
    pub(super) const CELLS: std::ops::Range<usize> = 0..2;

    pub(super) fn push_cell(&mut self, cell: u32, moved: bool) {
        self.cells[usize::from(!moved)].push_back(cell);
    }

    pub(super) fn push_parity(&mut self, group: u32) {
        self.parities.push_back(group);
    }

    pub(super) fn first_cell(&self, queue: usize) -> Option<u32> {
        self.cells[queue].front().copied()
    }

    pub(super) fn first_parity(&self) -> Option<u32> {
        self.parities.front().copied()
    }

    /// The first cell of a queue has found a place.
    pub(super) fn placed_cell(&mut self, queue: usize) {
        self.cells[queue].pop_front();
    }

    /// The first parity has found a place.
    pub(super) fn placed_parity(&mut self) {
        self.parities.pop_front();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.cells.iter().all(VecDeque::is_empty) && self.parities.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moved_cells_go_first_and_each_queue_keeps_its_order() {
        let mut queues = Queues::default();
        for (cell, moved) in [(1, false), (2, true), (3, true)] {
            queues.push_cell(cell, moved);
        }
        queues.push_parity(9);
        assert_eq!(
            Queues::CELLS.map(|queue| queues.first_cell(queue)).collect::<Vec<_>>(),
            [Some(2), Some(1)]
        );
        queues.placed_cell(0);
        assert_eq!((queues.first_cell(0), queues.first_parity()), (Some(3), Some(9)));
        queues.placed_cell(0);
        queues.placed_cell(1);
        assert!(!queues.is_empty());
        queues.placed_parity();
        assert!(queues.is_empty());
    }
}
