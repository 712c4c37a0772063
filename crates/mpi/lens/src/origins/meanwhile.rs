//! What ranks did at which delays began.

use super::kept::Kept;
use super::{Place, Step, follow};
use crate::Function;
use crate::found::Doing;
use crate::functions::functions;
use crate::tables::Beside;
use crate::tally::{CallRow, Spent};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// So many steps are looked at one by one.
const NEAR: usize = 16;

/// How the blocked time that goes back to some places grew, by rank.
pub(super) struct Curves(BTreeMap<u32, Arc<[(Place, Curve)]>>);

/// How much blocked time goes back to a place, up to each moment.
struct Curve {
    /// Moments, ascending; blocked time until then, ns; how many ranks are blocked from then on.
    steps: Vec<(i64, i64, i64)>,
}

/// What a rank does in the time that goes back to its places.
pub(crate) struct Meanwhile {
    places: Arc<[(Place, Curve)]>,
    /// Of each place, and where its curve was looked at last.
    spent: Vec<(Spent, usize)>,
}

impl Curves {
    /// Those of these places.
    pub fn of(kept: &Kept, places: &[Place]) -> Curves {
        let mut ranks: BTreeMap<u32, Vec<(Place, Curve)>> = BTreeMap::new();
        for (place, curve) in curves(kept, places) {
            ranks.entry(place.0).or_default().push((place, curve));
        }
        Curves(ranks.into_iter().map(|(rank, places)| (rank, places.into())).collect())
    }

    /// For the calls of a rank, which must come in the order of its table.
    pub fn meanwhile(&self, rank: u32) -> Meanwhile {
        let places = self.0.get(&rank).cloned().unwrap_or_else(|| Arc::new([]));
        let spent = places.iter().map(|_| Default::default()).collect();
        Meanwhile { places, spent }
    }

    /// What the ranks did, by place.
    pub fn told(&self, seen: Vec<(u32, Meanwhile)>) -> BTreeMap<Place, Vec<Doing>> {
        let mut seen: HashMap<u32, Meanwhile> = seen.into_iter().collect();
        let names = functions();
        let of = |rank: &u32| seen.remove(rank).unwrap_or_else(|| self.meanwhile(*rank));
        self.0.keys().map(of).flat_map(|meanwhile| meanwhile.told(&names)).collect()
    }
}

impl Beside for Meanwhile {
    #[inline]
    fn add(&mut self, call: &CallRow) {
        let exit = call.exit.unwrap_or(i64::MAX);
        for ((_, curve), (spent, near)) in self.places.iter().zip(&mut self.spent) {
            let before = curve.until(call.enter, near);
            spent.add(call, curve.until(exit, near) - before);
        }
    }
}

impl Meanwhile {
    fn told(self, names: &[Function]) -> Vec<(Place, Vec<Doing>)> {
        let one = |((place, curve), (spent, _)): (&(Place, Curve), &(Spent, usize))| {
            (*place, spent.told(names, curve.until(i64::MAX, &mut 0)))
        };
        self.places.iter().zip(&self.spent).map(one).collect()
    }
}

fn curves(kept: &Kept, places: &[Place]) -> HashMap<Place, Curve> {
    let mut changes: HashMap<Place, Vec<(i64, i64)>> =
        places.iter().map(|place| (*place, Vec::new())).collect();
    for held in kept.all() {
        follow(kept, held, |step| {
            if let Step::Began { at, from, to, .. } = step
                && let Some(changes) = changes.get_mut(&at)
            {
                changes.extend([(from, 1), (to, -1)]);
            }
        });
    }
    changes.into_iter().map(|(place, changes)| (place, Curve::of(changes))).collect()
}

impl Curve {
    /// From when how many more are blocked.
    fn of(mut changes: Vec<(i64, i64)>) -> Curve {
        changes.sort_unstable();
        let mut steps: Vec<(i64, i64, i64)> = Vec::new();
        for (at, change) in changes {
            let (before, sum, blocked) = steps.last().copied().unwrap_or((at, 0, 0));
            let sum = sum + (at - before) * blocked;
            match steps.last_mut() {
                Some(last) if before == at => last.2 += change,
                _ => steps.push((at, sum, blocked + change)),
            }
        }
        Curve { steps }
    }

    /// Blocked time until `at`, ns. `near` is where the last moment was that was asked for: calls
    /// follow one another, and a search through millions of steps for each takes its time.
    fn until(&self, at: i64, near: &mut usize) -> i64 {
        let after = self.after(at, *near);
        *near = after;
        let Some((from, sum, blocked)) = after.checked_sub(1).map(|last| self.steps[last]) else {
            return 0;
        };
        if blocked == 0 { sum } else { sum + (at - from) * blocked }
    }

    /// How many steps are up to `at`.
    fn after(&self, at: i64, near: usize) -> usize {
        let is_up_to = |step: usize| self.steps.get(step).is_some_and(|(step, ..)| *step <= at);
        let mut after = near;
        for _ in 0..NEAR {
            if is_up_to(after) {
                after += 1;
            } else if after > 0 && !is_up_to(after - 1) {
                after -= 1;
            } else {
                return after;
            }
        }
        self.steps.partition_point(|(step, ..)| *step <= at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_counts_for_each_rank_that_was_blocked() {
        let curve = Curve::of(vec![(10, 1), (30, -1), (20, 1), (40, -1)]);
        let moments = [0, 10, 15, 25, 35, 40, i64::MAX];
        for near in 0..=4 {
            let until = moments.map(|at| curve.until(at, &mut { near }));
            assert_eq!(until, [0, 0, 5, 20, 35, 40, 40]);
        }
        assert_eq!(Curve::of(Vec::new()).until(5, &mut 0), 0);
    }

    #[test]
    fn a_moment_is_found_from_wherever_the_last_one_was() {
        let changes = (0..1000).flat_map(|n| [(n * 10, 1), (n * 10 + 5, -1)]).collect();
        let curve = Curve::of(changes);
        let mut near = 0;
        for at in [0, 7, 9_999, 3, 5_003, 5_009, 4_001, 20_000] {
            assert_eq!(curve.until(at, &mut near), curve.until(at, &mut 0), "{at}");
        }
        assert_eq!(near, 2000);
    }
}
