//! The distribution of a set of times, counted as they come.
//!
//! What it keeps exactly: count, extremes, sum, sum of squares, and every value below 2^EXACT ns.
//! Above that, values share counters log-linearly (see [`grain`](crate::grain)). Negative values,
//! which clocks that disagree make, are counted on a mirrored side. Nothing is clamped. Merging is
//! exact: any order and grouping of the same values ends in the same counters.

use crate::grain;
use crate::moments::Moments;
use crate::pages::Pages;
use crate::tally::{self, Tally};

/// A streaming distribution of `i64` nanoseconds: exact below `2^EXACT`, with a relative resolution
/// of `2^-SUB` above.
#[derive(Clone, Debug, Default)]
pub struct LogLinear<const EXACT: u32, const SUB: u32> {
    moments: Moments,
    positive: Pages,
    negative: Pages,
}

/// What a run's stages are counted in: exact to the nanosecond below 65,536 ns, to 2^-12 above.
pub type Distribution = LogLinear<16, 12>;

/// What groups of messages are counted in: 2^-9, so that a reported value is within 0.1 % of a true
/// one.
pub type GroupDistribution = LogLinear<9, 9>;

/// What blocks of messages and slices of the timeline are counted in: 2^-7, interpolated within.
pub(crate) type BlockDistribution = LogLinear<7, 7>;

/// Values that share a counter: both ends inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Smallest value that the counter takes.
    pub low: i64,
    /// Largest.
    pub high: i64,
    /// How many values it took.
    pub count: u64,
}

impl<const EXACT: u32, const SUB: u32> LogLinear<EXACT, SUB> {
    /// Count one value. For many values [`add_slice`](Self::add_slice) is several times as fast.
    pub fn add(&mut self, value: i64) {
        self.add_times(value, 1);
    }

    /// Count `value` `times` over.
    pub fn add_times(&mut self, value: i64, times: u64) {
        if times > 0 {
            self.moments.add_times(value, times);
            self.side(value).add(grain::index::<EXACT, SUB>(value.unsigned_abs()), times);
        }
    }

    /// Count each of `values`.
    pub fn add_slice(&mut self, values: &[i64]) {
        self.add_known(values, &Moments::of(values));
    }

    /// Count each of `values`, whose figures are known already.
    pub(crate) fn add_known(&mut self, values: &[i64], moments: &Moments) {
        self.moments.merge(moments);
        if moments.min >= 0 {
            values.iter().for_each(|&v| self.positive.bump(grain::index::<EXACT, SUB>(v as u64)));
        } else {
            values
                .iter()
                .for_each(|&v| self.side(v).bump(grain::index::<EXACT, SUB>(v.unsigned_abs())));
        }
    }

    /// Count what `tally` counted. Its counters nest in these, so nothing is lost beyond this
    /// resolution.
    pub(crate) fn add_tally(&mut self, tally: &Tally) {
        const { assert!(SUB <= tally::SUB && EXACT <= tally::SUB, "a tally is no finer") };
        self.moments.merge(tally.moments());
        for &(index, count) in tally.bins() {
            let same = EXACT == tally::SUB && SUB == tally::SUB;
            let index = if same {
                usize::from(index)
            } else {
                grain::index::<EXACT, SUB>(tally::low(index))
            };
            self.positive.add_few(index, count);
        }
        for value in tally.negatives() {
            self.negative.bump(grain::index::<EXACT, SUB>(value.unsigned_abs()));
        }
    }

    /// Count all that `other` counted.
    pub fn merge(&mut self, other: &Self) {
        self.moments.merge(&other.moments);
        self.positive.merge(&other.positive);
        self.negative.merge(&other.negative);
    }

    /// Count, extremes, sum and spread, all exact.
    pub fn moments(&self) -> &Moments {
        &self.moments
    }

    /// How many values were counted.
    pub fn count(&self) -> u64 {
        self.moments.count
    }

    /// The counters above 0, by ascending value; the outermost reach no further than the values
    /// did.
    pub fn counters(&self) -> impl Iterator<Item = Counted> + '_ {
        let (min, max) = (self.moments.min, self.moments.max);
        self.whole_counters().map(move |c| Counted {
            low: c.low.max(min),
            high: c.high.min(max),
            count: c.count,
        })
    }

    /// The same with all that a counter takes: equal for whatever was counted.
    pub(crate) fn whole_counters(&self) -> impl Iterator<Item = Counted> + '_ {
        let below = self.negative.iter().rev().map(|(index, count)| Counted {
            low: negated(grain::high::<EXACT, SUB>(index).min(1 << 63)),
            high: negated(grain::low::<EXACT, SUB>(index)),
            count,
        });
        let above = self.positive.iter().map(|(index, count)| Counted {
            low: grain::low::<EXACT, SUB>(index) as i64,
            high: grain::high::<EXACT, SUB>(index) as i64,
            count,
        });
        below.chain(above)
    }

    /// The smallest value `v` with F(v) ≥ `p`, F being the part of the values that are at most `v`.
    /// Where values share a counter, the middle of the counter; the smallest and the largest value
    /// are always exact. `None` when empty.
    pub fn quantile(&self, p: f64) -> Option<i64> {
        self.quantiles(&[p]).first().copied()
    }

    /// The quantiles at each of `ps`, which must ascend; empty when there are no values. One pass
    /// over the counters.
    pub fn quantiles(&self, ps: &[f64]) -> Vec<i64> {
        let n = self.count();
        if n == 0 {
            return Vec::new();
        }
        let mut counters = self.counters();
        let (mut passed, mut value) = (0, self.moments.min);
        let mut found = Vec::with_capacity(ps.len());
        for rank in ps.iter().map(|&p| rank(p, n)) {
            while passed < rank {
                let Some(counter) = counters.next() else { break };
                passed += counter.count;
                value = counter.middle();
            }
            found.push(match rank {
                1 => self.moments.min,
                rank if rank == n => self.moments.max,
                _ => value,
            });
        }
        found
    }

    /// How many values `v` have `from ≤ v < to`. A counter that straddles an end belongs where its
    /// middle lies.
    pub fn count_in(&self, from: i64, to: i64) -> u64 {
        self.counters().filter(|c| from <= c.middle() && c.middle() < to).map(|c| c.count).sum()
    }

    /// How many values share a counter with `value`; 1 where values are exact.
    pub(crate) fn width_at(value: i64) -> u64 {
        grain::width::<EXACT, SUB>(value.unsigned_abs())
    }

    #[inline(always)]
    fn side(&mut self, value: i64) -> &mut Pages {
        if value < 0 { &mut self.negative } else { &mut self.positive }
    }
}

impl Counted {
    /// The value that stands for all of the counter.
    pub fn middle(&self) -> i64 {
        self.low + (self.high - self.low) / 2
    }
}

/// The smallest k with k/n ≥ p, from 1 to n.
pub(crate) fn rank(p: f64, n: u64) -> u64 {
    let above = (p * n as f64).ceil() as u64;
    // The product may be rounded up past a whole number: 0.07 · 100 is 7.000000000000001.
    let exact = above.saturating_sub(1);
    let rank = if exact as f64 / n as f64 >= p { exact } else { above };
    rank.clamp(1, n)
}

/// `−magnitude`, for magnitudes up to 2^63.
fn negated(magnitude: u64) -> i64 {
    (magnitude as i64).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_time() -> impl Strategy<Value = i64> {
        prop_oneof![
            5 => 0..70_000_i64,
            3 => 65_000..100_000_000_i64,
            2 => -5_000_000..0_i64,
            1 => any::<i64>(),
            1 => prop::sample::select(&[i64::MIN, i64::MAX, 0, -1, 65_535, 65_536]),
        ]
    }

    fn percent() -> impl Strategy<Value = f64> {
        (0..=100_u32).prop_map(|c| f64::from(c) / 100.0)
    }

    fn counted(values: &[i64]) -> Distribution {
        let mut distribution = Distribution::default();
        distribution.add_slice(values);
        distribution
    }

    /// The definition, on sorted values.
    fn oracle(sorted: &[i64], p: f64) -> i64 {
        let n = sorted.len();
        let at = (1..=n).find(|&k| k as f64 / n as f64 >= p).unwrap_or(n);
        sorted[at - 1]
    }

    fn close_to(found: i64, truth: i64, resolution: f64) -> bool {
        if truth.unsigned_abs() < 65_536 {
            found == truth
        } else {
            (found as f64 - truth as f64).abs() <= truth.unsigned_abs() as f64 * resolution
        }
    }

    proptest! {
        #[test]
        fn quantiles_are_those_of_the_sorted_values(
            mut values in prop::collection::vec(any_time(), 1..400),
            ps in prop::collection::vec(prop_oneof![0.0..=1.0_f64, percent()], 1..20),
        ) {
            let distribution = counted(&values);
            values.sort_unstable();
            for p in ps {
                let (found, truth) = (distribution.quantile(p).unwrap(), oracle(&values, p));
                prop_assert!(close_to(found, truth, 2f64.powi(-12)), "p {p}: {found} for {truth}");
            }
            prop_assert_eq!(distribution.moments().min, values[0]);
            prop_assert_eq!(distribution.moments().max, values[values.len() - 1]);
            prop_assert_eq!(
                distribution.moments().sum,
                values.iter().map(|&v| i128::from(v)).sum::<i128>()
            );
        }

        #[test]
        fn merging_in_any_order_counts_the_same(
            parts in prop::collection::vec(prop::collection::vec(any_time(), 0..60), 1..6),
        ) {
            let whole = counted(&parts.concat());
            let mut forward = Distribution::default();
            let mut backward = Distribution::default();
            parts.iter().for_each(|part| forward.merge(&counted(part)));
            parts.iter().rev().for_each(|part| backward.merge(&counted(part)));
            let mut singly = Distribution::default();
            parts.iter().flatten().for_each(|&v| singly.add(v));
            for merged in [forward, backward, singly] {
                prop_assert_eq!(merged.moments(), whole.moments());
                prop_assert!(merged.counters().eq(whole.counters()));
            }
        }

        #[test]
        fn small_values_are_counted_in_ranges_exactly(
            values in prop::collection::vec(-60_000..60_000_i64, 0..300),
            from in -60_000..60_000_i64,
            span in 0..50_000_i64,
        ) {
            let inside = values.iter().filter(|&&v| from <= v && v < from + span).count() as u64;
            prop_assert_eq!(counted(&values).count_in(from, from + span), inside);
        }

        #[test]
        fn a_tally_counts_as_the_values_do(values in prop::collection::vec(any_time(), 0..2000)) {
            let mut tally = Tally::default();
            tally.fill(&values, &mut crate::tally::Scratch::default());
            let (mut by_tally, mut directly) =
                (GroupDistribution::default(), GroupDistribution::default());
            by_tally.add_tally(&tally);
            directly.add_slice(&values);
            prop_assert_eq!(by_tally.moments(), directly.moments());
            prop_assert!(by_tally.counters().eq(directly.counters()));
            let (mut by_tally, mut directly) =
                (BlockDistribution::default(), BlockDistribution::default());
            by_tally.add_tally(&tally);
            directly.add_slice(&values);
            prop_assert!(by_tally.counters().eq(directly.counters()));
        }
    }

    #[test]
    fn an_empty_distribution_has_no_quantile() {
        assert_eq!(Distribution::default().quantile(0.5), None);
        assert_eq!(Distribution::default().counters().count(), 0);
    }

    #[test]
    fn equal_values_have_every_quantile_equal() {
        let distribution = counted(&[1_234_567_891; 1000]);
        for p in [0.0, 0.001, 0.5, 0.999, 1.0] {
            assert_eq!(distribution.quantile(p), Some(1_234_567_891));
        }
    }

    #[test]
    fn rounding_does_not_move_a_rank() {
        for n in [1, 3, 7, 100, 1000, 12_345] {
            for k in 1..=n {
                assert_eq!(rank(k as f64 / n as f64, n), k);
            }
        }
    }
}
