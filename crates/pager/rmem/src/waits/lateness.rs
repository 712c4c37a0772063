//! How long the engine was ready to run and had no processor, while somebody waited for it. On a
//! busy machine that is most of a wait, and neither the network's fault nor the engine's work.

/// Shorter waits are not looked at: the scheduler takes a processor away for milliseconds, and a
/// reading costs about a microsecond.
const LONG_NS: f64 = 200_000.0;
/// So old may a reading be at the begin of a wait.
const FRESH_NS: f64 = 1_000_000.0;

/// Readings of the kernel's count, ticks; `None` where the kernel does not count.
pub type Count = Box<dyn FnMut() -> Option<u64>>;

/// What the kernel counted.
pub struct Lateness {
    count: Count,
    long: u64,
    fresh: u64,
    /// When it was read last, and what it was.
    at: u64,
    last: u64,
}

impl Lateness {
    pub fn new(ns_per_tick: f64, count: Count) -> Lateness {
        let ticks = |ns: f64| (ns / ns_per_tick) as u64;
        let mut lateness =
            Lateness { count, long: ticks(LONG_NS), fresh: ticks(FRESH_NS), at: 0, last: 0 };
        lateness.read(0);
        lateness
    }

    /// A wait begins.
    pub fn begin(&mut self, now: u64) {
        if now.saturating_sub(self.at) > self.fresh {
            self.read(now);
        }
    }

    /// A wait begins, and there is time for a reading.
    pub fn begin_now(&mut self, now: u64) {
        self.read(now);
    }

    /// Of a wait of `ticks` that ends now.
    pub fn of(&mut self, ticks: u64, now: u64) -> u64 {
        if ticks < self.long {
            return 0;
        }
        self.read(now).min(ticks)
    }

    /// What has been added.
    fn read(&mut self, now: u64) -> u64 {
        let count = (self.count)().unwrap_or(self.last);
        self.at = now;
        count.saturating_sub(std::mem::replace(&mut self.last, count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_counted_during_a_long_wait_is_late() {
        let mut counts = [0, 7_000_000, 7_500_000, 9_000_000, 99_000_000].into_iter();
        let mut lateness = Lateness::new(1.0, Box::new(move || counts.next()));
        // Seven ms of lateness before anybody waited.
        lateness.begin(10_000_000);
        assert_eq!(lateness.of(199_999, 10_199_999), 0, "too short to look");
        assert_eq!(lateness.of(800_000, 10_900_000), 500_000);
        lateness.begin(11_000_000);
        assert_eq!(lateness.of(2_000_000, 13_000_000), 1_500_000);
        assert_eq!(lateness.of(3_000_000, 16_000_000), 3_000_000, "no more than there was");
        assert_eq!(lateness.of(3_000_000, 19_000_000), 0, "a kernel that does not say");
    }
}
