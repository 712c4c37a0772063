//! When an object's state is copied: before every event, or before one in so many.

/// Who chooses how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::node) struct Group(u16);

impl Group {
    /// The model does.
    pub const NONE: Group = Group(u16::MAX);

    /// The engine does, for the objects of this group together.
    pub fn of(number: usize) -> Group {
        Group(number as u16)
    }

    #[inline]
    pub fn is_none(self) -> bool {
        self == Group::NONE
    }

    #[inline]
    pub fn number(self) -> usize {
        usize::from(self.0)
    }
}

/// When an object's state is copied.
#[derive(Clone, Copy, Debug)]
pub(in crate::node) struct Copying {
    /// Events from one copy to the next.
    every: u32,
    /// Events since the last copy.
    since: u32,
    group: Group,
    /// Whether there may be records without a copy.
    has_gaps: bool,
}

impl Copying {
    /// Before one event in so many, as the model says.
    pub fn every(events: u32) -> Copying {
        let every = events.max(1);
        Copying { every, since: 0, group: Group::NONE, has_gaps: every > 1 }
    }

    /// The same, as the engine has chosen for a group.
    pub fn chosen(events: u32, group: Group) -> Copying {
        Copying { group, ..Copying::every(events) }
    }

    #[inline]
    pub fn group(&self) -> Group {
        self.group
    }

    /// From now on before one event in so many.
    pub fn choose(&mut self, events: u32) {
        self.every = events.max(1);
        self.has_gaps |= self.every > 1;
    }

    /// Whether every event to come has a copy before it.
    pub fn is_each_time(&self) -> bool {
        self.every == 1
    }

    /// Whether the next event is one with a copy before it.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.since + 1 >= self.every
    }

    /// Whether every record has a copy: none is needed for a later one.
    #[inline]
    pub fn is_at_every_event(&self) -> bool {
        !self.has_gaps
    }

    /// The event at hand has a copy before it.
    #[inline]
    pub fn copied(&mut self) {
        self.since = 0;
    }

    /// It has none.
    #[inline]
    pub fn passed(&mut self) {
        self.since += 1;
    }

    /// An event with a copy before it is about to be undone: it is due again.
    #[inline]
    pub fn missed(&mut self) {
        self.since = self.every;
    }

    /// An event was undone.
    #[inline]
    pub fn undone(&mut self) {
        self.since = self.since.saturating_sub(1);
    }

    /// So many events, from the one with the last copy on, are all that is not undone.
    pub fn ran_again(&mut self, events: u32) {
        self.since = events.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Execute so many events: `c` for one with a copy.
    fn events(copying: &mut Copying, count: usize) -> String {
        let mut one = || match copying.is_due() {
            true => {
                copying.copied();
                'c'
            }
            false => {
                copying.passed();
                '.'
            }
        };
        (0..count).map(|_| one()).collect()
    }

    #[test]
    fn one_event_in_so_many_has_a_copy() {
        assert_eq!(events(&mut Copying::every(0), 3), "ccc");
        assert_eq!(events(&mut Copying::every(1), 3), "ccc");
        let mut copying = Copying::chosen(3, Group::of(0));
        assert_eq!(events(&mut copying, 8), "..c..c..");
        copying.choose(1);
        assert_eq!(events(&mut copying, 2), "cc");
        assert!(!copying.is_at_every_event(), "there are records without a copy");
        assert!(Copying::every(1).is_at_every_event());
    }

    #[test]
    fn copies_that_were_undone_are_made_again_where_they_were() {
        let mut copying = Copying::every(4);
        assert_eq!(events(&mut copying, 8), "...c...c");
        copying.missed();
        copying.undone();
        assert_eq!(events(&mut copying, 1), "c");
        copying.missed();
        copying.undone();
        copying.undone();
        assert_eq!(events(&mut copying, 2), ".c");
    }

    #[test]
    fn what_was_run_again_counts_from_its_copy() {
        let mut copying = Copying::every(4);
        copying.ran_again(1);
        assert_eq!(events(&mut copying, 4), "...c");
        copying.ran_again(3);
        assert_eq!(events(&mut copying, 2), ".c");
    }
}
