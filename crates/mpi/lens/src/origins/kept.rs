//! The blocked calls of a run in memory: the longest, where there are too many.

use super::Place;
use crate::{CallTables, LensError};
use std::collections::BTreeMap;

/// A call that was blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Held {
    pub from: i64,
    pub until: i64,
    pub by: u32,
    /// The place of `by`; 0 for one that is not known.
    pub site: i64,
}

/// Blocked calls of all ranks.
pub(super) struct Kept {
    /// Of each rank that left a log, in the order of their beginning.
    ranks: BTreeMap<u32, Vec<Held>>,
    /// Calls blocked for less are not kept.
    pub followed_from_ns: i64,
    /// Blocked time of those, ns.
    pub short_ns: i64,
}

impl Held {
    /// Who was waited for, and where.
    pub fn for_place(&self) -> Place {
        (self.by, self.site)
    }
}

impl Kept {
    /// Those of a run, `most` at most, but for as many as differ in length by less than a factor of
    /// two.
    ///
    /// # Errors
    /// When a table is damaged.
    pub fn of(tables: &CallTables, most: u64) -> Result<Kept, LensError> {
        let mut lengths = [0_u64; 64];
        tables.each_blocked(|call| lengths[class(call.ns())] += 1)?;
        let followed_from_ns = shortest_kept(&lengths, most);
        let ranks = tables.ranks().map(|rank| (rank, Vec::new())).collect();
        let mut kept = Kept { ranks, followed_from_ns, short_ns: 0 };
        tables.each_blocked(|call| {
            let held = Held {
                from: call.from_ns,
                until: call.until_ns,
                by: call.by,
                site: call.sites[1].unwrap_or(0),
            };
            if call.ns() < followed_from_ns {
                kept.short_ns = kept.short_ns.saturating_add(call.ns());
            } else if held.from < held.until {
                kept.ranks.entry(call.rank).or_default().push(held);
            }
        })?;
        kept.ranks.values_mut().for_each(|all| all.sort_unstable_by_key(|held| held.from));
        Ok(kept)
    }

    #[cfg(test)]
    pub fn made(waits: &[(u32, Held)], ranks: std::ops::Range<u32>) -> Kept {
        let mut kept = Kept {
            ranks: ranks.map(|rank| (rank, Vec::new())).collect(),
            followed_from_ns: 0,
            short_ns: 0,
        };
        for (rank, held) in waits {
            kept.ranks.get_mut(rank).unwrap().push(*held);
        }
        kept.ranks.values_mut().for_each(|all| all.sort_unstable_by_key(|held| held.from));
        kept
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Held> {
        self.ranks.values().flatten()
    }

    /// How many ranks left a log.
    pub fn ranks(&self) -> usize {
        self.ranks.len()
    }

    /// Whether the rank left a log.
    pub fn knows(&self, rank: u32) -> bool {
        self.ranks.contains_key(&rank)
    }

    /// The last of the rank's blocked calls that began before `at`.
    pub fn blocked_before(&self, rank: u32, at: i64) -> Option<&Held> {
        let all = self.ranks.get(&rank)?;
        all.partition_point(|held| held.from < at).checked_sub(1).map(|last| &all[last])
    }
}

/// The power of two below.
fn class(ns: i64) -> usize {
    ns.max(1).ilog2() as usize
}

/// From which length on calls are kept so that at most `most` are, the class of the longest aside.
fn shortest_kept(lengths: &[u64; 64], most: u64) -> i64 {
    let mut kept = 0;
    let beyond = (0..64).rev().find(|&class| {
        kept += lengths[class];
        kept > most
    });
    // The class that goes beyond is left out, unless nothing would be kept then.
    match beyond {
        None => 0,
        Some(class) if kept == lengths[class] => 1 << class,
        Some(class) => 1 << (class + 1).min(62),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_are_kept() {
        let mut lengths = [0; 64];
        (lengths[3], lengths[5], lengths[9]) = (100, 10, 5);
        assert_eq!(shortest_kept(&lengths, 1_000), 0);
        assert_eq!(shortest_kept(&lengths, 100), 16);
        assert_eq!(shortest_kept(&lengths, 6), 64);
        assert_eq!(shortest_kept(&lengths, 2), 512, "never nothing");
        assert_eq!((class(0), class(15), class(16)), (0, 3, 4));
    }
}
