//! How deep and how far rollbacks went, which were the largest, and which objects they struck.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use stats::Distribution;
use stats::analysis::Bin;

use super::{Piece, within_model};
use crate::simulation::{ObjectRollbacks, Rollback, Rollbacks};

/// Rollbacks, and objects, that are listed.
const LISTED: usize = 10;
/// Objects that are told apart: those with the smallest numbers, so that the order of rows does not
/// matter.
const OBJECTS: usize = 1 << 20;

/// All that was gathered of rollbacks.
#[derive(Clone, Debug, Default)]
pub(super) struct RollbackTally {
    depths: Distribution,
    /// By the exponent of the length in virtual time.
    lengths: BTreeMap<i32, u64>,
    lengths_zero: u64,
    lengths_unknown: u64,
    worst: Vec<Ranked>,
    objects: BTreeMap<i64, ObjectRollbacks>,
    undone_left_out: u64,
}

/// Depth first; the rest only tells rollbacks of one depth apart. Virtual times are bits, so that
/// all can be ordered.
type Ranked =
    (Reverse<u64>, Option<i64>, u32, u32, Option<i64>, Option<i64>, Option<u64>, Option<u64>);

impl RollbackTally {
    /// Take in one.
    pub fn add(&mut self, piece: &Piece) {
        let depth = i64::try_from(piece.amount).unwrap_or(i64::MAX);
        self.depths.add(depth);
        self.add_length(piece);
        self.offer(ranked(piece));
        if let Some(object) = piece.object {
            let one = ObjectRollbacks {
                object,
                node: piece.node,
                rollbacks: 1,
                undone: piece.amount,
                depth_max: piece.amount,
            };
            self.add_object(&one);
        }
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: RollbackTally) {
        self.depths.merge(&other.depths);
        for (exponent, count) in other.lengths {
            *self.lengths.entry(exponent).or_default() += count;
        }
        self.lengths_zero += other.lengths_zero;
        self.lengths_unknown += other.lengths_unknown;
        other.worst.into_iter().for_each(|ranked| self.offer(ranked));
        self.undone_left_out += other.undone_left_out;
        other.objects.values().for_each(|object| self.add_object(object));
    }

    /// All rollbacks together, the largest, the objects struck most.
    pub fn shown(mut self) -> (Rollbacks, Vec<Rollback>, Vec<ObjectRollbacks>) {
        self.keep_worst();
        let worst = self.worst.iter().map(rollback).collect();
        let mut objects: Vec<ObjectRollbacks> = self.objects.values().copied().collect();
        objects.sort_unstable_by_key(|object| (Reverse(object.undone), object.object));
        objects.truncate(LISTED);
        (self.together(), worst, objects)
    }

    fn together(&self) -> Rollbacks {
        let moments = self.depths.moments();
        let quantile = |p| self.depths.quantile(p).map_or(0, i64::unsigned_abs);
        Rollbacks {
            count: moments.count,
            depth_mean: moments.mean(),
            depth_p50: quantile(0.5),
            depth_p99: quantile(0.99),
            depth_max: if moments.count == 0 { 0 } else { moments.max.unsigned_abs() },
            depths: doubling(&self.depths),
            lengths: self
                .lengths
                .iter()
                .map(|(&exponent, &count)| length_bin(exponent, count))
                .collect(),
            lengths_zero: self.lengths_zero,
            lengths_unknown: self.lengths_unknown,
            undone_left_out: self.undone_left_out,
        }
    }

    fn add_length(&mut self, piece: &Piece) {
        let ends = within_model(piece.from).zip(within_model(piece.to));
        match ends.map(|(from, to)| from - to) {
            Some(length) if length > 0.0 => *self.lengths.entry(exponent(length)).or_default() += 1,
            Some(0.0) => self.lengths_zero += 1,
            _ => self.lengths_unknown += 1,
        }
    }

    fn offer(&mut self, ranked: Ranked) {
        self.worst.push(ranked);
        if self.worst.len() >= 8 * LISTED {
            self.keep_worst();
        }
    }

    fn keep_worst(&mut self) {
        self.worst.sort_unstable();
        self.worst.truncate(LISTED);
    }

    /// When there are more objects than the table may have, a number that was left out or removed
    /// is above all that stay, so none comes back incomplete.
    fn add_object(&mut self, one: &ObjectRollbacks) {
        if let Some(object) = self.objects.get_mut(&one.object) {
            object.node = object.node.max(one.node);
            object.rollbacks += one.rollbacks;
            object.undone += one.undone;
            object.depth_max = object.depth_max.max(one.depth_max);
            return;
        }
        self.objects.insert(one.object, *one);
        if self.objects.len() > OBJECTS
            && let Some((_, removed)) = self.objects.pop_last()
        {
            self.undone_left_out += removed.undone;
        }
    }
}

fn ranked(piece: &Piece) -> Ranked {
    (
        Reverse(piece.amount),
        piece.begin,
        piece.launch,
        piece.node,
        piece.object,
        piece.took(),
        piece.from.map(f64::to_bits),
        piece.to.map(f64::to_bits),
    )
}

fn rollback(
    &(Reverse(events), begin_ns, launch, node, object, took_ns, from, to): &Ranked,
) -> Rollback {
    let (from, to) = (from.map(f64::from_bits), to.map(f64::from_bits));
    Rollback { launch, node, object, begin_ns, took_ns, events, from, to }
}

/// Ranges 0, 1, 2 to 3, 4 to 7 and so on up to the largest value, and the values in each.
fn doubling(of: &Distribution) -> Vec<(u64, u64, u64)> {
    let bucket = |depth: u64| (u64::BITS - depth.leading_zeros()) as usize;
    let mut counts = [0_u64; 65];
    of.counters()
        .for_each(|counter| counts[bucket(counter.middle().unsigned_abs())] += counter.count);
    let first = counts.iter().position(|&count| count > 0).unwrap_or(0);
    let last = counts.iter().rposition(|&count| count > 0);
    let range = |at: usize| match at {
        0 => (0, 0, counts[0]),
        at => (1 << (at - 1), u64::MAX >> (64 - at), counts[at]),
    };
    last.map_or_else(Vec::new, |last| (first..=last).map(range).collect())
}

/// The whole number below the logarithm to base 2 of a positive number; numbers too small to be
/// kept in full share the lowest.
fn exponent(length: f64) -> i32 {
    (length.to_bits() >> 52) as i32 - 1023
}

fn length_bin(exponent: i32, count: u64) -> Bin {
    Bin { from: 2_f64.powi(exponent), to: 2_f64.powi(exponent + 1), count }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::Work;

    #[test]
    fn depths_are_counted_in_ranges_that_double() {
        let mut depths = Distribution::default();
        for (depth, times) in [(1, 5), (2, 1), (3, 1), (4, 2), (7, 1), (8, 1), (1000, 1)] {
            depths.add_times(depth, times);
        }
        let ranges = doubling(&depths);
        assert_eq!(ranges[..4], [(1, 1, 5), (2, 3, 2), (4, 7, 3), (8, 15, 1)]);
        assert_eq!(ranges.last(), Some(&(512, 1023, 1)));
        assert_eq!(ranges.len(), 10);
        assert!(doubling(&Distribution::default()).is_empty());
    }

    #[test]
    fn lengths_lie_in_their_bins() {
        for length in [0.001, 0.5, 0.999, 1.0, 1.5, 2.0, 1e8, f64::MAX / 4.0] {
            let bin = length_bin(exponent(length), 1);
            assert!(bin.from <= length && length < bin.to, "{length} is not in {bin:?}");
        }
    }

    #[test]
    fn a_table_that_is_full_keeps_the_smallest_numbers_whole() {
        let strike = |object: i64| Piece {
            work: Work::Rollback,
            launch: 0,
            node: 0,
            begin: None,
            end: None,
            object: Some(object),
            amount: 1,
            from: None,
            to: None,
        };
        let take = |objects: &mut dyn Iterator<Item = i64>| {
            let mut tally = RollbackTally::default();
            objects.for_each(|object| tally.add(&strike(object)));
            tally
        };
        let all = OBJECTS as i64 + 50;
        let mut merged = take(&mut (0..all).rev());
        merged.merge(take(&mut (0..all)));
        assert_eq!(merged.objects.len(), OBJECTS);
        assert_eq!(
            merged.objects.last_key_value().map(|(&object, _)| object),
            Some(OBJECTS as i64 - 1)
        );
        assert!(merged.objects.values().all(|object| object.undone == 2));
        assert_eq!(merged.undone_left_out, 100);
    }
}
