//! Intervals for quantiles by resampling launches, then blocks within each.
//!
//! The launch is the unit of replication and the block the unit of independence (Davison & Hinkley
//! 1997, ch. 3.8; Künsch 1989 for blocks). A resample draws as many launches as there are, with
//! replacement, and from each as many blocks as it has. The interval is that of the resamples' 2.5
//! % and 97.5 % quantiles (percentile method).
//!
//! Below three launches nothing is known of how another would differ, and drawing launches would
//! only pretend it. Each of them is then drawn once, so that the interval is of these launches
//! alone, and whoever shows it says so.
//!
//! Resampling on both levels is on the safe side: with several launches that do not differ,
//! intervals are up to 1.4 times as wide as they need be. On the other side, intervals are too
//! narrow for what the run hardly holds: with three or four launches that differ, for a high
//! quantile that only a rare launch reaches, and for p99 of messages whose correlation lasts for a
//! good part of a block.
//!
//! A resample is a weight per block. A quantile of the weighted blocks is looked for among their
//! cumulated counters, one row of blocks a probe, from where it lies without weights: some six
//! probes, which is why a thousand resamples take milliseconds.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::blocks::{BlockPlan, Blocks};
use crate::distribution::{BlockDistribution, Counted};
use crate::launches::LAUNCHES_LEAST;

/// Blocks with messages, fewer than which support no interval.
pub(crate) const BLOCKS_LEAST: usize = 10;

/// How likely a quantile lies outside its interval, on either side.
const OUTSIDE: f64 = 0.025;

/// Weights of the blocks in each resample; the same for all stages.
pub(crate) struct Resamples {
    weights: Vec<Vec<u32>>,
}

/// Cumulated counters of blocks.
struct Cumulated {
    /// Ascending; their counts are those of no block.
    counters: Vec<Counted>,
    /// By counter, then by block: values in this counter and all before it.
    cumulated: Vec<u32>,
    blocks: usize,
}

impl Resamples {
    /// Draw `count` resamples.
    pub fn draw(plan: &BlockPlan, seed: u64, count: usize) -> Resamples {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let launches = plan.launches();
        let one = |_| {
            let mut weights = vec![0; plan.len()];
            for own in launches {
                let launch = match launches.len() < LAUNCHES_LEAST {
                    true => own,
                    false => &launches[random.random_range(0..launches.len())],
                };
                for _ in 0..launch.count {
                    weights[launch.first + random.random_range(0..launch.count)] += 1;
                }
            }
            weights
        };
        Resamples { weights: (0..count).map(one).collect() }
    }

    /// The resamples: in each, how often every block was drawn.
    pub fn weights(&self) -> &[Vec<u32>] {
        &self.weights
    }

    /// 95 % intervals of the quantiles at `ps` of one stage, each relative to the quantile itself
    /// (so from a value at most 0 to one at least 0). `None` when too few blocks have messages or
    /// there are no resamples.
    pub fn intervals(&self, blocks: &Blocks, stage: usize, ps: &[f64]) -> Option<Vec<(f64, f64)>> {
        let all: Vec<&BlockDistribution> =
            blocks.plan.launches().iter().flat_map(|launch| blocks.stage(launch, stage)).collect();
        let filled = all.iter().filter(|block| block.count() > 0).count();
        if filled < BLOCKS_LEAST || self.weights.is_empty() {
            return None;
        }
        let cumulated = Cumulated::new(&all);
        let anywhere: Vec<(f64, usize)> = ps.iter().map(|&p| (p, 0)).collect();
        let whole = cumulated.quantiles(&vec![1; all.len()], &anywhere)?;
        let near: Vec<(f64, usize)> =
            ps.iter().zip(&whole).map(|(&p, found)| (p, found.at)).collect();
        let mut drawn: Vec<Vec<f64>> = vec![Vec::with_capacity(self.weights.len()); ps.len()];
        for quantiles in self.weights.iter().filter_map(|own| cumulated.quantiles(own, &near)) {
            drawn.iter_mut().zip(quantiles).for_each(|(drawn, found)| drawn.push(found.value));
        }
        let intervals = drawn.iter_mut().zip(whole);
        Some(intervals.map(|(drawn, whole)| interval(drawn, whole.value)).collect())
    }
}

/// Where the middle 95 % of `drawn` lie, relative to `whole`.
pub(crate) fn interval(drawn: &mut [f64], whole: f64) -> (f64, f64) {
    drawn.sort_unstable_by(f64::total_cmp);
    let last = drawn.len() as f64 - 1.0;
    let (Some(low), Some(high)) = (
        drawn.get((last * OUTSIDE).floor() as usize),
        drawn.get((last * (1.0 - OUTSIDE)).ceil() as usize),
    ) else {
        return (0.0, 0.0);
    };
    ((low - whole).min(0.0), (high - whole).max(0.0))
}

impl Cumulated {
    fn new(blocks: &[&BlockDistribution]) -> Cumulated {
        let mut union = BlockDistribution::default();
        blocks.iter().for_each(|block| union.merge(block));
        let counters: Vec<Counted> = union.counters().collect();
        let mut cumulated = vec![0_u32; counters.len() * blocks.len()];
        for (at, block) in blocks.iter().enumerate() {
            for counter in block.counters() {
                let row = counters.partition_point(|other| other.high < counter.low);
                cumulated[row * blocks.len() + at] +=
                    u32::try_from(counter.count).unwrap_or(u32::MAX);
            }
        }
        for at in blocks.len()..cumulated.len() {
            cumulated[at] = cumulated[at].saturating_add(cumulated[at - blocks.len()]);
        }
        Cumulated { counters, cumulated, blocks: blocks.len() }
    }

    /// Quantiles of the weighted blocks, interpolated within counters; `None` when the weights
    /// leave nothing. `wanted` is which, and at which counter to begin to look for each.
    fn quantiles(&self, weights: &[u32], wanted: &[(f64, usize)]) -> Option<Vec<Found>> {
        let last = self.counters.len().checked_sub(1)?;
        let total = self.up_to(last, weights);
        let find = |&(p, near): &(f64, usize)| {
            let rank = p * total as f64;
            let bracket = Bracket { rank, from: 0, to: last, before: 0, up_to: total };
            self.find(bracket, near, weights)
        };
        (total > 0).then(|| wanted.iter().map(find).collect())
    }

    fn find(&self, mut bracket: Bracket, near: usize, weights: &[u32]) -> Found {
        let probe = |bracket: &mut Bracket, at| bracket.learn(at, self.up_to(at, weights));
        // Away from there in growing steps, until it lies between two of them.
        let (mut at, mut step, mut way) = (near, (self.counters.len() / 128).max(1), None);
        while bracket.is_open() {
            at = at.clamp(bracket.from, bracket.to - 1);
            let is_reached = probe(&mut bracket, at);
            if *way.get_or_insert(is_reached) != is_reached {
                break;
            }
            at = if is_reached { at.saturating_sub(step) } else { at + step };
            step *= 2;
        }
        let mut is_even = true;
        while bracket.is_open() {
            let width = bracket.width();
            let at = if is_even { bracket.guess() } else { bracket.middle() };
            probe(&mut bracket, at);
            // Where values lie too unevenly for a guess to halve it, the next one does.
            is_even = !is_even || bracket.width() * 2 <= width;
        }
        let Counted { low, high, .. } = self.counters[bracket.to];
        let value = low as f64 + bracket.part() * (high as f64 - low as f64);
        Found { at: bracket.to, value }
    }

    /// Weighted values up to a counter.
    fn up_to(&self, counter: usize, weights: &[u32]) -> u64 {
        let row = &self.cumulated[counter * self.blocks..(counter + 1) * self.blocks];
        row.iter().zip(weights).map(|(&count, &weight)| u64::from(count) * u64::from(weight)).sum()
    }
}

/// A quantile, and the counter in which it lies.
struct Found {
    at: usize,
    value: f64,
}

/// Where a rank lies: in the first of the counters `from` to `to` that reaches it.
struct Bracket {
    rank: f64,
    from: usize,
    to: usize,
    /// Values before `from`.
    before: u64,
    /// Values up to the end of `to`.
    up_to: u64,
}

impl Bracket {
    fn is_open(&self) -> bool {
        self.from < self.to
    }

    fn width(&self) -> usize {
        self.to - self.from
    }

    /// Narrow it by how many values lie up to the end of a counter in it, not its last. Returns
    /// whether these reach the rank.
    fn learn(&mut self, at: usize, up_to: u64) -> bool {
        let is_reached = up_to as f64 >= self.rank;
        match is_reached {
            true => (self.to, self.up_to) = (at, up_to),
            false => (self.from, self.before) = (at + 1, up_to),
        }
        is_reached
    }

    /// How far the rank lies between its values, 0 to 1.
    fn part(&self) -> f64 {
        let inside = (self.up_to - self.before) as f64;
        if inside > 0.0 { ((self.rank - self.before as f64) / inside).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Where the rank would lie if the values were spread evenly.
    fn guess(&self) -> usize {
        let at = self.from + (self.part() * self.width() as f64) as usize;
        at.min(self.to - 1)
    }

    fn middle(&self) -> usize {
        (self.from + self.to) / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// As it is defined: the first counter that reaches the rank, looked for from the first on.
    fn slowly(of: &Cumulated, weights: &[u32], p: f64) -> f64 {
        let last = of.counters.len() - 1;
        let rank = p * of.up_to(last, weights) as f64;
        let at = (0..last).find(|at| of.up_to(*at, weights) as f64 >= rank).unwrap_or(last);
        let before = if at == 0 { 0 } else { of.up_to(at - 1, weights) };
        let inside = (of.up_to(at, weights) - before) as f64;
        let part = if inside > 0.0 { (rank - before as f64) / inside } else { 0.0 };
        let Counted { low, high, .. } = of.counters[at];
        low as f64 + part.clamp(0.0, 1.0) * (high as f64 - low as f64)
    }

    proptest! {
        #[test]
        fn a_quantile_is_found_from_wherever_one_begins(
            blocks in proptest::collection::vec(
                proptest::collection::vec((0_u32..22, 0_i64..900), 0..60), 1..8),
            weights in proptest::collection::vec(0_u32..4, 8),
            p in 0.0_f64..=1.0,
            near in 0_usize..500,
        ) {
            let filled = |values: &Vec<(u32, i64)>| {
                let mut block = BlockDistribution::default();
                values.iter().for_each(|(power, more)| block.add((1_i64 << power) + more));
                block
            };
            let blocks: Vec<BlockDistribution> = blocks.iter().map(filled).collect();
            let all = Cumulated::new(&blocks.iter().collect::<Vec<_>>());
            let weights = &weights[..blocks.len()];
            let found = all.quantiles(weights, &[(p, near)]);
            let last = all.counters.len().checked_sub(1);
            let total = last.map_or(0, |last| all.up_to(last, weights));
            prop_assert_eq!(found.is_some(), total > 0);
            for found in found.into_iter().flatten() {
                prop_assert_eq!(found.value, slowly(&all, weights, p));
            }
        }
    }
}
