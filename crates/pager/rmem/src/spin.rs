//! How long to look again and again for what comes next, before sleeping.
//!
//! Sleeping and waking cost tens of microseconds, above all where an idle processor is halted, and
//! a fault has up to three of them. To look costs a processor. So whoever waits looks as long as
//! what it waits for usually comes within that time, gives way to everybody else meanwhile, and
//! sleeps at once where it usually takes longer. Who gave way gets the processor back when the
//! other's turn is over, which is milliseconds later, where a sleeper is woken in the middle of it:
//! so who has come too late for that looks no more for a while.

/// A gap counts for so many times the longest look at most: a program that computes for a second
/// is forgotten after some faults.
const GAP_MAX: u64 = 8;
/// The weight of what is known already, against one of the last gap.
const MEMORY: u64 = 7;
/// Another's turn takes longer than this, in times the longest look.
const TURN: u64 = 4;
/// How long not to look after having come too late, in times the longest look: at first, and at
/// most.
const REST_MIN: u64 = 50;
const REST_MAX: u64 = 1_000;

/// Looks as long as it pays. All times are ticks.
#[derive(Debug)]
pub struct Spin {
    most: u64,
    usual: u64,
    /// The processor was away for long, the last time.
    late: bool,
    /// The last rest, and when it ends.
    rest: u64,
    rests_until: u64,
}

impl Spin {
    /// Looks for up to `most`; 0: never.
    pub fn new(most: u64) -> Spin {
        Spin { most, usual: 0, late: false, rest: 0, rests_until: 0 }
    }

    /// How long to look now.
    #[inline]
    pub fn length(&self, now: u64) -> u64 {
        let pays = self.usual <= self.most && !self.rests(now);
        if pays { self.most } else { 0 }
    }

    /// Whether it does not look because it came too late.
    #[inline]
    pub fn rests(&self, now: u64) -> bool {
        now < self.rests_until
    }

    /// What was waited for has come now, after so long.
    #[inline]
    pub fn came_after(&mut self, gap: u64, now: u64) {
        let gap = gap.min(self.most.saturating_mul(GAP_MAX));
        self.usual = (self.usual * MEMORY + gap) / (MEMORY + 1);
        if std::mem::take(&mut self.late) {
            self.rest_from(now);
        }
    }

    /// Let others run, if some want to. If that takes long and what is waited for is there then, it
    /// came earlier.
    #[inline]
    pub fn give_way(&mut self, now: impl Fn() -> u64) {
        let begun = now();
        std::thread::yield_now();
        self.late = now().saturating_sub(begun) > TURN * self.most;
    }

    fn rest_from(&mut self, now: u64) {
        let went_well = now.saturating_sub(self.rests_until) > self.rest;
        let rest = if went_well { 0 } else { 2 * self.rest };
        self.rest = rest.clamp(REST_MIN * self.most, REST_MAX * self.most);
        self.rests_until = now + self.rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_looks_where_that_pays() {
        let mut spin = Spin::new(100);
        (0..50).for_each(|_| spin.came_after(90, 0));
        assert_eq!(spin.length(0), 100);
        (0..50).for_each(|_| spin.came_after(150, 0));
        assert_eq!(spin.length(0), 0, "it would have been in vain each time");
        (0..50).for_each(|_| spin.came_after(60, 0));
        assert_eq!(spin.length(0), 100);
    }

    #[test]
    fn one_long_pause_does_not_count_for_long() {
        let mut spin = Spin::new(100);
        (0..1000).for_each(|_| spin.came_after(u64::MAX, 0));
        let short = (1..).find(|_| {
            spin.came_after(10, 0);
            spin.length(0) > 0
        });
        assert!(short < Some(20), "{short:?} short gaps until it looks again");
    }

    fn is_late(spin: &mut Spin, now: u64) {
        spin.late = true;
        spin.came_after(10, now);
    }

    #[test]
    fn who_came_too_late_rests() {
        let mut spin = Spin::new(100);
        let mut clock = (1..).map(|step| 90 * step);
        let clock = std::cell::RefCell::new(&mut clock);
        spin.give_way(|| clock.borrow_mut().next().unwrap());
        assert!(!spin.late, "nobody else wanted the processor for long");
        is_late(&mut spin, 3_000);
        assert_eq!((spin.length(7_999), spin.length(8_000)), (0, 100));
        spin.came_after(10, 9_000);
        assert_eq!(spin.length(9_000), 100);
        is_late(&mut spin, 10_000);
        assert_eq!((spin.length(19_999), spin.length(20_000)), (0, 100), "again: longer");
        for again in 0..20 {
            let now = spin.rests_until;
            is_late(&mut spin, now);
            assert!(spin.rest <= 100_000, "{again}");
        }
        let later = spin.rests_until + 100_001;
        is_late(&mut spin, later);
        assert_eq!(spin.rest, 5_000, "that was long ago");
    }

    #[test]
    fn none_is_none() {
        let mut spin = Spin::new(0);
        spin.came_after(5, 5);
        is_late(&mut spin, 1000);
        assert_eq!(spin.length(2000), 0);
    }
}
