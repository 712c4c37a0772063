//! When the engine looks again and again for what comes next, and when it sleeps.

use super::time::Time;
use crate::spin::Spin;

/// While a thread stands still its processor is free.
const FOR_AN_ANSWER_NS: f64 = 150_000.0;
const FOR_A_FAULT_NS: f64 = 100_000.0;

pub struct Looking {
    answers: Spin,
    faults: Spin,
    /// When something was done last, ticks.
    last: u64,
    /// More could be done at once.
    more: bool,
}

impl Looking {
    pub fn new(time: &Time) -> Looking {
        let spin = |ns| Spin::new(time.ticks(ns));
        Looking {
            answers: spin(FOR_AN_ANSWER_NS),
            faults: spin(FOR_A_FAULT_NS),
            last: time.now(),
            more: false,
        }
    }

    /// Whether to look, and not to sleep. `waited_for`: a thread of the program waits.
    #[inline]
    pub fn is_on(&self, waited_for: bool, now: u64) -> bool {
        let spin = if waited_for { &self.answers } else { &self.faults };
        let looks = now.saturating_sub(self.last) < spin.length(now);
        self.more || (looks && !self.answers.rests(now))
    }

    /// Something has come.
    #[inline]
    pub fn came(&mut self, waited_for: bool, now: u64) {
        let gap = now.saturating_sub(self.last);
        let spin = if waited_for { &mut self.answers } else { &mut self.faults };
        spin.came_after(gap, now);
    }

    /// Nothing has come: let others run.
    #[inline]
    pub fn give_way(&mut self, waited_for: bool, now: impl Fn() -> u64) {
        let spin = if waited_for { &mut self.answers } else { &mut self.faults };
        spin.give_way(now);
    }

    /// Until now there was something to do. `more`: and there is.
    #[inline]
    pub fn worked(&mut self, more: bool, now: u64) {
        (self.last, self.more) = (now, more);
    }
}
