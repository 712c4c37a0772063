//! Where the time of slow and of fast messages went.
//!
//! Messages with all four stamps are gathered by end-to-end time in bins of 2^-7; each bin sums
//! stages B, C and D. Cutting at a quantile that falls inside a bin splits the bin in proportion,
//! which is exact in counts and off by at most the spread inside that bin in times.

use crate::analysis::{Finding, PARTS, Share};
use crate::grain;

/// Relative resolution of the bins: 2^-SUB.
const SUB: u32 = 7;
/// Enough for every counter of a non-negative `i64`, rounded up so that masking replaces a bounds
/// check.
const SIZE: usize = 1 << 13;
/// End-to-end times below zero, which clocks that disagree make, share one bin before all others.
const NEGATIVE: usize = SIZE - 1;
const _: () = assert!(grain::index::<SUB, SUB>(i64::MAX as u64) < NEGATIVE);

/// Quantiles between which shares are told apart.
const CUTS: [f64; 14] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0];

/// The slowest part of the messages, and the least number of them, that a finding calls the tail.
const TAIL_PART: f64 = 0.001;
const TAIL_LEAST: f64 = 10.0;

/// Sums of stages by end-to-end time.
#[derive(Clone, Debug)]
pub(crate) struct Shares {
    bins: Box<[Sums; SIZE]>,
    /// Messages of which B, C or D is larger than each of the others.
    largest: [u64; 3],
    /// Messages of which B, C or D is more than half.
    halves: [u64; 3],
}

/// Messages and their time in stages B, C, D. Sums in `f64` are exact up to 2^53 ns, a hundred
/// days.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: f64,
    stages: [f64; 3],
}

impl Default for Shares {
    fn default() -> Shares {
        Shares { bins: Box::new([Sums::default(); SIZE]), largest: [0; 3], halves: [0; 3] }
    }
}

impl Shares {
    /// Take in messages, given stages A, B, C, D of each; those that lack one have been left out.
    pub fn add(&mut self, [a, b, c, d]: [&[i64]; 4]) {
        let (mut largest, mut halves) = ([0_u64; 3], [0_u64; 3]);
        for (((&a, &b), &c), &d) in a.iter().zip(b).zip(c).zip(d) {
            let slot =
                if a < 0 { NEGATIVE } else { grain::index::<SUB, SUB>(a as u64) & (SIZE - 1) };
            let bin = &mut self.bins[slot];
            bin.count += 1.0;
            bin.stages[0] += b as f64;
            bin.stages[1] += c as f64;
            bin.stages[2] += d as f64;
            largest[0] += u64::from(b > c && b > d);
            largest[1] += u64::from(c > b && c > d);
            largest[2] += u64::from(d > b && d > c);
            // Of whole numbers: more than the half that is rounded down is more than half.
            let half = a / 2;
            halves.iter_mut().zip([b, c, d]).for_each(|(half_of, it)| {
                *half_of += u64::from(it > half);
            });
        }
        self.largest.iter_mut().zip(largest).for_each(|(total, more)| *total += more);
        self.halves.iter_mut().zip(halves).for_each(|(total, more)| *total += more);
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: &Shares) {
        self.bins.iter_mut().zip(&other.bins[..]).for_each(|(mine, theirs)| mine.add(theirs, 1.0));
        self.largest.iter_mut().zip(other.largest).for_each(|(total, more)| *total += more);
        self.halves.iter_mut().zip(other.halves).for_each(|(total, more)| *total += more);
    }

    /// Mean time in each stage between successive quantiles of end-to-end time; ranges without
    /// messages are left out.
    pub fn shares(&self) -> Vec<Share> {
        let n = self.total().count;
        let pairs = CUTS.windows(2).map(|cut| (cut[0], cut[1]));
        // Whole ranks, so that the counts of all ranges add up to the messages.
        let between =
            |from_p: f64, to_p: f64| self.between((from_p * n).round(), (to_p * n).round());
        pairs.filter_map(|(from_p, to_p)| between(from_p, to_p).share(from_p, to_p)).collect()
    }

    /// Which stage dominates; `None` when no message has all four stamps or none took any time.
    pub fn finding(&self) -> Option<Finding> {
        let all = self.total();
        let tail = self
            .between(all.count - (all.count * TAIL_PART).max(TAIL_LEAST).min(all.count), all.count);
        let slowest = self.between(all.count - all.count * TAIL_PART, all.count);
        let (at, _) = all.largest()?;
        let (tail_at, tail_share) = tail.largest()?;
        Some(Finding {
            stage: PARTS[at],
            time: all.stages.map(|stage| stage / all.time()),
            messages: self.largest.map(|messages| messages as f64 / all.count),
            halves: self.halves.map(|messages| messages as f64 / all.count),
            tail_stage: PARTS[tail_at],
            tail_share,
            tail_weight: slowest.time() / all.time(),
        })
    }

    /// The messages of ranks `from` to `to` by end-to-end time.
    fn between(&self, from: f64, to: f64) -> Sums {
        let mut sums = Sums::default();
        let mut passed = 0.0;
        for bin in self.ascending().filter(|bin| bin.count > 0.0) {
            let inside = (to.min(passed + bin.count) - from.max(passed)).max(0.0);
            sums.add(bin, inside / bin.count);
            passed += bin.count;
        }
        sums
    }

    fn total(&self) -> Sums {
        let mut total = Sums::default();
        self.ascending().for_each(|bin| total.add(bin, 1.0));
        total
    }

    fn ascending(&self) -> impl Iterator<Item = &Sums> {
        [&self.bins[NEGATIVE]].into_iter().chain(&self.bins[..NEGATIVE])
    }
}

impl Sums {
    fn add(&mut self, other: &Sums, part: f64) {
        self.count += other.count * part;
        self.stages.iter_mut().zip(other.stages).for_each(|(mine, theirs)| *mine += theirs * part);
    }

    fn time(&self) -> f64 {
        self.stages.iter().sum()
    }

    fn largest(&self) -> Option<(usize, f64)> {
        let time = self.time();
        let at = (0..3).max_by(|&x, &y| self.stages[x].total_cmp(&self.stages[y]))?;
        (self.count > 0.0 && time > 0.0).then(|| (at, self.stages[at] / time))
    }

    fn share(&self, from_p: f64, to_p: f64) -> Option<Share> {
        let count = self.count.round() as u64;
        (count > 0).then(|| Share {
            from_p,
            to_p,
            count,
            mean_ns: self.time() / self.count,
            stage_mean_ns: self.stages.map(|sum| sum / self.count),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Stage;

    fn planted() -> Shares {
        // 9,990 messages of 1,000 ns, 80 % of it transit; 10 of 100,000 ns, 99 % of it receive
        // wait.
        let mut shares = Shares::default();
        let stages: Vec<[i64; 4]> = (0..10_000)
            .map(
                |i| if i % 1000 == 7 { [100_000, 500, 500, 99_000] } else { [1000, 100, 800, 100] },
            )
            .collect();
        let column = |at: usize| stages.iter().map(|row| row[at]).collect::<Vec<i64>>();
        let columns = [column(0), column(1), column(2), column(3)];
        shares.add(columns.each_ref().map(Vec::as_slice));
        shares
    }

    #[test]
    fn planted_shares_are_found() {
        let shares = planted().shares();
        assert_eq!(shares.len(), 13);
        assert_eq!(shares.iter().map(|share| share.count).sum::<u64>(), 10_000);
        for share in &shares[..12] {
            assert!((share.stage_mean_ns[1] - 800.0).abs() < 1e-6, "{share:?}");
        }
        assert!((shares[12].stage_mean_ns[2] - 99_000.0).abs() < 1e-6, "{:?}", shares[12]);
    }

    #[test]
    fn the_finding_names_the_planted_stages() {
        let finding = planted().finding().unwrap();
        assert_eq!((finding.stage, finding.tail_stage), (Stage::Transit, Stage::ReceiveWait));
        assert!((finding.largest().1 - 0.999).abs() < 1e-12);
        assert_eq!(finding.messages, [0.0, 0.999, 0.001]);
        assert_eq!(finding.halves, [0.0, 0.999, 0.001]);
        assert_eq!(finding.usual(), (vec![Stage::Transit], 0.999));
        assert!((finding.tail_share - 0.99).abs() < 1e-9);
        assert!((finding.tail_weight - 1_000_000.0 / (9_990_000.0 + 1_000_000.0)).abs() < 1e-9);
    }

    #[test]
    fn stages_that_are_largest_equally_often_are_all_named() {
        // Half of the messages tie outright; of the others two stages are each largest once.
        let stages = [[10, 5, 5, 0], [10, 5, 5, 0], [10, 8, 1, 1], [10, 1, 8, 1]];
        let mut shares = Shares::default();
        let column = |at: usize| stages.iter().map(|row| row[at]).collect::<Vec<i64>>();
        shares.add([column(0), column(1), column(2), column(3)].each_ref().map(Vec::as_slice));
        let finding = shares.finding().unwrap();
        let both = vec![Stage::SendWait, Stage::Transit];
        assert_eq!((finding.most_time(), finding.usual()), (both.clone(), (both, 0.25)));
        assert_eq!(finding.without_largest(), 0.5);
        let mut ties = Shares::default();
        ties.add([&[10], &[5], &[5], &[0]]);
        let finding = ties.finding().unwrap();
        assert_eq!((finding.usual(), finding.without_largest()), ((Vec::new(), 0.0), 1.0));
    }

    #[test]
    fn nothing_is_found_in_nothing() {
        assert_eq!(Shares::default().finding(), None);
        assert_eq!(Shares::default().shares(), []);
    }

    #[test]
    fn more_than_half_is_more_than_half_of_odd_times_too() {
        let mut shares = Shares::default();
        shares.add([&[3, 3, 4, 0], &[2, 1, 2, 0], &[0, 1, 1, 0], &[1, 1, 1, 0]]);
        assert_eq!(shares.halves, [1, 0, 0]);
    }
}
