//! Ranks that are alike: by what part of their time they spend on what.
//!
//! One rank is the first typical one, the nearest to the mean; as long as some rank is far from all
//! typical ones, the farthest of them becomes another. Then every rank joins the typical one that
//! it is nearest to, and each kind takes its own most typical rank, until nothing moves. Two ranks
//! are as far apart as the activity in which they differ most (Gonzalez 1985 for the choice,
//! k-medoids for the rest).

use crate::found::{Activity, Kind, RankTime};

/// Kinds that one can still tell apart.
const KINDS_MOST: usize = 8;
/// Ranks no farther from a typical one than this part of their time are of its kind.
const NEAR: f64 = 0.05;
/// Rounds until nothing moves, or enough.
const ROUNDS: usize = 20;

/// Part of a rank's time in each activity.
type Parts = [f64; Activity::ALL.len()];

/// The kinds of ranks, the largest first; those that never called MPI are of none.
pub(crate) fn kinds(ranks: &[RankTime]) -> Vec<Kind> {
    let ranks: Vec<(u32, Parts)> = ranks
        .iter()
        .filter(|rank| rank.elapsed_ns > 0)
        .map(|rank| (rank.rank, parts(rank)))
        .collect();
    let points: Vec<Parts> = ranks.iter().map(|(_, parts)| *parts).collect();
    let mut kinds: Vec<Kind> =
        settled(&points).into_iter().map(|members| kind(&ranks, &members)).collect();
    kinds.sort_by_key(|kind| (std::cmp::Reverse(kind.ranks.len()), kind.typical));
    kinds
}

fn parts(rank: &RankTime) -> Parts {
    let whole = rank.elapsed_ns as f64 * rank.threads.max(1) as f64;
    rank.activity_ns.map(|ns| ns as f64 / whole)
}

/// The points of each kind, by number.
fn settled(points: &[Parts]) -> Vec<Vec<usize>> {
    let mut typical = chosen(points);
    let mut members = joined(points, &typical);
    for _ in 0..ROUNDS {
        let next: Vec<usize> = members.iter().map(|all| most_typical(points, all)).collect();
        if next == typical {
            break;
        }
        typical = next;
        members = joined(points, &typical);
    }
    members
}

/// The first typical ones.
fn chosen(points: &[Parts]) -> Vec<usize> {
    if points.is_empty() {
        return Vec::new();
    }
    let all: Vec<usize> = (0..points.len()).collect();
    let mut typical = vec![most_typical(points, &all)];
    let mut far: Vec<f64> = points.iter().map(|point| apart(point, &points[typical[0]])).collect();
    while typical.len() < KINDS_MOST {
        let farthest =
            all.iter().copied().max_by(|a, b| far[*a].total_cmp(&far[*b]).then(b.cmp(a)));
        let Some(farthest) = farthest.filter(|at| far[*at] > NEAR) else { break };
        typical.push(farthest);
        for (far, point) in far.iter_mut().zip(points) {
            *far = far.min(apart(point, &points[farthest]));
        }
    }
    typical
}

/// Each point with the nearest typical one; of equals the first. None is left empty.
fn joined(points: &[Parts], typical: &[usize]) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); typical.len()];
    for (at, point) in points.iter().enumerate() {
        let distance = |kind: &usize| apart(point, &points[typical[*kind]]);
        let nearest =
            (0..typical.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0);
        members[nearest].push(at);
    }
    members.retain(|members| !members.is_empty());
    members
}

/// Of these points the one that is nearest to their mean.
fn most_typical(points: &[Parts], members: &[usize]) -> usize {
    let mean = mean(members.iter().map(|at| &points[*at]));
    let distance = |at: &usize| apart(&points[*at], &mean);
    members.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
}

fn mean<'a>(points: impl Iterator<Item = &'a Parts>) -> Parts {
    let (mut sum, mut count) = ([0.0; Activity::ALL.len()], 0.0);
    for point in points {
        sum.iter_mut().zip(point).for_each(|(sum, part)| *sum += part);
        count += 1.0;
    }
    sum.map(|sum| sum / f64::max(count, 1.0))
}

fn apart(a: &Parts, b: &Parts) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn kind(ranks: &[(u32, Parts)], members: &[usize]) -> Kind {
    let points: Vec<Parts> = members.iter().map(|at| ranks[*at].1).collect();
    let all: Vec<usize> = (0..points.len()).collect();
    let typical = most_typical(&points, &all);
    Kind {
        typical: ranks[members[typical]].0,
        parts: mean(points.iter()),
        apart: points.iter().map(|point| apart(point, &points[typical])).fold(0.0, f64::max),
        ranks: members.iter().map(|at| ranks[*at].0).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(rank: u32, computing: i64, waiting: i64) -> RankTime {
        let mut activity_ns = [0; 7];
        activity_ns[Activity::Computing as usize] = computing;
        activity_ns[Activity::Waiting as usize] = waiting;
        activity_ns[Activity::Collective as usize] = 1000 - computing - waiting;
        RankTime { rank, threads: 1, elapsed_ns: 1000, activity_ns, ..RankTime::default() }
    }

    #[test]
    fn planted_kinds_are_found_whatever_the_order_of_the_ranks() {
        // Every 64th writes files and waits for nobody; the last 100 have twice the work.
        let of = |at: u32| match at {
            at if at.is_multiple_of(64) => rank(at, 950 + i64::from(at / 64) % 10, 10),
            at if at >= 900 => rank(at, 800 + i64::from(at) % 20, 150),
            at => rank(at, 400 + i64::from(at) % 20, 500),
        };
        let ranks: Vec<RankTime> = (0..1000).map(of).collect();
        let found = kinds(&ranks);
        let sizes: Vec<usize> = found.iter().map(|kind| kind.ranks.len()).collect();
        assert_eq!(sizes, [885, 99, 16]);
        assert!(found[2].ranks.iter().all(|rank| rank.is_multiple_of(64)));
        assert!(found[1].ranks.iter().all(|rank| *rank >= 900));
        assert!(found.iter().all(|kind| kind.apart < 0.02 && kind.ranks.contains(&kind.typical)));
        let mut backwards: Vec<RankTime> = ranks.iter().rev().copied().collect();
        backwards.sort_by_key(|rank| rank.rank);
        assert_eq!(kinds(&backwards), found);
    }

    #[test]
    fn ranks_that_differ_little_are_of_one_kind() {
        let ranks: Vec<RankTime> =
            (0..100).map(|at| rank(at, 500 + i64::from(at) % 40, 300)).collect();
        assert_eq!(kinds(&ranks).len(), 1);
        assert_eq!(kinds(&[]), []);
        let idle = RankTime { rank: 3, ..RankTime::default() };
        assert_eq!(kinds(&[idle]), []);
    }

    #[test]
    fn of_ranks_that_all_differ_there_are_as_many_kinds_as_can_be_told_apart() {
        let ranks: Vec<RankTime> = (0..100).map(|at| rank(at, i64::from(at) * 10, 5)).collect();
        let found = kinds(&ranks);
        assert_eq!(found.len(), KINDS_MOST);
        assert_eq!(found.iter().map(|kind| kind.ranks.len()).sum::<usize>(), 100);
        assert!(found.iter().all(|kind| kind.apart > 0.0 && kind.apart < 0.2));
    }
}
