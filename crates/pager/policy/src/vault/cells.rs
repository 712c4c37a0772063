//! Contents of pages at slots: one cell for each, newest or replaced.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::{Checksum, Frame, Page, Place, Slot};

/// No group, no job.
pub(super) const NONE: u32 = u32::MAX;

/// Where a cell's contents are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// In its frame; no place has been found yet.
    Waiting,
    /// In its frame, and on the way to its slot.
    Writing,
    /// In its slot.
    Stored,
    /// Not in a slot any more. (In its frame, if it has one.)
    Lost,
    /// Nowhere, and nobody wants them: replaced before they found a place.
    Dropped,
}

/// The contents that a page had when it was put.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) page: Page,
    pub(super) checksum: Checksum,
    pub(super) version: u64,
    pub(super) group: u32,
    pub(super) slot: Slot,
    pub(super) place: Place,
    /// Where the contents are in memory; the cell has one use of it.
    pub(super) frame: Option<Frame>,
    pub(super) state: State,
    /// Whether these are the newest contents of the page.
    pub(super) active: bool,
    /// Whether it was put for safety or room.
    pub(super) moved: bool,
}

/// Cells by number, and the newest of each page.
#[derive(Debug, Default)]
pub(super) struct Cells {
    cells: Vec<Cell>,
    free: Vec<u32>,
    newest: HashMap<Page, u32, BuildHasherDefault<PageHasher>>,
}

impl Cells {
    /// A new cell becomes the newest of its page. The one before is still `active`.
    pub(super) fn add(&mut self, cell: Cell) -> (u32, Option<u32>) {
        let page = cell.page;
        let number = match self.free.pop() {
            Some(number) => {
                self.cells[number as usize] = cell;
                number
            }
            None => {
                self.cells.push(cell);
                self.cells.len() as u32 - 1
            }
        };
        (number, self.newest.insert(page, number))
    }

    pub(super) fn remove(&mut self, number: u32) {
        debug_assert!(!self[number].active && self[number].frame.is_none());
        self[number].state = State::Dropped;
        self[number].version = u64::MAX;
        self.free.push(number);
    }

    pub(super) fn newest(&self, page: Page) -> Option<u32> {
        self.newest.get(&page).copied()
    }

    /// The page has no contents any more.
    pub(super) fn forget(&mut self, page: Page) -> Option<u32> {
        self.newest.remove(&page)
    }
}

impl std::ops::Index<u32> for Cells {
    type Output = Cell;

    fn index(&self, number: u32) -> &Cell {
        &self.cells[number as usize]
    }
}

impl std::ops::IndexMut<u32> for Cells {
    fn index_mut(&mut self, number: u32) -> &mut Cell {
        &mut self.cells[number as usize]
    }
}

/// Page numbers are looked up for every page that moves, and come from no enemy: one multiplication
/// is enough.
#[derive(Default, Debug)]
pub(super) struct PageHasher(u64);

impl Hasher for PageHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        let product = (self.0 ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = product ^ (product >> 32);
    }
}
