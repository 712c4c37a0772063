//! One launch's figures: its quantiles, its mean, and how surely it knows them.
//!
//! Clocks move in steps, so that medians of quick messages hop by whole steps, and a change of a
//! tenth of a step can look like one of a whole. A quantile here is the mid-quantile (Ma, Genton &
//! Parzen 2011): equal values are spread evenly to half-way between their neighbours, which moves
//! as smoothly as the parts of the messages on each step do.

use rand::RngExt;
use rand_pcg::Pcg64Mcg;

use crate::blocks::Block;
use crate::distribution::BlockDistribution;

use super::Figure;

/// Resamples of a launch's blocks.
const RESAMPLES: usize = 100;
/// Blocks with messages, fewer than which say nothing of a launch's own noise.
const BLOCKS_LEAST: usize = 10;
/// Values that must lie beyond a quantile, on either side, for it to mean something.
const BEYOND: f64 = 10.0;

/// A stage of one launch.
pub(crate) struct Launch {
    /// Values, ascending.
    places: Vec<f64>,
    /// By value, then by block: messages up to it.
    cumulated: Vec<u32>,
    /// By block: messages and the sum of their times.
    sums: Vec<(f64, f64)>,
}

impl Launch {
    /// Stage `stage` of the launch with these blocks.
    pub fn of(blocks: &[Block], stage: usize) -> Launch {
        let blocks: Vec<&BlockDistribution> = blocks.iter().map(|block| &block[stage]).collect();
        let mut union = BlockDistribution::default();
        blocks.iter().for_each(|block| union.merge(block));
        let counters: Vec<_> = union.counters().collect();
        let width = blocks.len();
        let mut cumulated = vec![0_u32; counters.len() * width];
        for (at, block) in blocks.iter().enumerate() {
            for counter in block.counters() {
                let row = counters.partition_point(|other| other.high < counter.low);
                cumulated[row * width + at] += u32::try_from(counter.count).unwrap_or(u32::MAX);
            }
        }
        for at in width..cumulated.len() {
            cumulated[at] = cumulated[at].saturating_add(cumulated[at - width]);
        }
        let sum = |block: &&BlockDistribution| (block.count() as f64, block.moments().sum as f64);
        Launch {
            places: counters
                .iter()
                .map(|counter| (counter.low as f64 + counter.high as f64) / 2.0)
                .collect(),
            cumulated,
            sums: blocks.iter().map(sum).collect(),
        }
    }

    pub fn count(&self) -> f64 {
        self.sums.iter().map(|(count, _)| count).sum()
    }

    /// Whether there are messages enough for `figure`.
    pub fn supports(&self, figure: Figure) -> bool {
        match figure {
            Figure::Mean => self.count() >= BEYOND,
            // A little less than 10, since 1 − p is not exact.
            Figure::Quantile(p) => {
                self.count() > 0.0 && p.min(1.0 - p) * self.count() >= BEYOND - 1e-6
            }
        }
    }

    /// The figure.
    pub fn figure(&self, figure: Figure) -> Option<f64> {
        self.weighted(figure, &vec![1; self.sums.len()])
    }

    /// Variance of the figure, taken as `scale` says, by resampling the launch's blocks; `None`
    /// with too few blocks.
    pub fn noise(
        &self,
        figure: Figure,
        scale: fn(f64) -> f64,
        random: &mut Pcg64Mcg,
    ) -> Option<f64> {
        let blocks = self.sums.len();
        if self.sums.iter().filter(|(count, _)| *count > 0.0).count() < BLOCKS_LEAST {
            return None;
        }
        let mut values = Vec::with_capacity(RESAMPLES);
        let mut weights = vec![0_u32; blocks];
        for _ in 0..RESAMPLES {
            weights.fill(0);
            (0..blocks).for_each(|_| weights[random.random_range(0..blocks)] += 1);
            values.extend(
                self.weighted(figure, &weights).map(scale).filter(|value| value.is_finite()),
            );
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        (n > 1.0)
            .then(|| values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0))
    }

    /// Part of the messages from `from` to `to`.
    pub fn part_within(&self, from: f64, to: f64) -> f64 {
        self.within(from, to).map(|(_, count)| count).sum::<f64>() / self.count()
    }

    /// The values from `from` to `to`, each with its messages.
    pub fn within(&self, from: f64, to: f64) -> impl Iterator<Item = (f64, f64)> + '_ {
        let first = self.places.partition_point(|place| *place < from);
        let end = self.places.partition_point(|place| *place <= to).max(first);
        let width = self.sums.len();
        let up_to = move |value: usize| {
            let row = &self.cumulated[value * width..(value + 1) * width];
            row.iter().map(|count| u64::from(*count)).sum::<u64>() as f64
        };
        let mut before = first.checked_sub(1).map_or(0.0, up_to);
        (first..end).map(move |value| {
            let until = up_to(value);
            (self.places[value], until - std::mem::replace(&mut before, until))
        })
    }

    fn weighted(&self, figure: Figure, weights: &[u32]) -> Option<f64> {
        let total = self.before(self.places.len(), weights);
        if total <= 0.0 {
            return None;
        }
        Some(match figure {
            Figure::Quantile(p) => self.at(p * total, weights),
            Figure::Mean => {
                let sums = self.sums.iter().zip(weights);
                sums.map(|((_, sum), &weight)| sum * f64::from(weight)).sum::<f64>() / total
            }
        })
    }

    /// The value at which half of the messages on it and all before it are `rank`, interpolated.
    fn at(&self, rank: f64, weights: &[u32]) -> f64 {
        let middle =
            |value: usize| (self.before(value, weights) + self.before(value + 1, weights)) / 2.0;
        let (mut from, mut to) = (0, self.places.len());
        while from < to {
            let probe = (from + to) / 2;
            if middle(probe) < rank { from = probe + 1 } else { to = probe }
        }
        let Some(before) = from.checked_sub(1) else { return self.places[0] };
        let Some(&place) = self.places.get(from) else { return self.places[before] };
        let (low, high) = (middle(before), middle(from));
        let part = if high > low { (rank - low) / (high - low) } else { 1.0 };
        self.places[before] + part * (place - self.places[before])
    }

    /// Weighted messages before value number `value`.
    fn before(&self, value: usize, weights: &[u32]) -> f64 {
        let Some(last) = value.checked_sub(1) else { return 0.0 };
        let row = &self.cumulated[last * self.sums.len()..(last + 1) * self.sums.len()];
        row.iter()
            .zip(weights)
            .map(|(&count, &weight)| u64::from(count) * u64::from(weight))
            .sum::<u64>() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    fn launch(blocks: &[&[i64]]) -> Launch {
        let block = |times: &&[i64]| {
            let mut block = Block::default();
            times.iter().for_each(|time| block[0].add(*time));
            block
        };
        Launch::of(&blocks.iter().map(block).collect::<Vec<_>>(), 0)
    }

    #[test]
    fn a_quantile_moves_smoothly_between_the_clocks_steps() {
        let share = |high: usize| {
            let times: Vec<i64> = (0..100).map(|at| if at < high { 110 } else { 100 }).collect();
            launch(&[&times]).figure(Figure::Quantile(0.5)).unwrap()
        };
        assert_eq!(share(50), 105.0);
        let steps: Vec<f64> = (40..60).map(share).collect();
        let jumps = steps.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(jumps.clone().all(|jump| (0.0..1.0).contains(&jump)), "{steps:?}");
    }

    #[test]
    fn a_region_has_its_part_and_its_values() {
        let launch = launch(&[&[10, 20, 30, 100, 101, 102], &[101, 104]]);
        assert_eq!(launch.part_within(90.0, 110.0), 5.0 / 8.0);
        let values: Vec<(f64, f64)> = launch.within(15.0, 101.4).collect();
        assert_eq!(values, [(20.0, 1.0), (30.0, 1.0), (100.0, 1.0), (101.0, 2.0)]);
        assert_eq!((launch.part_within(40.0, 60.0), launch.part_within(60.0, 40.0)), (0.0, 0.0));
    }

    #[test]
    fn noise_is_that_of_the_mean_of_blocks() {
        // Block means 0 and 1000 in turn, of fifty: the mean's deviation is about 500 / √50 = 71.
        let blocks: Vec<Vec<i64>> =
            (0..50).map(|at| vec![if at % 2 == 0 { 0 } else { 1000 }; 10]).collect();
        let blocks: Vec<&[i64]> = blocks.iter().map(Vec::as_slice).collect();
        let launch = launch(&blocks);
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let noise = launch.noise(Figure::Mean, |value| value, &mut random).unwrap();
        assert!((55.0..90.0).contains(&noise.sqrt()), "{}", noise.sqrt());
        assert_eq!(
            self::launch(&[&[1, 2, 3]]).noise(Figure::Mean, |value| value, &mut random),
            None
        );
    }

    #[test]
    fn a_quantile_needs_ten_messages_beyond() {
        let times: Vec<i64> = (0..1000).collect();
        let launch = launch(&[&times]);
        assert!(
            launch.supports(Figure::Quantile(0.99)) && !launch.supports(Figure::Quantile(0.999))
        );
        assert!((launch.figure(Figure::Quantile(0.25)).unwrap() - 249.5).abs() < 1.5);
    }
}
