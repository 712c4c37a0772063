//! What happened beside slow messages more often than chance would have it.
//!
//! Slow messages come together: a node that stands still for 4 ms makes hundreds of them late, and
//! they are one event, not hundreds. So episodes are counted. A thing of which there are N on a
//! node in a time T, of mean length l, meets a time of length L at random with probability 1 −
//! exp(−N (L + l) / T). Where it is known how long a thing took, only those count that took a good
//! part of the delay: on a busy machine every moment has some short wait in it.

use std::collections::BTreeMap;

use super::chance;
use super::question::Question;
use super::sample::Member;
use super::spans::{Beside, Place, Spans};
use crate::account::nodes_of;
use crate::analysis::{Reason, Stage, What};

/// Messages of a pair that are no further apart belong to one episode: what the watcher can tell
/// apart.
const APART_NS: i64 = 10_000_000;
/// A reason goes with at least this part of the episodes, and twice as many as chance would give.
const SHARE_LEAST: f64 = 0.2;
const TIMES_LEAST: f64 = 2.0;
/// A thing whose length is known must have taken this part of the group's least delay to count.
const PART_LEAST: f64 = 0.25;
/// Episodes that a reason needs.
const EPISODES_LEAST: u64 = 3;
/// And chance gives as much at most this often, all tests of a run taken together.
const CHANCE_MOST: f64 = 0.01;

/// Slow messages of one pair that came together.
pub(super) struct Episode<'a> {
    members: Vec<&'a Member>,
    from_ns: i64,
    to_ns: i64,
}

/// Cut messages, which are in order, into episodes.
pub(super) fn episodes(members: &[Member]) -> Vec<Episode<'_>> {
    let mut open: BTreeMap<(u32, u32, u32), Episode<'_>> = BTreeMap::new();
    let mut done = Vec::new();
    for member in members {
        let pair = (member.launch, member.src, member.dst);
        match open.get_mut(&pair) {
            Some(episode) if member.from_ns <= episode.to_ns.saturating_add(APART_NS) => {
                episode.to_ns = episode.to_ns.max(member.to_ns);
                episode.members.push(member);
            }
            _ => {
                let new =
                    Episode { members: vec![member], from_ns: member.from_ns, to_ns: member.to_ns };
                done.extend(open.insert(pair, new));
            }
        }
    }
    done.extend(open.into_values());
    done
}

/// What goes with the episodes of a group; `tests` is how many such questions are asked of the run.
pub(super) fn reasons(
    question: &Question,
    episodes: &[Episode<'_>],
    beside: &Beside,
    tests: usize,
) -> Vec<Reason> {
    let looked_at = beside.places();
    let seen = |episode: &&Episode<'_>| {
        places(question.stage, episode.members[0]).any(|place| looked_at.contains(&place))
    };
    let episodes: Vec<&Episode<'_>> = episodes.iter().filter(seen).collect();
    let mut reasons: Vec<(f64, Reason)> = beside
        .things()
        .filter_map(|(what, of)| reason(question, &episodes, what, of, tests))
        .collect();
    reasons.sort_by(|a, b| b.0.total_cmp(&a.0));
    reasons.into_iter().map(|(_, reason)| reason).collect()
}

/// The reason with how much it says, if it says anything.
fn reason(
    question: &Question,
    episodes: &[&Episode<'_>],
    what: What,
    of: &BTreeMap<Place, Spans>,
    tests: usize,
) -> Option<(f64, Reason)> {
    let least_delay = question.range_ns.0.saturating_sub(question.median_ns).max(0);
    let of = of
        .iter()
        .map(|(place, spans)| (*place, spans.at_least((PART_LEAST * least_delay as f64) as i64)));
    let of: BTreeMap<Place, Spans> = of.collect();
    let (mut with, mut expected, mut covered) = (0_u64, 0.0, Vec::new());
    for episode in episodes {
        expected += chance_of(question.stage, episode, &of);
        let met = episode
            .members
            .iter()
            .filter(|member| meets(question, member, &of, &mut covered))
            .count();
        with += u64::from(met > 0);
    }
    let n = episodes.len() as u64;
    if with < EPISODES_LEAST {
        return None;
    }
    let chance = (chance::at_least(with, n, expected / n as f64) * tests as f64).min(1.0);
    let share = with as f64 / n as f64;
    if share < SHARE_LEAST || (with as f64) < TIMES_LEAST * expected || chance > CHANCE_MOST {
        return None;
    }
    covered.sort_unstable_by(f64::total_cmp);
    let covers = covered.get(covered.len() / 2).copied();
    let says = (share - expected / n as f64) * covers.unwrap_or(0.5);
    Some((says, Reason::Beside { what, with, of: n, expected, chance, covers }))
}

fn chance_of(stage: Stage, episode: &Episode<'_>, of: &BTreeMap<Place, Spans>) -> f64 {
    let length = episode.to_ns.saturating_sub(episode.from_ns).max(0);
    let on_place = |place| of.get(&place).map_or(0.0, |spans| spans.chance(length));
    1.0 - places(stage, episode.members[0]).map(|place| 1.0 - on_place(place)).product::<f64>()
}

/// Whether the thing happened on one of the message's nodes during its time in the stage; keeps
/// which part of the delay it covers.
fn meets(
    question: &Question,
    member: &Member,
    of: &BTreeMap<Place, Spans>,
    covered: &mut Vec<f64>,
) -> bool {
    let (from, to) = (member.from_ns, member.to_ns);
    let meetings =
        places(question.stage, member).filter_map(|place| of.get(&place)?.meet(from, to));
    let delay = (to - from).saturating_sub(question.median_ns).max(1) as f64;
    let mut met = false;
    let mut most: Option<f64> = None;
    for meeting in meetings {
        met = true;
        let part = meeting.covered_ns.map(|ns| (ns as f64 / delay).min(1.0));
        most = if part > most { part } else { most };
    }
    covered.extend(most);
    met
}

/// The nodes that a stage depends on.
fn places(stage: Stage, member: &Member) -> impl Iterator<Item = Place> + use<> {
    let launch = member.launch;
    nodes_of(stage, member.src, member.dst).map(move |node| (launch, node))
}
