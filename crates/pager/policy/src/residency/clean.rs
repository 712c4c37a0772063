//! Pages that a stream reads and nobody writes to.
//!
//! To know whether a page has changed, it is taken out and its checksum made. A page that was put
//! there protected from writing has not changed as long as no write was heard of: it is dropped
//! where it is. But each one that is written to after all costs a fault. So of a stream's pages
//! those are protected that were not dirty more often than not when they left, and only while that
//! pays.

use super::Residency;
use crate::table::{Seat, State, flag};
use crate::{Access, Operation, Page};

/// Whether protecting pays: what it has saved, less what it has cost, in pages that need not be
/// taken out. Only the recent past counts.
pub(super) struct Habit(i32);

impl Habit {
    /// A fault costs about as much as taking out so many pages.
    const FAULT: i32 = 8;
    const MOST: i32 = 64;
    const LEAST: i32 = -256;

    /// Nothing is known: try.
    pub const NEW: Habit = Habit(0);

    /// A page of a stream was, or would have been, protected: whether in vain.
    pub fn learn(&mut self, in_vain: bool) {
        let gain = if in_vain { -Self::FAULT } else { 1 };
        self.0 = (self.0 + gain).clamp(Self::LEAST, Self::MOST);
    }

    fn pays(&self) -> bool {
        self.0 >= 0
    }
}

impl Residency {
    /// See [`Pager::welcome`](crate::Pager::welcome).
    pub fn welcome(&self, operation: Operation, page: Page) -> Option<Access> {
        let seat = self.table.seat(page)?;
        let entry = self.table[seat];
        if entry.state != State::Coming || entry.frame != operation.0 as u32 {
            return None;
        }
        Some(self.access(seat))
    }

    /// How a page whose contents are kept outside is put into memory.
    pub(super) fn access(&self, seat: Seat) -> Access {
        let protect = self.may_stay_clean(seat) && self.table[seat].holds == 0 && self.habit.pays();
        if protect { Access::Read } else { Access::Write }
    }

    /// It is in memory, and protected from writing.
    pub(super) fn arrived_clean(&mut self, seat: Seat) {
        self.arrived(seat);
        self.table[seat].state = State::Clean;
    }

    /// Whether it is a page of the kind that may be protected.
    pub(super) fn may_stay_clean(&self, seat: Seat) -> bool {
        let entry = self.table[seat];
        entry.has(flag::STREAM) && !entry.likely_dirty()
    }

    /// See [`Pager::written`](crate::Pager::written).
    pub fn written(&mut self, page: Page) -> bool {
        let Some(seat) = self.table.seat(page) else { return false };
        if self.table[seat].state == State::Clean {
            self.habit.learn(true);
            self.table[seat].learn(true);
            self.table[seat].state = State::Resident;
            self.status.faults_write += 1;
        }
        self.table[seat].state == State::Resident
    }

    /// Whether it can leave without being taken out. What is outside must still be there.
    pub(super) fn can_be_dropped(&self, seat: Seat) -> bool {
        self.table[seat].state == State::Clean && self.vault.holds(self.table.key(seat)).is_some()
    }

    /// A page that could be dropped is gone.
    pub(super) fn dropped(&mut self, seat: Seat) {
        self.left(seat);
        let left = self.leaving.left();
        self.status.evictions_clean += 1;
        self.habit.learn(false);
        let entry = &mut self.table[seat];
        entry.learn(false);
        entry.state = State::Stored;
        entry.frame = left;
        self.bring_if_wanted(seat);
    }
}
