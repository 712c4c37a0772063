//! Knees: sizes at which the way a message takes changes.
//!
//! The sizes are cut into segments, in each of which median and 99 % quantile lie on a straight
//! line; lines need not meet. Of all ways to cut, the best is found exactly, by dynamic programming
//! (Bellman 1961; Bai & Perron 2003): least squares in units of the noise that repeated visits
//! show, plus a price for each further segment (a modified BIC). A knee is placed no more exactly
//! than the fit bears: every place that is not much worse belongs to its bracket.

mod line;
mod packets;
mod point;
mod refine;

use std::collections::BTreeMap;

use crate::analysis::{Knee, NoFit, Parameter, Segment, Sweep};
use line::{Line, Sums};
pub use point::Point;
pub use refine::next_size;

/// Sizes in a segment: fewer lie on some line whatever they are.
const SIZES_LEAST: usize = 3;
/// Sizes from which LogGP's two parameters are told: of fewer, the scatter about the line says too
/// little.
const FITTED_LEAST: usize = 5;
/// Parameters that a further segment takes: four of two lines, two for the place of the knee (Zhang
/// & Siegmund 2007), and one because the noise is known from few visits only.
const PARAMETERS: f64 = 7.0;
/// A place this much worse than the best is outside of the bracket (95 % of a likelihood ratio with
/// the place as its parameter, and somewhat more, as places are discrete).
const WORSE: f64 = 6.0;
/// 95 % of a normal distribution, in standard deviations to either side.
const SURE: f64 = 1.96;

/// Points with their noise, ready to be fitted.
struct Fit<'a> {
    points: &'a [Point],
    noise: Vec<[f64; 2]>,
}

/// Segments and knees of `points`, which must ascend by size. `round_trip` says that times are
/// there and back. `None` for fewer than six sizes.
pub fn fit(points: &[Point], round_trip: bool) -> Option<Sweep> {
    if points.len() < 2 * SIZES_LEAST {
        return None;
    }
    let fit = Fit::new(points);
    let cuts = fit.cuts();
    let segments: Vec<Segment> =
        cuts.windows(2).map(|cut| fit.segment(cut[0], cut[1], round_trip)).collect();
    let knees: Vec<Knee> = cuts.windows(3).map(|cut| fit.knee(cut[0], cut[1], cut[2])).collect();
    let mut noises: Vec<f64> = fit.noise.iter().map(|noise| noise[0]).collect();
    noises.sort_by(f64::total_cmp);
    let packets = packets::packets(&knees);
    Some(Sweep { round_trip, noise: noises[noises.len() / 2], segments, knees, packets })
}

impl Fit<'_> {
    fn new(points: &[Point]) -> Fit<'_> {
        Fit { points, noise: point::noise(points) }
    }

    fn add(&self, sums: &mut [Sums; 2], at: usize) {
        let point = &self.points[at];
        for (which, sums) in sums.iter_mut().enumerate() {
            let value = point.values[which].max(1.0);
            sums.add(point.bytes as f64, value, value * self.noise[at][which]);
        }
    }

    /// Misfit of the segments that begin at a point and grow by one after the other, for each with
    /// as many as a segment has at least.
    fn growing<I: Iterator<Item = usize>>(&self, points: I) -> impl Iterator<Item = (usize, f64)> {
        let mut sums = [Sums::default(); 2];
        points.zip(1..).filter_map(move |(at, points)| {
            self.add(&mut sums, at);
            let misfit = || sums.iter().map(|sums| sums.line().misfit).sum();
            (points >= SIZES_LEAST).then(|| (at, misfit()))
        })
    }

    fn cost(&self, from: usize, to: usize) -> f64 {
        self.lines(from, to).iter().map(|line| line.misfit).sum()
    }

    fn price(&self) -> f64 {
        PARAMETERS * (self.points.len() as f64).ln()
    }

    /// Where the best segments begin, and the end. Misfits are not kept: of 10,000 sizes they would
    /// take a gigabyte.
    fn cuts(&self) -> Vec<usize> {
        let n = self.points.len();
        let (mut best, mut came) = (vec![f64::INFINITY; n + 1], vec![0; n + 1]);
        best[0] = -self.price();
        for from in 0..n {
            if best[from] == f64::INFINITY {
                continue;
            }
            for (last, misfit) in self.growing(from..n) {
                let cost = best[from] + misfit + self.price();
                if cost < best[last + 1] {
                    (best[last + 1], came[last + 1]) = (cost, from);
                }
            }
        }
        let mut cuts = vec![n];
        while let Some(&to) = cuts.last().filter(|to| **to > 0) {
            cuts.push(came[to]);
        }
        cuts.reverse();
        cuts
    }

    fn lines(&self, from: usize, to: usize) -> [Line; 2] {
        let mut sums = [Sums::default(); 2];
        (from..to).for_each(|at| self.add(&mut sums, at));
        sums.map(|sums| sums.line())
    }

    /// By how much deviations are larger than the noise says, where points lie farther off their
    /// line.
    fn excess(&self, line: &Line, points: usize) -> f64 {
        (line.misfit / points.saturating_sub(2).max(1) as f64).max(1.0).sqrt()
    }

    fn segment(&self, from: usize, to: usize, round_trip: bool) -> Segment {
        let [median, high] = self.lines(from, to);
        let sure = SURE * self.excess(&median, to - from);
        let ways = if round_trip { 2.0 } else { 1.0 };
        let about = |value: f64, deviation: f64| {
            (value / ways, (value - sure * deviation) / ways, (value + sure * deviation) / ways)
        };
        // LogGP's k bytes take L + 2o + (k − 1)G.
        let (latency, gap) = (
            about(median.at(1.0), median.deviation_at(1.0)),
            about(median.slope, median.slope_deviation()),
        );
        let (latency_ns, gap_ns) = parameters(to - from, latency, gap);
        Segment {
            from_bytes: self.points[from].bytes,
            to_bytes: self.points[to - 1].bytes,
            sizes: (to - from) as u32,
            base_ns: median.base,
            slope_ns: median.slope,
            base_p99_ns: high.base,
            slope_p99_ns: high.slope,
            latency_ns,
            gap_ns,
        }
    }

    /// Where a cut between the two makes two segments of no more than this misfit.
    fn places(&self, from: usize, to: usize, misfit: f64) -> Vec<usize> {
        let before: BTreeMap<usize, f64> =
            self.growing(from..to).map(|(last, misfit)| (last + 1, misfit)).collect();
        let after = self.growing((from..to).rev());
        let whole = after.filter_map(|(place, after)| Some((place, before.get(&place)? + after)));
        let mut near: Vec<usize> =
            whole.filter(|(_, both)| *both <= misfit).map(|(place, _)| place).collect();
        near.reverse();
        near
    }

    /// The knee at `at` between the segments from `from` and up to `to`.
    fn knee(&self, from: usize, at: usize, to: usize) -> Knee {
        let here = self.cost(from, at) + self.cost(at, to);
        let near = self.places(from, to, here + WORSE);
        let first = near.first().copied().unwrap_or(at);
        let last = near.last().copied().unwrap_or(at);
        let middle = (self.points[at - 1].bytes + self.points[at].bytes) as f64 / 2.0;
        let ([before, _], [after, _]) = (self.lines(from, at), self.lines(at, to));
        let excess = self.excess(&before, at - from).max(self.excess(&after, to - at));
        let jump = after.at(middle) - before.at(middle);
        let sure = SURE * excess * before.deviation_at(middle).hypot(after.deviation_at(middle));
        Knee {
            before_bytes: self.points[first - 1].bytes,
            after_bytes: self.points[last].bytes,
            jump_ns: (jump, jump - sure, jump + sure),
            jump: jump / before.at(middle).max(1.0),
            slopes_ns: (before.slope, after.slope),
            gain: self.cost(from, to) - here - self.price(),
        }
    }
}

/// A value with both ends of its interval.
type Estimate = (f64, f64, f64);

/// What a line through so many sizes says of `L + 2o` and of `G`: neither can be negative.
fn parameters(sizes: usize, latency: Estimate, gap: Estimate) -> (Parameter, Parameter) {
    let neither = |why| (Parameter::Unknown(why), Parameter::Unknown(why));
    if sizes < FITTED_LEAST {
        return neither(NoFit::TooFewSizes);
    }
    if gap.2 < 0.0 {
        return neither(NoFit::Falls);
    }
    let known = |(value, low, high): Estimate| match (low > 0.0, high > 0.0) {
        (true, _) => Parameter::Known(value, low, high),
        (false, true) => Parameter::AtMost(high),
        (false, false) => Parameter::Unknown(NoFit::BelowZero),
    };
    (known(latency), known(gap))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_of_thousands_can_be_fitted() {
        // Packets of 1,448 bytes with a header of 44: a step of 60 µs for each further one.
        let packets = |bytes: u64| (bytes + 44).div_ceil(1448);
        let time = |bytes: u64| 20_000 + 3 * bytes + 60_000 * packets(bytes);
        let sizes = (1..=1500).map(|integers| 4 * integers);
        let sweep = fit(&points(&sizes.map(|b| (b, time(b) as f64)).collect::<Vec<_>>()), true);
        let packets = sweep.and_then(|sweep| sweep.packets).expect("steps at equal distances");
        assert_eq!(packets.steps, 4);
        let (low, high) = packets.payload_interval;
        assert!(low <= 1448.0 && 1448.0 <= high && high - low < 8.0, "{packets:?}");
    }

    fn points(times: &[(u64, f64)]) -> Vec<Point> {
        let point = |&(bytes, ns): &(u64, f64)| Point {
            bytes,
            values: [ns, 1.1 * ns],
            visits: [0.998, 1.0, 1.002].map(|off| [off * ns, 1.1 * off * ns]).to_vec(),
        };
        times.iter().map(point).collect()
    }

    #[test]
    fn three_falling_points_are_a_segment_and_no_fit() {
        // A straight stretch, then three sizes whose time falls: as a line, 430 µs at one byte.
        let rising = (1..12).map(|step| (step * 4096, 20_000.0 + 2.0 * (step * 4096) as f64));
        let falling = [(53_248, 260_000.0), (57_344, 234_000.0), (61_440, 208_000.0)];
        let sweep =
            fit(&points(&rising.chain(falling).collect::<Vec<_>>()), true).expect("enough sizes");
        let [first, .., last] = &sweep.segments[..] else { panic!("{sweep:?}") };
        assert_eq!(
            (last.sizes, last.latency_ns, last.gap_ns),
            (3, Parameter::Unknown(NoFit::TooFewSizes), Parameter::Unknown(NoFit::TooFewSizes))
        );
        let Parameter::Known(gap, low, high) = first.gap_ns else { panic!("{first:?}") };
        assert!((gap - 1.0).abs() < 0.05 && low < gap && gap < high, "{first:?}");
        let Parameter::Known(latency, ..) = first.latency_ns else { panic!("{first:?}") };
        assert!((latency - 10_000.0).abs() < 500.0, "{first:?}");
    }

    #[test]
    fn what_no_network_does_is_not_known() {
        let unknown = |why| Parameter::Unknown(why);
        let falls = parameters(9, (212e3, 200e3, 220e3), (-3.1, -3.3, -2.9));
        assert_eq!(falls, (unknown(NoFit::Falls), unknown(NoFit::Falls)));
        let flat = parameters(9, (5e3, 4e3, 6e3), (-0.01, -0.03, 0.01));
        assert_eq!(flat, (Parameter::Known(5e3, 4e3, 6e3), Parameter::AtMost(0.01)));
        let below = parameters(9, (-5e3, -6e3, -4e3), (1.0, 0.9, 1.1));
        assert_eq!(below, (unknown(NoFit::BelowZero), Parameter::Known(1.0, 0.9, 1.1)));
    }
}
