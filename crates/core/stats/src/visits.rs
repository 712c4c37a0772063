//! Cycles by size and block of the run: how much the visits to one size differ.
//!
//! A sweep comes to each size a few times, at random moments, so a block holds a visit or a part of
//! one. A run in which sizes are mixed would have as many distributions as sizes times blocks; it
//! is no sweep, and beyond a bound nothing is kept of it. Whether the bound is passed does not
//! depend on the order in which parts are merged.

use std::collections::BTreeMap;

use crate::analysis::MESSAGES_LEAST;
use crate::distribution::BlockDistribution;
use crate::groups::{Counted, Grouping};
use crate::knees::Point;

/// Pairs of size and block at most: a sweep of 500 sizes visited sixty times, or of 16,000 visited
/// twice.
const PAIRS_MOST: usize = 1 << 15;
/// Cycles of a visit that make it worth having.
const CYCLES_LEAST: u64 = 5;

/// Cycle times by (bytes, block).
#[derive(Clone, Debug, Default)]
pub(crate) struct Visits {
    by: BTreeMap<(i64, usize), BlockDistribution>,
    too_many: bool,
}

impl Visits {
    /// Take in cycles of one size in one block, counted as stage A.
    pub fn add(&mut self, bytes: i64, block: usize, counted: &Counted) {
        if let Some(visit) = self.visit(bytes, block) {
            visit.add_tally(&counted[0]);
        }
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: Visits) {
        for ((bytes, block), theirs) in other.by {
            if let Some(visit) = self.visit(bytes, block) {
                visit.merge(&theirs);
            }
        }
        if other.too_many {
            (self.by, self.too_many) = (BTreeMap::new(), true);
        }
    }

    /// The sizes of `all`, whose stage A is of the same times, each with its visits; without those
    /// of too few messages.
    pub fn points(&self, all: &Grouping) -> Vec<Point> {
        let point = |(key, group): ((i64, i64), &crate::groups::Group)| {
            let visits = self.by.range((key.0, 0)..=(key.0, usize::MAX)).map(|(_, visit)| visit);
            Some(Point {
                bytes: u64::try_from(key.0).ok()?,
                values: pair(group.stages[0].quantiles(&[0.5, 0.99]))?,
                visits: visits
                    .filter(|visit| visit.count() >= CYCLES_LEAST)
                    .filter_map(|visit| pair(visit.quantiles(&[0.5, 0.99])))
                    .collect(),
            })
        };
        let is_enough = |(_, group): &((i64, i64), &crate::groups::Group)| {
            group.stages[0].count() >= MESSAGES_LEAST
        };
        all.groups().filter(is_enough).filter_map(point).collect()
    }

    fn visit(&mut self, bytes: i64, block: usize) -> Option<&mut BlockDistribution> {
        if self.too_many {
            return None;
        }
        if self.by.len() >= PAIRS_MOST && !self.by.contains_key(&(bytes, block)) {
            (self.by, self.too_many) = (BTreeMap::new(), true);
            return None;
        }
        Some(self.by.entry((bytes, block)).or_default())
    }
}

fn pair(quantiles: Vec<i64>) -> Option<[f64; 2]> {
    let [median, high] = quantiles[..] else { return None };
    Some([median as f64, high as f64])
}
