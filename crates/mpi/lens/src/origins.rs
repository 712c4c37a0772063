//! Follows blocked time back to where the delay began; see [`Origins`].
//!
//! Scalasca's root-cause analysis splits each wait in proportion to the differences between the
//! ranks' doings since they last met. Here a moment has one owner, the rank that the program's
//! slowest path led through at that moment, so that sums can be checked against the blocked time.

mod kept;
mod meanwhile;

use crate::found::{Origin, Origins};
use crate::{CallTables, LensError};
pub(crate) use kept::Lengths;
use kept::{Held, Kept};
use meanwhile::{Curves, Meanwhile};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Blocked calls that are kept in memory, about.
const KEPT_MOST: u64 = 1 << 21;
/// Waits that are followed from one.
const LINKS_MOST: usize = 10_000;
/// Origins that are handed on: what is read at a glance.
const SHOWN: usize = 12;
/// Of so many it is told what their ranks did meanwhile.
const TOLD: usize = 8;

/// A rank and a place of it; 0 for one that is not known.
type Place = (u32, i64);

/// A stretch of a wait, by where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// At a rank that was not blocked. `direct`: it was the one waited for.
    Began { at: Place, direct: bool, from: i64, to: i64 },
    /// At ranks that wait for each other.
    Circle { ns: i64 },
    /// Where nothing is known.
    Unknown { ns: i64 },
}

#[derive(Clone, Copy, Default)]
struct Sum {
    ns: i64,
    direct_ns: i64,
}

/// Where delays began, as far as blocked calls tell.
pub(crate) struct Traced {
    found: Origins,
    /// Those that are handed on, most time first.
    shown: Vec<(Place, Sum)>,
    curves: Curves,
}

/// Of all blocked time of a run, whose blocked calls are of these lengths.
///
/// # Errors
/// When a table is damaged.
pub(crate) fn trace(tables: &CallTables, lengths: &Lengths) -> Result<Traced, LensError> {
    let kept = Kept::of(tables, lengths, KEPT_MOST)?;
    let mut found = Origins {
        short_ns: kept.short_ns,
        followed_from_ns: kept.followed_from_ns,
        ..Origins::default()
    };
    let mut sums: BTreeMap<Place, Sum> = BTreeMap::new();
    for held in kept.all() {
        follow(&kept, held, |step| match step {
            Step::Began { at, direct, from, to } => {
                let sum = sums.entry(at).or_default();
                sum.ns = sum.ns.saturating_add(to - from);
                sum.direct_ns = sum.direct_ns.saturating_add(if direct { to - from } else { 0 });
            }
            Step::Circle { ns } => found.circle_ns = found.circle_ns.saturating_add(ns),
            Step::Unknown { ns } => found.unknown_ns = found.unknown_ns.saturating_add(ns),
        });
    }
    let mut all: Vec<(Place, Sum)> = sums.into_iter().collect();
    all.sort_by_key(|(at, sum)| (Reverse(sum.ns), *at));
    let beyond = all.iter().skip(SHOWN);
    found.left_out = beyond.fold((0, 0), |(n, ns), (_, sum)| (n + 1, ns + sum.ns));
    all.truncate(SHOWN);
    let told: Vec<Place> = all.iter().take(TOLD).map(|(at, _)| *at).collect();
    Ok(Traced { found, shown: all, curves: Curves::of(&kept, &told) })
}

impl Traced {
    /// What takes in the calls of a rank.
    pub fn meanwhile(&self, rank: u32) -> Meanwhile {
        self.curves.meanwhile(rank)
    }

    /// All of it, with what the ranks did meanwhile.
    pub fn origins(self, ranks: Vec<(u32, Meanwhile)>) -> Origins {
        let mut doing = self.curves.told(ranks);
        let one = |(at, Sum { ns, direct_ns }): (Place, Sum)| Origin {
            rank: at.0,
            site: Some(at.1).filter(|site| *site != 0),
            ns,
            direct_ns,
            doing: doing.remove(&at).unwrap_or_default(),
        };
        Origins { origins: self.shown.into_iter().map(one).collect(), ..self.found }
    }
}

/// Hand over where each part of a wait ends, its last part first. They are as long as the wait.
fn follow(kept: &Kept, wait: &Held, mut each: impl FnMut(Step)) {
    let (mut at, mut to) = (wait.for_place(), wait.until);
    let mut still = 0;
    for link in 0..LINKS_MOST {
        let direct = link == 0;
        if !kept.knows(at.0) {
            return each(Step::Unknown { ns: to - wait.from });
        }
        let before = kept.blocked_before(at.0, to).filter(|held| held.until > wait.from);
        let began = before.map_or(wait.from, |held| held.until.min(to));
        if began < to {
            each(Step::Began { at, direct, from: began, to });
        }
        let Some(held) = before else { return };
        still = if began < to { 0 } else { still + 1 };
        if still > kept.ranks() {
            return each(Step::Circle { ns: to - wait.from });
        }
        (at, to) = (held.for_place(), began);
    }
    each(Step::Unknown { ns: to - wait.from });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(from: i64, until: i64, by: u32) -> Held {
        Held { from, until, by, site: i64::from(by) * 10 }
    }

    /// What each rank is given of all waits, the part of circles, the part not known.
    fn given(waits: &[(u32, Held)], ranks: u32) -> (BTreeMap<u32, i64>, i64, i64) {
        let kept = Kept::made(waits, 0..ranks);
        let (mut sums, mut circle, mut unknown) = (BTreeMap::new(), 0, 0);
        let mut whole = 0;
        for (_, wait) in waits {
            whole += wait.until - wait.from;
            follow(&kept, wait, |step| match step {
                Step::Began { at, from, to, .. } => *sums.entry(at.0).or_insert(0) += to - from,
                Step::Circle { ns } => circle += ns,
                Step::Unknown { ns } => unknown += ns,
            });
        }
        assert_eq!(sums.values().sum::<i64>() + circle + unknown, whole, "each ns once");
        (sums, circle, unknown)
    }

    #[test]
    fn a_chain_goes_back_to_its_beginning() {
        // 1 computes until 100, 2 waits for it, 3 for 2; then 2 computes 20 of its own.
        let waits = [(2, held(10, 100, 1)), (3, held(0, 120, 2))];
        assert_eq!(given(&waits, 4), (BTreeMap::from([(1, 190), (2, 20)]), 0, 0));
    }

    #[test]
    fn a_rank_with_time_to_spare_is_not_to_blame() {
        // 1 computes until 50 and waits for 2 until 100: had 1 been sooner, 0 would wait as long.
        let waits = [(0, held(0, 100, 1)), (1, held(50, 100, 2))];
        assert_eq!(given(&waits, 3), (BTreeMap::from([(2, 150)]), 0, 0));
    }

    #[test]
    fn an_earlier_wait_is_no_part_of_it() {
        let waits = [(1, held(0, 40, 2)), (0, held(50, 100, 1))];
        assert_eq!(given(&waits, 3), (BTreeMap::from([(1, 50), (2, 40)]), 0, 0));
    }

    #[test]
    fn circles_and_ranks_without_a_log_are_said() {
        let waits = [(0, held(0, 100, 1)), (1, held(0, 100, 0))];
        assert_eq!(given(&waits, 2), (BTreeMap::new(), 200, 0));
        let waits = [(0, held(0, 100, 7))];
        assert_eq!(given(&waits, 2), (BTreeMap::new(), 0, 100));
    }
}
