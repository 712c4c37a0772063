//! Pages that are chosen to leave, and the clock that runs with those that left.

/// So many pages that cannot be taken, one after another, and eviction rests until the next tick.
const BUSY_MAX: u32 = 128;

/// How eviction goes.
#[derive(Default)]
pub(super) struct Leaving {
    /// How many pages are chosen to leave and still here.
    pub(super) grabbing: u64,
    /// How many pages left so far, modulo 2³²: the clock of refaults.
    pub(super) evictions: u32,
    /// Pages that could not be taken, one after another.
    busy_streak: u32,
}

impl Leaving {
    /// A page has left: when, in evictions.
    pub(super) fn left(&mut self) -> u32 {
        self.busy_streak = 0;
        self.evictions = self.evictions.wrapping_add(1);
        self.evictions
    }

    /// How long ago that was.
    pub(super) fn age(&self, left: u32) -> u32 {
        self.evictions.wrapping_sub(left)
    }

    /// A page could not be taken.
    pub(super) fn busy(&mut self) {
        self.busy_streak += 1;
    }

    /// Whether trying goes on.
    pub(super) fn can_go_on(&self) -> bool {
        self.busy_streak < BUSY_MAX
    }

    /// Time has passed: it may be tried again.
    pub(super) fn rested(&mut self) {
        self.busy_streak = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_pages_in_use_are_a_reason_to_rest() {
        let mut leaving = Leaving { evictions: u32::MAX, ..Leaving::default() };
        let left = leaving.left();
        assert_eq!((left, leaving.left(), leaving.age(left)), (0, 1, 1));
        (1..BUSY_MAX).for_each(|_| leaving.busy());
        assert!(leaving.can_go_on());
        leaving.busy();
        assert!(!leaving.can_go_on());
        leaving.rested();
        assert!(leaving.can_go_on());
    }
}
