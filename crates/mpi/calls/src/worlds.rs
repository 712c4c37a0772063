//! Worlds that were spawned, and the communicators between them and those who spawned them.
//!
//! A rank knows nobody of another world: it registers a communicator to it with so many processes
//! outside. Which world that is follows where there is only one of that size that was spawned by as
//! many ranks. Else messages between worlds are left out, as all to processes outside.

use crate::entry::{LocalGroup, WORLD};
use crate::survey::Survey;
use std::collections::BTreeSet;

/// Put the ranks of other worlds into the communicators between worlds.
pub(crate) fn join(surveys: &mut [Survey]) {
    let worlds: BTreeSet<Vec<u32>> = surveys.iter().filter_map(spawned).collect();
    for world in &worlds {
        let of_world = surveys.iter().filter(|survey| spawned(survey).as_ref() == Some(world));
        let sizes: BTreeSet<usize> = of_world.filter_map(|one| to_outside(one, world)).collect();
        let (Some(parents), 1) = (sizes.first().copied(), sizes.len()) else { continue };
        let same_size = worlds.iter().filter(|other| other.len() == world.len()).count();
        if same_size > 1 {
            continue;
        }
        if let Some(parents) = parents_of(surveys, world, parents) {
            name(surveys, &parents, world);
            name(surveys, world, &parents);
        }
    }
}

/// The world of a rank that was spawned.
fn spawned(survey: &Survey) -> Option<Vec<u32>> {
    let world = survey.groups.iter().find(|group| group.id == WORLD)?;
    (world.local.first()? != &0).then(|| world.local.clone())
}

fn is_outside(group: &LocalGroup) -> bool {
    !group.remote.is_empty() && group.remote.iter().all(|rank| *rank == u32::MAX)
}

/// How many processes outside the rank's first communicator from all of `world` has.
fn to_outside(survey: &Survey, world: &[u32]) -> Option<usize> {
    let first = survey.groups.iter().find(|group| is_outside(group) && group.local == world)?;
    Some(first.remote.len())
}

/// The only ranks, so many of them, that have one communicator to as many processes as `world` has.
fn parents_of(surveys: &[Survey], world: &[u32], count: usize) -> Option<Vec<u32>> {
    let mut found: Option<&Vec<u32>> = None;
    for survey in surveys {
        let fits = |group: &&LocalGroup| {
            let sizes = (group.local.len(), group.remote.len());
            is_outside(group) && sizes == (count, world.len()) && group.local != world
        };
        let mut groups = survey.groups.iter().filter(fits);
        let Some(group) = groups.next() else { continue };
        if groups.next().is_some() || found.is_some_and(|other| *other != group.local) {
            return None;
        }
        found = Some(&group.local);
    }
    found.cloned()
}

/// The communicators from all of `local` to as many processes outside as `remote` are to them.
fn name(surveys: &mut [Survey], local: &[u32], remote: &[u32]) {
    for group in surveys.iter_mut().flat_map(|survey| &mut survey.groups) {
        if is_outside(group) && group.local == local && group.remote.len() == remote.len() {
            group.remote = remote.to_vec();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(groups: &[(u32, &[u32], &[u32])]) -> Survey {
        let group = |(id, local, remote): &(u32, &[u32], &[u32])| LocalGroup {
            id: *id,
            parent: 0,
            local: local.to_vec(),
            remote: remote.to_vec(),
        };
        Survey { groups: groups.iter().map(group).collect(), ..Survey::default() }
    }

    const NOBODY: u32 = u32::MAX;

    #[test]
    fn the_only_world_of_its_size_is_known_from_both_sides() {
        let parent = || rank(&[(WORLD, &[0, 1], &[]), (3, &[0, 1], &[NOBODY; 3])]);
        let child = || rank(&[(WORLD, &[2, 3, 4], &[]), (3, &[2, 3, 4], &[NOBODY; 2])]);
        let mut all = [parent(), parent(), child(), child(), child()];
        join(&mut all);
        assert!(all[..2].iter().all(|rank| rank.groups[1].remote == [2, 3, 4]));
        assert!(all[2..].iter().all(|rank| rank.groups[1].remote == [0, 1]));
    }

    #[test]
    fn of_two_spawnings_alike_nothing_is_known() {
        let parent = [(WORLD, &[0][..], &[][..]), (3, &[0], &[NOBODY]), (4, &[0], &[NOBODY])];
        let child = |number: &[u32]| rank(&[(WORLD, number, &[]), (3, number, &[NOBODY])]);
        let mut all = [rank(&parent), child(&[1]), child(&[2])];
        join(&mut all);
        let outside = all.iter().flat_map(|rank| &rank.groups[1..]);
        assert!(outside.into_iter().all(is_outside));
    }
}
