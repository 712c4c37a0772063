//! The blocked calls of a run in memory: the longest, where there are too many.

use super::Place;
use crate::blocked_calls::IDENTITY;
use crate::{BlockedCall, CallTables, LensError};
use calls::table::WaitColumn;
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

/// How many blocked calls there are of each length.
#[derive(Clone, Debug)]
pub(crate) struct Lengths(Vec<u64>);

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

impl Default for Lengths {
    fn default() -> Lengths {
        Lengths(vec![0; CLASSES])
    }
}

impl Lengths {
    /// Take in a blocked call.
    pub fn add(&mut self, call: &BlockedCall) {
        self.0[class(call.ns())] += 1;
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: &Lengths) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine += theirs);
    }
}

impl Kept {
    /// Those of a run, `most` at most, but for as many as differ in length by less than 4 %.
    ///
    /// # Errors
    /// When a table is damaged.
    pub fn of(tables: &CallTables, lengths: &Lengths, most: u64) -> Result<Kept, LensError> {
        let followed_from_ns = shortest_kept(&lengths.0, most);
        let none = || Kept { ranks: BTreeMap::new(), followed_from_ns, short_ns: 0 };
        let mut kept = none();
        kept.ranks.extend(tables.ranks().map(|rank| (rank, Vec::new())));
        let columns: Vec<_> = IDENTITY.into_iter().chain([WaitColumn::OtherSite]).collect();
        for part in tables.on_all_cores(&columns, none, Kept::add)? {
            kept.short_ns = kept.short_ns.saturating_add(part.short_ns);
            for (rank, mut held) in part.ranks {
                kept.ranks.entry(rank).or_default().append(&mut held);
            }
        }
        kept.ranks.values_mut().for_each(|all| all.sort_unstable_by_key(|held| held.from));
        Ok(kept)
    }

    fn add(&mut self, call: &BlockedCall) {
        let held = Held {
            from: call.from_ns,
            until: call.until_ns,
            by: call.by,
            site: call.sites[1].unwrap_or(0),
        };
        if call.ns() < self.followed_from_ns {
            self.short_ns = self.short_ns.saturating_add(call.ns());
        } else if held.from < held.until {
            self.ranks.entry(call.rank).or_default().push(held);
        }
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

/// Classes of lengths within a factor of two.
const STEPS: usize = 32;
/// Classes of all lengths.
const CLASSES: usize = 64 * STEPS;

/// The class of a length: a factor of two, and how far along it.
fn class(ns: i64) -> usize {
    let log = ns.max(1).ilog2() as usize;
    log * STEPS + (((ns.max(1) as u128) * STEPS as u128) >> log) as usize % STEPS
}

/// The least length of a class, ns; the most that there is for those beyond all lengths.
fn least_of(class: usize) -> i64 {
    let least = ((STEPS + class % STEPS) as u128) << (class / STEPS);
    i64::try_from(least.div_ceil(STEPS as u128)).unwrap_or(i64::MAX)
}

/// From which length on calls are kept so that at most `most` are, the class of the longest aside.
fn shortest_kept(lengths: &[u64], most: u64) -> i64 {
    let mut kept = 0;
    let beyond = (0..CLASSES).rev().find(|&class| {
        kept += lengths[class];
        kept > most
    });
    // The class that goes beyond is left out, unless nothing would be kept then.
    match beyond {
        None => 0,
        Some(class) if kept == lengths[class] => least_of(class),
        Some(class) => least_of(class + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_are_kept() {
        let mut lengths = vec![0; CLASSES];
        let counts = [(1_000, 100), (1_500, 10), (40_000, 5)];
        counts.iter().for_each(|(ns, count)| lengths[class(*ns)] = *count);
        assert_eq!(shortest_kept(&lengths, 1_000), 0);
        assert_eq!(shortest_kept(&lengths, 100), 1_008, "those of 1000 and their like are not");
        assert_eq!(shortest_kept(&lengths, 6), 1_504);
        assert_eq!(shortest_kept(&lengths, 2), 39_936, "never nothing");
    }

    #[test]
    fn a_class_begins_at_its_least_length() {
        assert_eq!((class(0), class(-5), class(1)), (0, 0, 0));
        for ns in (1..5_000).chain([1 << 40, (1 << 40) + 12_345, i64::MAX]) {
            let class = class(ns);
            assert!(least_of(class) <= ns, "{ns}");
            assert!(ns < least_of(class + 1) || ns == i64::MAX, "{ns}");
            assert!(least_of(class + 1) as f64 <= least_of(class).max(32) as f64 * 1.04, "{ns}");
        }
    }
}
