//! The engine's clock, and what is due by it.

use clock::Clock;

/// How often deadlines are looked at.
pub const TICK_NS: f64 = 10_000_000.0;
const CLOCKS_NS: f64 = 1_000_000_000.0;
/// How long at least, and at most, a process says nothing of how far it is.
const PROGRESS_NS: [f64; 2] = [20_000_000.0, 1_000_000_000.0];
/// Of a process that ends without a word, as a program does that makes this system call itself,
/// what it did since is not known: a part of this many.
const PROGRESS_PART: u64 = 5;

/// `CLOCK_MONOTONIC`, which processes of a machine share.
pub fn monotonic_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Ticks of one clock.
pub struct Time {
    pub clock: Clock,
    pub ns_per_tick: f64,
    begun: u64,
    next_tick: Due,
    next_clocks: Due,
    next_progress: Due,
}

impl Time {
    pub fn new(clock: Clock, ns_per_tick: f64) -> Time {
        let begun = clock.now().0;
        let due = Due::default;
        Time {
            clock,
            ns_per_tick,
            begun,
            next_tick: due(),
            next_clocks: due(),
            next_progress: due(),
        }
    }

    #[inline]
    pub fn now(&self) -> u64 {
        self.clock.now().0
    }

    /// So long in ticks.
    #[inline]
    pub fn ticks(&self, ns: f64) -> u64 {
        (ns / self.ns_per_tick) as u64
    }

    /// So many ticks in seconds.
    pub fn seconds(&self, ticks: u64) -> f64 {
        ticks as f64 * self.ns_per_tick / 1e9
    }

    /// Whether it is time to look at deadlines; if so, the next time is later.
    pub fn tick_is_due(&mut self, now: u64) -> bool {
        self.next_tick.is_now(now, self.ticks(TICK_NS))
    }

    /// Whether it is time to compare clocks; if so, the next time is later.
    pub fn clocks_are_due(&mut self, now: u64) -> bool {
        self.next_clocks.is_now(now, self.ticks(CLOCKS_NS))
    }

    /// Whether it is time to say how far the process is; if so, the next time is later.
    pub fn progress_is_due(&mut self, now: u64) -> bool {
        let [least, most] = PROGRESS_NS.map(|ns| self.ticks(ns));
        let part = now.saturating_sub(self.begun) / (PROGRESS_PART - 1);
        self.next_progress.is_now(now, part.clamp(least, most))
    }
}

/// When something is to be done next, ticks.
#[derive(Default)]
struct Due(u64);

impl Due {
    /// Whether it is time; if so, the next time is `again_after` from now.
    fn is_now(&mut self, now: u64, again_after: u64) -> bool {
        let due = now >= self.0;
        if due {
            self.0 = now + again_after;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_due_is_due_once() {
        let mut time = Time { begun: 0, ..Time::new(Clock::best(), 0.5) };
        assert!(time.tick_is_due(0) && !time.tick_is_due(19_999_999));
        assert!(time.tick_is_due(20_000_000));
        assert!(time.clocks_are_due(7) && !time.clocks_are_due(2_000_000_006));
        assert!(time.clocks_are_due(2_000_000_007));
        assert_eq!((time.ticks(10.0), time.seconds(4_000_000_000)), (20, 2.0));
    }

    #[test]
    fn progress_is_told_often_at_first_and_once_a_second_at_last() {
        let mut time = Time { begun: 0, ..Time::new(Clock::best(), 1.0) };
        let told: Vec<u64> =
            (0..10_000).filter(|ms| time.progress_is_due(ms * 1_000_000)).collect();
        assert_eq!(told[..4], [0, 20, 40, 60]);
        let parts = told.windows(2).map(|it| (it[1] - it[0]) as f64 / it[1].max(100) as f64);
        assert!(parts.fold(0.0, f64::max) <= 0.21, "a fifth at most: {told:?}");
        assert_eq!(told[told.len() - 1] - told[told.len() - 2], 1000, "{told:?}");
    }
}
