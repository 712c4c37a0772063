//! Histograms and tail plots, drawn from a distribution's counters.
//!
//! Times are whole nanoseconds and counters have a width, so a bin that took two values where its
//! neighbour takes one would show a comb that is not in the data. Bin edges therefore lie on whole
//! nanoseconds and, where values share counters, between counters.

use crate::analysis::Bin;
use crate::distribution::{Counted, LogLinear};

/// Steps of a tail plot along each axis.
const TAIL_STEPS: f64 = 180.0;
/// Counters at the far end that a tail plot shows one by one.
const TAIL_LAST: usize = 48;

/// Values from `low` to `high` (both inclusive) in at most `bins` bins of equal width; fewer when
/// the range has fewer values. Bins without messages are there too, so that they can be drawn side
/// by side.
pub fn linear<const E: u32, const S: u32>(
    of: &LogLinear<E, S>,
    low: i64,
    high: i64,
    bins: usize,
) -> Vec<Bin> {
    count_between(inside(of, low, high), &linear_edges(low, high, grain(of, low, high), bins))
}

/// The same in bins of equal width on a log scale. Values below 1 ns, which have no logarithm,
/// share the first bin.
pub fn log<const E: u32, const S: u32>(
    of: &LogLinear<E, S>,
    low: i64,
    high: i64,
    bins: usize,
) -> Vec<Bin> {
    count_between(
        inside(of, low, high),
        &log_edges(low, high, bins, |edge| LogLinear::<E, S>::width_at(edge) as i64),
    )
}

/// Edges of at most `bins` bins for all that was counted, of equal width, on a log scale or not;
/// none where nothing was counted.
pub fn edges<const E: u32, const S: u32>(
    of: &LogLinear<E, S>,
    is_log: bool,
    bins: usize,
) -> Vec<i64> {
    let (low, high) = (of.moments().min, of.moments().max);
    match (of.count(), is_log) {
        (0, _) => Vec::new(),
        (_, true) => log_edges(low, high, bins, |edge| LogLinear::<E, S>::width_at(edge) as i64),
        (_, false) => linear_edges(low, high, grain(of, low, high), bins),
    }
}

/// All that was counted, in the bins between these edges.
pub fn between<const E: u32, const S: u32>(of: &LogLinear<E, S>, edges: &[i64]) -> Vec<Bin> {
    count_between(of.counters(), edges)
}

/// Count into bins between successive `edges`. A counter that straddles an edge belongs where its
/// middle lies; what lies outside is not counted. The end of all values, `i64::MAX`, belongs to the
/// last bin.
pub(crate) fn count_between(counters: impl Iterator<Item = Counted>, edges: &[i64]) -> Vec<Bin> {
    let mut bins: Vec<Bin> = edges
        .windows(2)
        .map(|edge| Bin { from: edge[0] as f64, to: edge[1] as f64, count: 0 })
        .collect();
    let mut at = 0;
    for counter in counters {
        let value = counter.middle();
        if edges.first().is_none_or(|&first| value < first) {
            continue;
        }
        while at < bins.len() && value >= edges[at + 1] && edges[at + 1] < i64::MAX {
            at += 1;
        }
        let Some(bin) = bins.get_mut(at) else { break };
        bin.count += counter.count;
    }
    bins
}

/// The counters whose middles lie from `low` to `high`: edges are rounded outwards, and what they
/// take in must not be.
fn inside<const E: u32, const S: u32>(
    of: &LogLinear<E, S>,
    low: i64,
    high: i64,
) -> impl Iterator<Item = Counted> {
    of.counters().filter(move |counter| low <= counter.middle() && counter.middle() <= high)
}

/// Edges of at most `bins` bins on a log scale that hold `low` to `high`, each a multiple of what
/// `width` says of it.
pub(crate) fn log_edges(low: i64, high: i64, bins: usize, width: impl Fn(i64) -> i64) -> Vec<i64> {
    let end = high.saturating_add(1);
    let first = low.max(1);
    let mut edges = if low < 1 { vec![low] } else { Vec::new() };
    let ratio = (end as f64 / first as f64).ln() / bins as f64;
    for step in 0..bins {
        let edge = (first as f64 * (ratio * step as f64).exp()).round() as i64;
        let edge = edge / width(edge) * width(edge);
        if edge < end && edges.last().is_none_or(|&last| edge > last) {
            edges.push(edge);
        }
    }
    edges.push(end);
    edges
}

/// Part of the values above each of some 400 values: dense where the plot bends on log scales, and
/// each of the last few dozen counters. The last point is the largest value, with nothing above it.
pub fn tail<const E: u32, const S: u32>(of: &LogLinear<E, S>) -> Vec<(f64, f64)> {
    let counters: Vec<Counted> = of.counters().collect();
    let n = of.count() as f64;
    let (min, max) = (of.moments().min, of.moments().max);
    let value_step = ((max.max(1) as f64).ln() - (min.max(1) as f64).ln()) / TAIL_STEPS;
    let part_step = n.ln() / TAIL_STEPS;
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut passed = 0;
    for (at, counter) in counters.iter().enumerate() {
        passed += counter.count;
        let value = if at + 1 == counters.len() { max } else { counter.middle() } as f64;
        let part = (of.count() - passed) as f64 / n;
        let stepped = points.last().is_none_or(|&(last_value, last_part)| {
            value.max(1.0).ln() - last_value.max(1.0).ln() >= value_step
                || last_part.ln() - part.ln() >= part_step
        });
        if stepped || at + TAIL_LAST >= counters.len() {
            points.push((value, part));
        }
    }
    points
}

/// The widest counter between `low` and `high`.
fn grain<const E: u32, const S: u32>(_of: &LogLinear<E, S>, low: i64, high: i64) -> i128 {
    i128::from(LogLinear::<E, S>::width_at(low).max(LogLinear::<E, S>::width_at(high)))
}

/// Edges a whole number of `grain` apart. In 128 bits, since the range of all values is as wide as
/// 2^64.
fn linear_edges(low: i64, high: i64, grain: i128, bins: usize) -> Vec<i64> {
    let (first, end) = (i128::from(low).div_euclid(grain) * grain, i128::from(high) + 1);
    let grains = (end - first + grain - 1) / grain;
    let width = (grains + bins as i128 - 1) / bins as i128 * grain;
    let count = (end - first + width - 1) / width;
    (0..=count)
        .map(|step| (first + step * width).clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::Distribution;
    use proptest::prelude::*;

    fn counted(values: &[i64]) -> Distribution {
        let mut distribution = Distribution::default();
        distribution.add_slice(values);
        distribution
    }

    fn naive(values: &[i64], bin: &Bin) -> u64 {
        values.iter().filter(|&&v| bin.from <= v as f64 && (v as f64) < bin.to).count() as u64
    }

    proptest! {
        #[test]
        fn bins_hold_what_lies_between_their_edges(
            values in prop::collection::vec(-300..65_536_i64, 1..300),
            bins in 1..120_usize,
        ) {
            let distribution = counted(&values);
            let (low, high) = (distribution.moments().min, distribution.moments().max);
            for drawn in
                [linear(&distribution, low, high, bins), log(&distribution, low, high, bins)]
            {
                prop_assert!(drawn.len() <= bins + 1, "{} bins", drawn.len());
                prop_assert!(
                    drawn
                        .windows(2)
                        .all(|pair| pair[0].to == pair[1].from && pair[0].from < pair[0].to)
                );
                for bin in &drawn {
                    prop_assert_eq!(bin.count, naive(&values, bin));
                }
                prop_assert_eq!(
                    drawn.iter().map(|bin| bin.count).sum::<u64>(),
                    values.len() as u64
                );
            }
        }

        #[test]
        fn no_value_is_lost_whatever_the_range(
            values in prop::collection::vec(any::<i64>(), 1..50),
            shift in 0..63_u32,
        ) {
            let values: Vec<i64> = values.iter().map(|v| v >> shift).collect();
            let distribution = counted(&values);
            let (low, high) = (distribution.moments().min, distribution.moments().max);
            for drawn in [linear(&distribution, low, high, 100), log(&distribution, low, high, 100)]
            {
                let inside = drawn.iter().map(|bin| bin.count).sum::<u64>();
                prop_assert_eq!(inside, values.len() as u64);
            }
        }

        #[test]
        fn a_tail_falls_and_is_true(values in prop::collection::vec(-5..60_000_i64, 1..800)) {
            let points = tail(&counted(&values));
            prop_assert!(points.len() < 450);
            prop_assert!(
                points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 > pair[1].1)
            );
            for &(value, part) in &points {
                let above = values.iter().filter(|&&v| v as f64 > value).count() as f64
                    / values.len() as f64;
                prop_assert!((above - part).abs() < 1e-12, "above {value}: {part}, truly {above}");
            }
            prop_assert_eq!(points[points.len() - 1].1, 0.0);
        }
    }

    #[test]
    fn an_even_spread_shows_no_comb() {
        for first in [1_i64, 50_000, 200_000, 10_000_000] {
            let values: Vec<i64> = (first..first + 150_000).collect();
            let drawn = linear(&counted(&values), first, first + 149_999, 100);
            let inner = &drawn[1..drawn.len() - 1];
            let (least, most) =
                (inner.iter().map(|b| b.count).min(), inner.iter().map(|b| b.count).max());
            assert_eq!(least, most, "from {first}");
        }
    }
}
