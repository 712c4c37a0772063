//! How much local memory there is, and how much of it is kept free.

/// Room kept free at most, in pages: enough for the two largest windows, and small against any
/// useful budget.
const ROOM_MAX: u64 = 256;

/// Of local memory, in pages.
pub(super) struct Room {
    /// What there may be at this moment: more than [`base`](Self::base) while all is here, and
    /// until that has left.
    pub(super) budget: u64,
    /// What there may be otherwise.
    pub(super) base: u64,
    /// With less room than this, pages leave at once; with less than halfway between this and
    /// `high`, a few at a time, until there is that much.
    pub(super) low: u64,
    high: u64,
    /// It has begun.
    tidying: bool,
}

impl Room {
    pub(super) fn new(budget: u64) -> Room {
        let high = (budget / 8).min(ROOM_MAX);
        Room { budget, base: budget, low: high / 2, high, tidying: false }
    }

    /// All may be here.
    pub(super) fn lift(&mut self) {
        self.budget = u64::MAX / 2;
    }

    /// No more than what is `here` by now, and at last the usual.
    pub(super) fn lower(&mut self, here: u64) {
        self.budget = self.budget.min(here).max(self.base);
    }

    /// How much too much there may be.
    pub(super) fn excess(&self) -> u64 {
        self.budget - self.base
    }

    /// How many pages should leave ahead of need where there is so much room, if eviction `can` go
    /// on; 0 for none.
    pub(super) fn missing(&mut self, room: u64, can: bool) -> u64 {
        let least = if self.tidying { self.high } else { self.low.midpoint(self.high) };
        self.tidying = room < least && can;
        if self.tidying { self.high - room } else { 0 }
    }

    /// Some left, or none could. Whether more should.
    pub(super) fn went(&mut self, some: bool) -> bool {
        self.tidying &= some;
        self.tidying
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tidying_begins_late_and_ends_late() {
        let mut room = Room::new(800);
        assert_eq!((room.low, room.high), (50, 100));
        assert_eq!(room.missing(80, true), 0, "enough to begin with");
        assert_eq!(room.missing(74, true), 26);
        assert!(room.went(true));
        assert_eq!(room.missing(99, true), 1, "and not enough to end with");
        assert_eq!(room.missing(100, true), 0);
        assert!(!room.went(true));
        assert_eq!(room.missing(10, false), 0);
        assert_eq!(room.missing(10, true), 90);
        assert!(!room.went(false));
    }

    #[test]
    fn what_was_lifted_comes_down_with_what_leaves_and_never_up() {
        let mut room = Room::new(100);
        room.lift();
        room.lower(300);
        room.lower(350);
        assert_eq!((room.budget, room.excess()), (300, 200));
        room.lower(40);
        assert_eq!((room.budget, room.excess()), (100, 0));
    }
}
