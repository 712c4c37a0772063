//! What a clock is good for on this machine: the step it moves in, what a reading costs, how well
//! its rate is known.
//!
//! Every latency is printed beside these, because no result is finer than its clock. [`measure`]
//! reads the clock; what its readings mean is worked out by pure functions. Steps that go backwards
//! are counted: a difference clamped to zero would hide a broken clock.

use std::collections::HashMap;
use std::fmt;
use std::hint::black_box;
use std::time::Duration;

use rustix::time::ClockId;
use serde::{Deserialize, Serialize};

use crate::source::read_ns;
use crate::{Anchor, Clock, Source};

/// How long the calibration watches the clock. The run's own anchors are far apart and give the
/// rate much better; this one serves a node that was cut before its second anchor, and clock
/// synchronisation.
const CALIBRATION: Duration = Duration::from_millis(50);
/// Readings taken in a row to see the step.
const READINGS: usize = 16_384;
/// Blocks of readings timed to find what one costs.
const COST_BLOCKS: usize = 32;
/// Readings in such a block: enough that the two readings of the system clock around it do not
/// matter.
const COST_READINGS: u32 = 2_048;

/// A measured clock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// Where its ticks come from.
    pub source: Source,
    /// The step that it moves in: its readings lie on a grid of this width, and nothing shorter can
    /// be measured with it. It is not what two readings in a row differ by, which is at least what
    /// a reading costs.
    pub step_ns: f64,
    /// How many readings in a row were looked at for the step.
    pub readings: u64,
    /// How many of them were earlier than the one before.
    pub backward_steps: u64,
    /// What one reading costs.
    pub read_cost_ns: f64,
    /// Rate, by a short calibration against `CLOCK_MONOTONIC_RAW`.
    pub ns_per_tick: f64,
    /// Bound of that calibration's error, in parts per million of the rate.
    pub ppm_error: f64,
    /// How long the calibration took; zero where a tick is a nanosecond by definition.
    pub calibration_ns: i64,
}

/// What a short look at a clock tells of it: enough to synchronise it and to stand in for a second
/// anchor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Nanoseconds a tick.
    pub ns_per_tick: f64,
    /// Bound of that rate's error, in parts per million.
    pub error_ppm: f64,
    /// A reading stands for any moment from itself to this much later.
    pub step_ns: f64,
}

/// Measure a clock. Takes about a twentieth of a second, most of it asleep.
pub fn measure(clock: &Clock) -> Quality {
    if clock.source() == Source::Simulated {
        return Quality::of_simulated();
    }
    let rate = calibrate(clock);
    let readings: Vec<u64> = (0..READINGS).map(|_| clock.now().0).collect();
    let steps = Steps::of(&readings);
    Quality {
        source: clock.source(),
        step_ns: steps.step as f64 * rate.ns_per_tick,
        readings: READINGS as u64,
        backward_steps: steps.backward,
        read_cost_ns: read_cost_ns(clock),
        ns_per_tick: rate.ns_per_tick,
        ppm_error: rate.error_ppm,
        calibration_ns: rate.span_ns,
    }
}

impl Quality {
    /// Of simulated time: there is nothing to measure.
    fn of_simulated() -> Quality {
        Quality {
            source: Source::Simulated,
            step_ns: 1.0,
            readings: 0,
            backward_steps: 0,
            read_cost_ns: 0.0,
            ns_per_tick: 1.0,
            ppm_error: 0.0,
            calibration_ns: 0,
        }
    }

    /// What synchronisation and [`crate::Model::from_rate`] need of it.
    pub fn calibration(&self) -> Calibration {
        Calibration {
            ns_per_tick: self.ns_per_tick,
            error_ppm: self.ppm_error,
            step_ns: self.step_ns,
        }
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{}, step {:.1} ns, a reading costs {:.1} ns, rate known to {:.1} ppm",
            self.source, self.step_ns, self.read_cost_ns, self.ppm_error
        )?;
        match self.backward_steps {
            0 => Ok(()),
            steps => write!(out, ", went backwards {steps} times in {} readings", self.readings),
        }
    }
}

/// A rate and how it was come by.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rate {
    ns_per_tick: f64,
    error_ppm: f64,
    span_ns: i64,
}

/// Differences of readings in a row, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Steps {
    /// Zero if the clock never moved forward.
    step: u64,
    backward: u64,
}

fn calibrate(clock: &Clock) -> Rate {
    if clock.source() != Source::Tsc && !clock.is_planted() {
        return Rate { ns_per_tick: 1.0, error_ppm: 0.0, span_ns: 0 };
    }
    let start = clock.anchor();
    std::thread::sleep(CALIBRATION);
    Rate::between(&start, &clock.anchor())
}

/// The cheapest block counts: the others were interrupted.
fn read_cost_ns(clock: &Clock) -> f64 {
    let block_ns = |_| {
        let start_ns = read_ns(ClockId::MonotonicRaw);
        for _ in 0..COST_READINGS {
            black_box(clock.now());
        }
        read_ns(ClockId::MonotonicRaw) - start_ns
    };
    let cheapest_ns = (0..COST_BLOCKS).map(block_ns).min().unwrap_or(0);
    cheapest_ns as f64 / COST_READINGS as f64
}

impl Rate {
    /// By two anchors of one clock. If they cannot be told apart nothing is known: an error of a
    /// whole rate.
    fn between(start: &Anchor, end: &Anchor) -> Rate {
        const WHOLE_PPM: f64 = 1e6;
        let span_ns = end.monotonic_raw_ns - start.monotonic_raw_ns;
        let ticks = end.ticks.since(start.ticks);
        if span_ns <= 0 || ticks <= 0 {
            return Rate { ns_per_tick: 1.0, error_ppm: WHOLE_PPM, span_ns };
        }
        let width_ticks = start.half_width as f64 + end.half_width as f64;
        // The system clock's two readings are each cut to a nanosecond.
        let error = width_ticks / ticks as f64 + 1.0 / span_ns as f64;
        Rate { ns_per_tick: span_ns as f64 / ticks as f64, error_ppm: error * WHOLE_PPM, span_ns }
    }
}

impl Steps {
    fn of(readings: &[u64]) -> Steps {
        let mut backward = 0;
        let mut counts: HashMap<u64, u64> = HashMap::new();
        for pair in readings.windows(2) {
            match pair[1].wrapping_sub(pair[0]) as i64 {
                0 => {}
                ..0 => backward += 1,
                forward => *counts.entry(forward as u64).or_default() += 1,
            }
        }
        Steps { step: grid(&counts), backward }
    }
}

/// The widest grid that these forward differences (each with how often it was seen) are multiples
/// of.
///
/// A counter that is scaled from a slower one moves in steps of many ticks, and some readings come
/// a tick late: seen, 26 ticks of 0.4 ns, with one reading in twenty a tick off, so that 1, 25 and
/// 26 are common differences. So the smallest difference is no step, wide steps may be a tick off,
/// and the one in a hundred that strays is left out.
fn grid(counts: &HashMap<u64, u64>) -> u64 {
    const STRAYING: u64 = 100;
    const WIDE_TICKS: u64 = 16;
    const TIMES_MOST: u64 = 4096;
    let all: u64 = counts.values().sum();
    let strays = |seen: u64| seen * STRAYING < all;
    let fits = |step: u64| {
        let slack = u64::from(step >= WIDE_TICKS);
        let off = |difference: u64| (difference % step).min(step - difference % step) > slack;
        strays(
            counts.iter().filter(|(difference, _)| off(**difference)).map(|(_, seen)| *seen).sum(),
        )
    };
    let common =
        counts.iter().filter(|(_, seen)| !strays(**seen)).map(|(difference, _)| *difference);
    let common: Vec<u64> = common.collect();
    // What lies on a grid is a whole number of its steps.
    let steps = |of: u64| (1..=of.min(TIMES_MOST)).map(move |times| (of + times / 2) / times);
    let widest =
        common.iter().flat_map(|difference| steps(*difference)).filter(|step| fits(*step)).max();
    widest.or(counts.keys().min().copied()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Ticks;

    fn anchor(ticks: u64, half_width: u64, monotonic_raw_ns: i64) -> Anchor {
        Anchor { ticks: Ticks(ticks), half_width, monotonic_raw_ns, realtime_ns: 0 }
    }

    #[test]
    fn backward_steps_are_counted_and_do_not_count_as_resolution() {
        let steps = Steps::of(&[100, 126, 126, 152, 150, 202, 228]);
        assert_eq!(steps, Steps { step: 26, backward: 1 });
        assert_eq!(Steps::of(&[5, 5, 4]), Steps { step: 0, backward: 1 });
        assert_eq!(Steps::of(&[]), Steps { step: 0, backward: 0 });
        assert_eq!(Steps::of(&[u64::MAX, 1]).step, 2, "a counter may wrap");
        assert_eq!(Steps::of(&[0, 3, 10, 13, 20]).step, 1, "what a reading costs is no step");
    }

    /// Seen: one reading of sixteen thousand a tick off, and a step of 0.4 ns instead of 10.
    #[test]
    fn a_tick_that_strays_is_no_step() {
        let mut readings: Vec<u64> =
            (0..16_384).map(|at| at / 2 * 26 + at % 2 * 26 * (at / 7 % 2)).collect();
        readings.sort_unstable();
        readings.iter_mut().skip(9_000).for_each(|reading| *reading += 1);
        readings[9_000] -= 1;
        assert_eq!(Steps::of(&readings).step, 26);
        // One reading in twenty comes a tick late.
        let late: Vec<u64> = (0..16_384).map(|at| at * 26 + u64::from(at % 20 == 7)).collect();
        assert_eq!(Steps::of(&late).step, 26);
        // A fine counter, whose readings cost 20 ticks and a few more or less.
        let mut now = 0;
        let fine: Vec<u64> = (0..16_384)
            .map(|at| {
                now += 19 + at % 5;
                now
            })
            .collect();
        assert_eq!(Steps::of(&fine).step, 1);
    }

    proptest! {
        #[test]
        fn the_true_rate_lies_within_the_calibration(
            counter in any::<u64>(),
            ticks_per_ns in 0.3..6.0f64,
            widths_ns in (10.0..10_000.0f64, 10.0..10_000.0f64),
            read_at in (0.0..1.0f64, 0.0..1.0f64),
            span_ns in 1e5..1e9f64,
        ) {
            // Brackets from `at` on, the system clock read somewhere in them.
            let bracketed = |at: f64, width_ns: f64, share: f64| {
                let half = (width_ns * ticks_per_ns / 2.0).ceil() + 1.0;
                let middle = ((at + width_ns / 2.0) * ticks_per_ns) as u64;
                anchor(counter.wrapping_add(middle), half as u64, (at + width_ns * share) as i64)
            };
            let start = bracketed(0.0, widths_ns.0, read_at.0);
            let end = bracketed(span_ns, widths_ns.1, read_at.1);
            let rate = Rate::between(&start, &end);
            // The bound is relative to the measured rate.
            let off_ppm = (rate.ns_per_tick - ticks_per_ns.recip()).abs() / rate.ns_per_tick * 1e6;
            prop_assert!(off_ppm <= rate.error_ppm * 1.02 + 1e-3, "{off_ppm} {rate:?}");
        }
    }

    #[test]
    fn anchors_that_cannot_be_told_apart_give_no_rate() {
        for end in [anchor(5, 1, 7), anchor(4, 1, 9), anchor(9, 1, 3)] {
            assert_eq!(Rate::between(&anchor(5, 1, 7), &end).error_ppm, 1e6);
        }
    }
}
