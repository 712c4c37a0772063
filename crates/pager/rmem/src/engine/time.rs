//! The engine's clock, and what is due by it.

use clock::Clock;

/// How often deadlines are looked at.
pub const TICK_NS: f64 = 10_000_000.0;
const PROGRESS_NS: f64 = 1_000_000_000.0;

/// `CLOCK_MONOTONIC`, which processes of a machine share.
pub fn monotonic_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Ticks of one clock.
pub struct Time {
    pub clock: Clock,
    pub ns_per_tick: f64,
    /// When the next look at deadlines and the next progress are due.
    next_tick: u64,
    next_progress: u64,
}

impl Time {
    pub fn new(clock: Clock, ns_per_tick: f64) -> Time {
        Time { clock, ns_per_tick, next_tick: 0, next_progress: 0 }
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
        let due = now >= self.next_tick;
        if due {
            self.next_tick = now + self.ticks(TICK_NS);
        }
        due
    }

    /// Whether it is time to say how far the process is; if so, the next time is later.
    pub fn progress_is_due(&mut self, now: u64) -> bool {
        let due = now >= self.next_progress;
        if due {
            self.next_progress = now + self.ticks(PROGRESS_NS);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_due_is_due_once() {
        let mut time = Time::new(Clock::best(), 0.5);
        assert!(time.tick_is_due(0) && !time.tick_is_due(19_999_999));
        assert!(time.tick_is_due(20_000_000));
        assert!(time.progress_is_due(7) && !time.progress_is_due(2_000_000_006));
        assert!(time.progress_is_due(2_000_000_007));
        assert_eq!((time.ticks(10.0), time.seconds(4_000_000_000)), (20, 2.0));
    }
}
