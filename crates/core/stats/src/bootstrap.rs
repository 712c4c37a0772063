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
//! A resample is a weight per block. A quantile of the weighted blocks is found by bisecting over
//! their cumulated counters, one row of blocks a probe, which is why a thousand resamples take
//! milliseconds.

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
        let whole = cumulated.quantiles(&vec![1; all.len()], ps)?;
        let mut drawn: Vec<Vec<f64>> = vec![Vec::with_capacity(self.weights.len()); ps.len()];
        for quantiles in self.weights.iter().filter_map(|weights| cumulated.quantiles(weights, ps))
        {
            drawn.iter_mut().zip(quantiles).for_each(|(drawn, value)| drawn.push(value));
        }
        Some(drawn.iter_mut().zip(whole).map(|(drawn, whole)| interval(drawn, whole)).collect())
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

    /// Quantiles at `ps` of the weighted blocks, interpolated within counters; `None` when the
    /// weights leave nothing.
    fn quantiles(&self, weights: &[u32], ps: &[f64]) -> Option<Vec<f64>> {
        let last = self.counters.len().checked_sub(1)?;
        let total = self.up_to(last, weights);
        (total > 0).then(|| ps.iter().map(|&p| self.at_rank(p * total as f64, weights)).collect())
    }

    fn at_rank(&self, rank: f64, weights: &[u32]) -> f64 {
        let (mut from, mut to) = (0, self.counters.len() - 1);
        while from < to {
            let middle = (from + to) / 2;
            if self.up_to(middle, weights) as f64 >= rank {
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        let before = if from == 0 { 0.0 } else { self.up_to(from - 1, weights) as f64 };
        let inside = self.up_to(from, weights) as f64 - before;
        let Counted { low, high, .. } = self.counters[from];
        let part = if inside > 0.0 { ((rank - before) / inside).clamp(0.0, 1.0) } else { 0.0 };
        low as f64 + part * (high as f64 - low as f64)
    }

    /// Weighted values up to a counter.
    fn up_to(&self, counter: usize, weights: &[u32]) -> u64 {
        let row = &self.cumulated[counter * self.blocks..(counter + 1) * self.blocks];
        row.iter().zip(weights).map(|(&count, &weight)| u64::from(count) * u64::from(weight)).sum()
    }
}
