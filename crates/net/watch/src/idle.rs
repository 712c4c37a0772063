//! What an idle core loses: a loop that does nothing but read the clock, and the times at which it
//! did not get to.
//!
//! The method is that of the "selfish" detour benchmark (Beckman et al. 2006): a gap between two
//! readings that is far longer than a reading was somebody else's.

use clock::{Clock, Ticks};
use std::time::Duration;

/// A gap shorter than this may be the reading itself: a fault, a cold cache.
pub const GAP_LEAST: Duration = Duration::from_micros(1);

/// Gaps kept one by one; more are counted only.
const KEPT_MOST: usize = 4096;

/// What a spin on one core found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idle {
    /// First and last reading.
    pub span: (Ticks, Ticks),
    /// Begin and end of each gap, in order; the first of them only, if there are very many.
    pub gaps: Vec<(Ticks, Ticks)>,
    /// Gaps in all.
    pub count: u64,
    /// Time lost in all of them, ns.
    pub lost_ns: u64,
}

/// Ticks and nanoseconds of a clock.
#[derive(Clone, Copy, Debug)]
struct Rate {
    ticks_per_ns: f64,
}

impl Rate {
    fn ticks(self, time: Duration) -> u64 {
        (time.as_nanos() as f64 * self.ticks_per_ns) as u64
    }

    fn ns(self, ticks: u64) -> u64 {
        (ticks as f64 / self.ticks_per_ns).round() as u64
    }
}

/// Read the clock for so long on the core that this thread runs on. `ticks_per_ns`: the clock's
/// rate.
pub fn spin(clock: &Clock, length: Duration, ticks_per_ns: f64) -> Idle {
    let rate = Rate { ticks_per_ns };
    gaps(clock.now(), length, rate, || clock.now())
}

/// The same with a clock of the caller's.
fn gaps(begin: Ticks, length: Duration, rate: Rate, mut now: impl FnMut() -> Ticks) -> Idle {
    let (length, least) = (rate.ticks(length), rate.ticks(GAP_LEAST));
    let mut idle =
        Idle { span: (begin, begin), gaps: Vec::with_capacity(KEPT_MOST), count: 0, lost_ns: 0 };
    let (mut last, mut lost) = (begin, 0);
    while last.0.wrapping_sub(begin.0) < length {
        let reading = now();
        let gap = reading.0.saturating_sub(last.0);
        if gap >= least {
            idle.count += 1;
            lost += gap;
            if idle.gaps.len() < KEPT_MOST {
                idle.gaps.push((last, reading));
            }
        }
        last = reading;
    }
    idle.span.1 = last;
    idle.lost_ns = rate.ns(lost);
    idle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_found_where_the_clock_jumps() {
        let mut readings = [10, 20, 30, 5030, 5040, 5050, 9050, 9060, 20_000].into_iter();
        let rate = Rate { ticks_per_ns: 0.5 };
        let idle =
            gaps(Ticks(0), Duration::from_nanos(18_120), rate, || Ticks(readings.next().unwrap()));
        assert_eq!(idle.gaps, [(Ticks(30), Ticks(5030)), (Ticks(5050), Ticks(9050))]);
        assert_eq!((idle.count, idle.lost_ns, idle.span), (2, 18_000, (Ticks(0), Ticks(9060))));
    }

    #[test]
    fn a_real_clock_ends() {
        let idle = spin(&Clock::system(), Duration::from_millis(2), 1.0);
        assert!(idle.span.1.0 - idle.span.0.0 >= 2_000_000);
        assert!(idle.lost_ns <= idle.span.1.0 - idle.span.0.0);
    }
}
