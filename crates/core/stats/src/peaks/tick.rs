//! The step of the clock, as the times show it.
//!
//! A counter that moves in steps of 10 ns makes times that are about whole multiples of 10 ns, a
//! nanosecond up or down by rounding. On a fine scale they are a comb, and every tooth would be a
//! peak. The step is found from the times themselves: where the counts at a distance of one, two
//! and three steps go together and those half-way between do not, there are at least four equal
//! teeth in a row with gaps between, which no smooth distribution has.

use crate::distribution::{Counted, Distribution};

/// Longest step looked for, ns: a clock of 10 MHz has 100 ns.
const STEP_MOST: usize = 130;
/// Times looked at, ns. Above this many bins hold several teeth anyway.
const REACH: usize = 1 << 14;
/// Messages below `REACH`, fewer than which show no teeth.
const MESSAGES_LEAST: f64 = 300.0;
/// What half-way between the teeth may have, of what the teeth have.
const GAP: f64 = 0.25;
/// Steps up to which teeth are told apart; above, a bin is many steps wide.
const TEETH: f64 = 600.0;

/// The clock's step: times lie about `phase_ns` plus whole multiples of `step_ns`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tick {
    pub step_ns: f64,
    phase_ns: f64,
}

impl Tick {
    /// The step that shows in `of`; `None` where times are as fine as a nanosecond.
    pub fn of(of: &Distribution) -> Option<Tick> {
        let mut counts = vec![0.0; REACH];
        for counter in of.counters().filter(|c| c.low >= 0 && c.low < REACH as i64) {
            counts[counter.low as usize] += counter.count as f64;
        }
        if counts.iter().sum::<f64>() < MESSAGES_LEAST {
            return None;
        }
        let step = comb(&counts)?;
        Some(refined(&counts, step as f64))
    }

    /// Whether times about `ns` are few enough steps for each to be seen.
    pub fn matters(&self, ns: f64) -> bool {
        ns.abs() <= TEETH * self.step_ns
    }

    /// From where to where the times reach that a counter's value may have had; `None` where the
    /// step does not matter.
    pub fn reach(&self, counter: &Counted) -> Option<(f64, f64)> {
        let value = counter.middle() as f64;
        let wide = (counter.high - counter.low) as f64 + 1.0 > self.step_ns;
        if wide || !self.matters(value) {
            return None;
        }
        let tooth = ((value - self.phase_ns) / self.step_ns).round();
        let middle = self.phase_ns + tooth * self.step_ns;
        Some((middle - self.step_ns / 2.0, middle + self.step_ns / 2.0))
    }
}

/// The smallest distance at which the counts look like a comb.
fn comb(counts: &[f64]) -> Option<usize> {
    // Square roots, so that the highest tooth does not speak for all.
    let roots: Vec<f64> = counts.iter().map(|count| count.sqrt()).collect();
    let at = |lag: usize| roots.iter().zip(&roots[lag..]).map(|(a, b)| a * b).sum::<f64>();
    let products: Vec<f64> = (0..4 * STEP_MOST + 2).map(at).collect();
    let about = |lag: usize| products[lag - 1..=lag + 1].iter().copied().fold(0.0, f64::max);
    let tooth = |step: usize, n: usize| {
        let gap = (2 * n - 1) * step / 2;
        let between =
            products[gap..=(2 * n - 1) * step - gap].iter().copied().fold(f64::MAX, f64::min);
        about(n * step) > 1.0 && between < GAP * about(n * step)
    };
    (4..=STEP_MOST).find(|&step| {
        let highest = (step - 1..=step + 1).all(|near| products[near] <= products[step]);
        highest && (1..=3).all(|n| tooth(step, n))
    })
}

/// Step and phase to a fraction of a nanosecond: those at which the times are most nearly
/// multiples.
fn refined(counts: &[f64], about: f64) -> Tick {
    let (mut step, mut phase_ns) = (about, 0.0);
    let mode = (0..counts.len()).max_by(|a, b| counts[*a].total_cmp(&counts[*b])).unwrap_or(0);
    // About the mode first: far from it a step a little wrong is out of phase.
    for (teeth, half_width) in [(10.0, 0.8), (60.0, 0.08), (TEETH, 0.012)] {
        let reach = (teeth * about) as usize;
        let near = mode.saturating_sub(reach)..(mode + reach).min(counts.len());
        let mut best = 0.0;
        let middle = step;
        for part in -40..=40 {
            let tried = middle + half_width * f64::from(part) / 40.0;
            let (length, phase) = concentration(&counts[near.clone()], near.start, tried);
            if length > best {
                (best, step, phase_ns) = (length, tried, phase);
            }
        }
    }
    Tick { step_ns: step, phase_ns }
}

/// How much the phases of the times agree, and the phase in ns.
fn concentration(counts: &[f64], first: usize, step: f64) -> (f64, f64) {
    let (mut x, mut y) = (0.0, 0.0);
    for (at, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0.0) {
        let angle = std::f64::consts::TAU * (first + at) as f64 / step;
        x += count.sqrt() * angle.cos();
        y += count.sqrt() * angle.sin();
    }
    (x.hypot(y), y.atan2(x) / std::f64::consts::TAU * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distribution(values: impl Iterator<Item = f64>) -> Distribution {
        let mut of = Distribution::default();
        values.for_each(|value| of.add(value as i64));
        of
    }

    /// Times of a smooth, skew spread about `middle`.
    fn smooth(middle: f64) -> impl Iterator<Item = f64> {
        (1..200_000).map(move |i| middle * (0.4 - (1.0 - f64::from(i) / 2e5).ln() * 0.2))
    }

    #[test]
    fn the_step_of_a_coarse_clock_is_found() {
        for step in [9.63, 10.0, 25.0, 41.667, 100.0] {
            let of = distribution(smooth(700.0).map(|v| ((v / step).round() * step).round()));
            let tick = Tick::of(&of).unwrap_or_else(|| panic!("no step, of {step}"));
            assert!((tick.step_ns - step).abs() < 0.02, "{} of {step}", tick.step_ns);
        }
    }

    #[test]
    fn smooth_times_and_narrow_peaks_have_none() {
        for middle in [30.0, 300.0, 5000.0] {
            assert_eq!(Tick::of(&distribution(smooth(middle))), None, "about {middle}");
        }
        let peaks = smooth(1.0).map(|v| v * 8.0 + if v > 0.6 { 200.0 } else { 240.0 });
        assert_eq!(Tick::of(&distribution(peaks)), None);
    }
}
