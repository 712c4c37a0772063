//! In what slow messages are alike, and other messages are not.

use std::collections::BTreeMap;

use super::sample::Member;
use crate::analysis::{By, Reason, Trait};

/// A trait that this part of the group has, and at most half of all messages, tells something.
const SHARE_LEAST: f64 = 0.8;
const BASE_MOST: f64 = 0.5;
/// Of a smaller group nothing is said.
const MEMBERS_LEAST: usize = 10;
/// The first messages of a launch: caches, connections and the other side are cold.
const EARLY: f64 = 0.01;

/// What the group's messages have in common, against all messages.
pub(super) fn reasons(
    members: &[Member],
    all: &[Member],
    launches: &BTreeMap<u32, (i64, i64)>,
) -> Vec<Reason> {
    if members.len() < MEMBERS_LEAST {
        return Vec::new();
    }
    let traits = [
        Trait::Column(By::Pair),
        Trait::Column(By::Kind),
        Trait::Column(By::Bytes),
        Trait::Column(By::Hops),
        Trait::Column(By::Packets),
        Trait::Column(By::Launch),
        Trait::Queued,
        Trait::Early,
    ];
    traits.into_iter().filter_map(|by| reason(by, members, all, launches)).collect()
}

fn reason(
    by: Trait,
    members: &[Member],
    all: &[Member],
    launches: &BTreeMap<u32, (i64, i64)>,
) -> Option<Reason> {
    let value = |member: &Member| value(by, member, launches);
    let mut counts: BTreeMap<(i64, i64), usize> = BTreeMap::new();
    members.iter().filter_map(value).for_each(|value| *counts.entry(value).or_default() += 1);
    let (most, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let share = count as f64 / members.len() as f64;
    let base = all.iter().filter(|member| value(member) == Some(most)).count() as f64
        / all.len().max(1) as f64;
    // That nobody waited, or that it was not early, tells nothing.
    let tells = !matches!(by, Trait::Queued | Trait::Early) || most.0 == 1;
    let clear = share >= SHARE_LEAST && base <= BASE_MOST && tells;
    clear.then(|| Reason::Alike { by, value: label(by, most), share, base })
}

fn value(by: Trait, member: &Member, launches: &BTreeMap<u32, (i64, i64)>) -> Option<(i64, i64)> {
    let known = |value: i64| (value != record::NULL).then_some((value, 0));
    match by {
        Trait::Column(By::Pair) => Some((i64::from(member.src), i64::from(member.dst))),
        Trait::Column(By::Kind) => member.kind.map(|kind| (kind as i64, 0)),
        Trait::Column(By::Bytes) => known(member.bytes),
        Trait::Column(By::Hops) => known(member.hops),
        Trait::Column(By::Packets) => known(member.packets),
        Trait::Column(By::Launch) => Some((i64::from(member.launch), 0)),
        Trait::Queued => known(member.queue_len).map(|(length, _)| (i64::from(length > 0), 0)),
        Trait::Early => {
            // Of half a message the moment may not be known.
            let (from, _) = known(member.from_ns)?;
            let (begin, end) = launches.get(&member.launch)?;
            let early = (from - begin) as f64 <= EARLY * (end - begin) as f64;
            Some((i64::from(early), 0))
        }
    }
}

fn label(by: Trait, value: (i64, i64)) -> String {
    match by {
        Trait::Column(By::Pair) => format!("{} → {}", value.0, value.1),
        Trait::Column(By::Kind) => {
            let kind = u8::try_from(value.0).ok().and_then(record::Kind::from_code);
            kind.map_or_else(|| value.0.to_string(), |kind| kind.name().to_owned())
        }
        Trait::Column(_) => value.0.to_string(),
        Trait::Queued | Trait::Early => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::NULL;

    fn member(seq: u64, from_ns: i64) -> Member {
        let (bytes, hops, packets, queue_len) = (8, NULL, NULL, NULL);
        let (launch, src, dst, kind, to_ns) = (0, 0, 1, None, from_ns.saturating_add(5));
        Member { launch, src, dst, seq, kind, bytes, hops, packets, queue_len, from_ns, to_ns }
    }

    #[test]
    fn early_messages_are_alike_beside_halves_without_a_moment() {
        let members: Vec<Member> = (0..10).map(|seq| member(seq, seq as i64)).collect();
        let others = (10..40).map(|seq| member(seq, 500_000));
        let half = member(40, NULL);
        let all: Vec<Member> = members.iter().copied().chain(others).chain([half]).collect();
        let found = reasons(&members, &all, &BTreeMap::from([(0, (0, 1_000_000))]));
        let is_early = |reason: &Reason| matches!(reason, Reason::Alike { by: Trait::Early, .. });
        assert_eq!(found.iter().filter(|reason| is_early(reason)).count(), 1, "{found:?}");
    }
}
