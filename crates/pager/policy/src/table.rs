//! What is known of every mapped page: 16 bytes each, found by address or by seat.
//!
//! A page's *seat* is its place in one long array. It stays the same when the page moves to another
//! address, so lists of pages are linked through seats. An *extent* is a run of neighbouring pages
//! with neighbouring seats. The vault knows a page by its *key*, seat and generation together,
//! which is never used again for other memory: an answer that comes late can be told from one that
//! is expected.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use crate::Page;

/// A place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Seat(pub u32);

impl Seat {
    /// No seat: the end of a list, the owner of a frame that nobody wants.
    pub const NONE: Seat = Seat(u32::MAX);
}

/// Where a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Not mapped.
    Free,
    /// Never touched, or given up.
    Zero,
    /// Zeros were asked for.
    Filling,
    /// In the program's memory.
    Resident,
    /// The same, protected from writing: it is what is outside.
    Clean,
    /// Chosen to leave; [`Entry::frame`] is where to.
    Grabbing,
    /// Chosen to leave, and nowhere to be taken: it was [`State::Clean`].
    Dropping,
    /// In [`Entry::frame`].
    Framed,
    /// On its way back from [`Entry::frame`].
    Installing,
    /// On its way back from a frame that the vault lends.
    Borrowing,
    /// Outside only; [`Entry::frame`] is when it left.
    Stored,
    /// Being read into the program's memory; [`Entry::frame`] is the operation.
    Coming,
    /// Being read into [`Entry::frame`].
    ComingFramed,
    /// Lost for good.
    Lost,
}

/// The lists that a page may be in, one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    None,
    /// Resident, read by a stream that has gone on: leaves first.
    Passing,
    /// Resident, in the order of arrival.
    Probation,
    /// Resident, came back soon after it had left.
    Protected,
    /// In a frame, and nowhere else.
    Unsent,
    /// In a frame, stored.
    Limbo,
    /// In a frame, stored, the page by which a stream is seen to go on.
    Trigger,
}

/// One page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub prev: Seat,
    pub next: Seat,
    pub frame: u32,
    pub state: State,
    pub list: List,
    pub flags: u8,
    pub holds: u8,
}

const _: () = assert!(size_of::<Entry>() == 16);

/// Bits of [`Entry::flags`].
pub(crate) mod flag {
    /// A thread or a system call waits for it.
    pub const WANTED: u8 = 1;
    /// It is in the queue for room.
    pub const WAITING: u8 = 2;
    /// It came back soon: to be protected when it is there.
    pub const HOT: u8 = 4;
    /// A stream brought it.
    pub const STREAM: u8 = 8;
    /// A stream is seen to go on by it.
    pub const TRIGGER: u8 = 16;
    /// The vault has heard of it.
    pub const KEPT: u8 = 32;
    /// One step of the two-bit count of how often it was dirty when it left.
    pub const DIRTY_STEP: u8 = 64;
    pub const DIRTY_MASK: u8 = 192;
}

impl Entry {
    fn new(state: State) -> Entry {
        Entry {
            prev: Seat::NONE,
            next: Seat::NONE,
            frame: 0,
            state,
            list: List::None,
            flags: 0,
            holds: 0,
        }
    }

    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub fn set(&mut self, flag: u8) {
        self.flags |= flag;
    }

    pub fn clear(&mut self, flag: u8) {
        self.flags &= !flag;
    }

    /// Remembers whether it was dirty this time.
    pub fn learn(&mut self, dirty: bool) {
        let count = self.flags & flag::DIRTY_MASK;
        let count = if dirty {
            count.saturating_add(flag::DIRTY_STEP) & flag::DIRTY_MASK
        } else {
            count.saturating_sub(flag::DIRTY_STEP)
        };
        self.flags = self.flags & !flag::DIRTY_MASK | count;
    }

    /// Whether it was dirty more often than not.
    pub fn likely_dirty(&self) -> bool {
        self.flags & flag::DIRTY_MASK > flag::DIRTY_STEP
    }
}

#[derive(Clone, Copy, Debug)]
struct Extent {
    first: u64,
    pages: u64,
    seat: u32,
    generation: u32,
}

impl Extent {
    fn end(&self) -> u64 {
        self.first + self.pages
    }
}

/// A run of pages that sit side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub first: Page,
    pub seat: Seat,
    pub pages: u64,
}

impl Piece {
    /// Every page of it, with its seat.
    pub fn pages(self) -> impl Iterator<Item = (Page, Seat)> {
        (0..self.pages).map(move |i| (Page(self.first.0 + i), Seat(self.seat.0 + i as u32)))
    }
}

/// All mapped pages.
pub(crate) struct Table {
    entries: Vec<Entry>,
    /// Sorted by address, never overlapping.
    extents: Vec<Extent>,
    /// First seat of every extent, to its first page, how many, and its generation.
    by_seat: BTreeMap<u32, Extent>,
    /// Seats that nobody has: first, how many.
    free: BTreeMap<u32, u32>,
    generation: u32,
    /// The extent found last: the next fault is near the last one.
    last: Cell<usize>,
}

impl Table {
    pub fn new() -> Table {
        Table {
            entries: Vec::new(),
            extents: Vec::new(),
            by_seat: BTreeMap::new(),
            free: BTreeMap::new(),
            generation: 0,
            last: Cell::new(0),
        }
    }

    /// New pages, all [`State::Zero`]. Nothing may be mapped there.
    ///
    /// # Panics
    /// If more than 2³² pages (16 TiB) would be mapped at once.
    pub fn map(&mut self, first: Page, pages: u64) {
        let count = u32::try_from(pages).expect("more than 16 TiB are mapped at once");
        let seat = self.take_seats(count);
        self.entries[seat as usize..][..count as usize].fill(Entry::new(State::Zero));
        self.generation = self.generation.wrapping_add(1);
        self.insert(Extent { first: first.0, pages, seat, generation: self.generation });
    }

    /// These pages are no longer mapped.
    pub fn unmap(&mut self, first: Page, pages: u64) {
        for extent in self.remove(first.0, pages) {
            self.entries[extent.seat as usize..][..extent.pages as usize]
                .fill(Entry::new(State::Free));
            self.free_seats(extent.seat, extent.pages as u32);
        }
    }

    /// Pages keep their seats and have other addresses. Nothing may be mapped at `to`.
    pub fn moved(&mut self, from: Page, to: Page, pages: u64) {
        for extent in self.remove(from.0, pages) {
            self.insert(Extent { first: to.0 + (extent.first - from.0), ..extent });
        }
    }

    /// What is mapped of a range.
    pub fn pieces(&self, first: Page, pages: u64) -> Vec<Piece> {
        let end = first.0.saturating_add(pages);
        let start = self.extents.partition_point(|e| e.end() <= first.0);
        let inside = self.extents[start..].iter().take_while(|e| e.first < end);
        inside
            .map(|e| {
                let from = e.first.max(first.0);
                Piece {
                    first: Page(from),
                    seat: Seat(e.seat + (from - e.first) as u32),
                    pages: e.end().min(end) - from,
                }
            })
            .collect()
    }

    /// Where a page sits, if it is mapped.
    pub fn seat(&self, page: Page) -> Option<Seat> {
        let sits = |e: &Extent| {
            (e.first..e.end()).contains(&page.0).then(|| Seat(e.seat + (page.0 - e.first) as u32))
        };
        if let Some(seat) = self.extents.get(self.last.get()).and_then(sits) {
            return Some(seat);
        }
        let at = self.extents.partition_point(|e| e.end() <= page.0);
        self.last.set(at);
        self.extents.get(at).and_then(sits)
    }

    /// Who sits there.
    ///
    /// # Panics
    /// If nobody does.
    pub fn page(&self, seat: Seat) -> Page {
        let extent = self.extent_of(seat).expect("a page in a list is mapped");
        Page(extent.first + u64::from(seat.0 - extent.seat))
    }

    /// By what name the vault knows it.
    ///
    /// # Panics
    /// If nobody sits there.
    pub fn key(&self, seat: Seat) -> Page {
        let extent = self.extent_of(seat).expect("a page in a list is mapped");
        Page(u64::from(extent.generation) << 32 | u64::from(seat.0))
    }

    /// The seat of a page that the vault named, if it is still mapped.
    pub fn seat_of_key(&self, key: Page) -> Option<Seat> {
        let seat = Seat(key.0 as u32);
        self.extent_of(seat).filter(|e| u64::from(e.generation) == key.0 >> 32).map(|_| seat)
    }

    fn extent_of(&self, seat: Seat) -> Option<&Extent> {
        let (_, extent) = self.by_seat.range(..=seat.0).next_back()?;
        (u64::from(seat.0 - extent.seat) < extent.pages).then_some(extent)
    }

    fn insert(&mut self, extent: Extent) {
        let at = self.extents.partition_point(|e| e.first < extent.first);
        self.extents.insert(at, extent);
        self.by_seat.insert(extent.seat, extent);
    }

    /// Takes out what is mapped of a range, cut at its ends.
    fn remove(&mut self, first: u64, pages: u64) -> Vec<Extent> {
        let end = first.saturating_add(pages);
        self.cut(first);
        self.cut(end);
        let from = self.extents.partition_point(|e| e.first < first);
        let to = self.extents.partition_point(|e| e.first < end);
        let removed: Vec<Extent> = self.extents.drain(from..to).collect();
        for extent in &removed {
            self.by_seat.remove(&extent.seat);
        }
        removed
    }

    fn cut(&mut self, at: u64) {
        let index = self.extents.partition_point(|e| e.end() <= at);
        let Some(&whole) = self.extents.get(index).filter(|e| e.first < at) else { return };
        let low = Extent { pages: at - whole.first, ..whole };
        let high = Extent {
            first: at,
            pages: whole.end() - at,
            seat: whole.seat + low.pages as u32,
            ..whole
        };
        self.extents[index] = low;
        self.by_seat.insert(low.seat, low);
        self.insert(high);
    }

    fn take_seats(&mut self, count: u32) -> u32 {
        let fit = self
            .free
            .iter()
            .find(|&(_, &length)| length >= count)
            .map(|(&first, &length)| (first, length));
        if let Some((first, length)) = fit {
            self.free.remove(&first);
            if length > count {
                self.free.insert(first + count, length - count);
            }
            return first;
        }
        let first = self.entries.len();
        assert!(
            first + (count as usize) < u32::MAX as usize,
            "more than 16 TiB are mapped at once"
        );
        self.entries.resize(first + count as usize, Entry::new(State::Free));
        first as u32
    }

    fn free_seats(&mut self, mut first: u32, mut count: u32) {
        if let Some((&before, &length)) = self.free.range(..first).next_back()
            && before + length == first
        {
            self.free.remove(&before);
            (first, count) = (before, count + length);
        }
        if let Some(length) = self.free.remove(&(first + count)) {
            count += length;
        }
        self.free.insert(first, count);
    }
}

impl Index<Seat> for Table {
    type Output = Entry;

    fn index(&self, seat: Seat) -> &Entry {
        &self.entries[seat.0 as usize]
    }
}

impl IndexMut<Seat> for Table {
    fn index_mut(&mut self, seat: Seat) -> &mut Entry {
        &mut self.entries[seat.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_move_and_vanish_and_the_rest_stays() {
        let mut table = Table::new();
        table.map(Page(100), 10);
        let seat = table.seat(Page(104)).unwrap();
        let (key, first) = (table.key(seat), table.key(Seat(0)));
        table.moved(Page(103), Page(500), 3);
        assert_eq!(table.seat(Page(104)), None);
        assert_eq!(
            (table.seat(Page(501)), table.page(seat), table.seat_of_key(key)),
            (Some(seat), Page(501), Some(seat))
        );
        table.unmap(Page(0), 102);
        assert_eq!(
            (
                table.seat(Page(101)),
                table.seat(Page(102)).is_some(),
                table.seat(Page(106)).is_some()
            ),
            (None, true, true)
        );
        table.unmap(Page(501), 1);
        assert_eq!(table.seat_of_key(key), None);
        table.map(Page(501), 1);
        assert_eq!(table.seat(Page(501)), Some(Seat(0)), "a free seat is used again");
        assert_ne!(table.key(Seat(0)), first, "under another key");
        let pieces: Vec<u64> = table.pieces(Page(0), 1000).iter().map(|p| p.pages).collect();
        assert_eq!(pieces.iter().sum::<u64>(), 8);
    }

    #[test]
    fn freed_seats_join() {
        let mut table = Table::new();
        for i in 0..8 {
            table.map(Page(i * 100), 4);
        }
        for i in [3, 1, 2, 0] {
            table.unmap(Page(i * 100), 4);
        }
        table.map(Page(1000), 16);
        assert_eq!(table.entries.len(), 32);
    }

    #[test]
    fn dirtiness_is_learned_in_two_bits() {
        let mut entry = Entry::new(State::Resident);
        for (dirty, likely) in [
            (true, false),
            (true, true),
            (true, true),
            (true, true),
            (false, true),
            (false, false),
            (false, false),
            (false, false),
            (true, false),
        ] {
            entry.learn(dirty);
            assert_eq!(entry.likely_dirty(), likely);
        }
    }
}
