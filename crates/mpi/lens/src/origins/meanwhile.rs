//! What ranks did at which delays began.

use super::kept::Kept;
use super::{Place, Step, follow};
use crate::found::Doing;
use crate::functions::functions;
use crate::tally::Spent;
use crate::{CallTables, LensError};
use std::collections::{BTreeMap, HashMap};

/// How much blocked time goes back to a place, up to each moment.
struct Curve {
    /// Moments, ascending; blocked time until then, ns; how many ranks are blocked from then on.
    steps: Vec<(i64, i64, i64)>,
}

/// What the ranks of these places did in the time that goes back to them.
///
/// # Errors
/// When a table is damaged.
pub(super) fn of(
    tables: &CallTables,
    kept: &Kept,
    places: &[Place],
) -> Result<BTreeMap<Place, Vec<Doing>>, LensError> {
    let names = functions();
    // By rank: a table is read once for all places of its rank.
    let mut ranks: BTreeMap<u32, Vec<(Place, Curve, Spent)>> = BTreeMap::new();
    for (place, curve) in curves(kept, places) {
        ranks.entry(place.0).or_default().push((place, curve, Spent::default()));
    }
    let mut told = BTreeMap::new();
    for (rank, mut of_rank) in ranks {
        tables.each_row_of(rank, &names, |call| {
            let exit = call.exit.unwrap_or(i64::MAX);
            for (_, curve, spent) in &mut of_rank {
                spent.add(call, curve.until(exit) - curve.until(call.enter));
            }
        })?;
        told.extend(
            of_rank
                .into_iter()
                .map(|(place, curve, spent)| (place, spent.told(&names, curve.until(i64::MAX)))),
        );
    }
    Ok(told)
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

    /// Blocked time until `at`, ns.
    fn until(&self, at: i64) -> i64 {
        let after = self.steps.partition_point(|(step, ..)| *step <= at);
        let Some((from, sum, blocked)) = after.checked_sub(1).map(|last| self.steps[last]) else {
            return 0;
        };
        if blocked == 0 { sum } else { sum + (at - from) * blocked }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_counts_for_each_rank_that_was_blocked() {
        let curve = Curve::of(vec![(10, 1), (30, -1), (20, 1), (40, -1)]);
        let until = [0, 10, 15, 25, 35, 40, i64::MAX].map(|at| curve.until(at));
        assert_eq!(until, [0, 0, 5, 20, 35, 40, 40]);
        assert_eq!(Curve::of(Vec::new()).until(5), 0);
    }
}
