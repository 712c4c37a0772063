//! What held a message in the receive queue.

use super::cancelled::{for_that_object, most};
use super::chain;
use super::fact::Fact;
use super::gather::{Counts, Scene};
use super::row::Row;
use super::seen::{Seen, Told, is_explained};
use super::work::doing;

use crate::analysis::Stage;

/// The longest time without a taking is told from this part of the wait on.
const GAP: f64 = 0.2;
/// An object's cancellations are told from so many on.
const CANCELLED: u64 = 2;

/// What is known of a receive wait from `time.0` to `time.1`. `is_long`: it is a good part of the
/// message's life.
pub(super) fn facts(scene: &Scene, time: (i64, i64), is_long: bool, seen: &Seen<'_>) -> Vec<Fact> {
    let counts = &scene.counts;
    let &Counts { before, mates, machinery, .. } = counts;
    let mut facts = vec![Fact::Queue { before, mates, machinery }];
    if !is_long {
        return facts;
    }
    let usual = scene.usual.times(Stage::ReceiveWait, time.1.saturating_sub(time.0));
    facts.splice(0..0, usual.map(Fact::Usual));
    let gaps = Gaps::of(scene, time);
    if counts.before > 0
        && let Some(median_ns) = gaps.median()
    {
        facts.push(Fact::TakenBefore { messages: counts.before, median_ns });
    }
    if counts.overtook > 0 {
        facts.push(Fact::Overtaken { messages: counts.overtook });
    }
    facts.extend(calls(&scene.message, time));
    let longest = gaps.longest();
    let is_told = (longest.1.saturating_sub(longest.0)) as f64
        >= GAP * (time.1.saturating_sub(time.0)) as f64;
    let focus = if is_told { longest } else { time };
    if is_told {
        let (from_ns, to_ns) = longest;
        facts.push(Fact::Gap {
            node: scene.message.dst,
            from_ns,
            to_ns,
            is_whole: longest == time,
        });
    }
    facts.extend(in_time(scene, focus, is_told, seen));
    facts
}

/// What held the node's thread in that time, what the node did, and why. `is_quiet`: it took
/// nothing.
fn in_time(scene: &Scene, time: (i64, i64), is_quiet: bool, seen: &Seen<'_>) -> Vec<Fact> {
    let account = seen.account(&scene.message, Stage::ReceiveWait, time);
    let told = Told::of(&account, scene.message.dst);
    let mut facts = Vec::new();
    let cancelled = most(scene, time).filter(|(of, _)| of.to_self + of.to_others >= CANCELLED);
    if let Some((of, rows)) = &cancelled {
        facts.push(Fact::Cancelled(of.clone()));
        facts.extend(for_that_object(&scene.message, of, rows));
    }
    let is_silent = is_quiet && cancelled.is_none() && !is_explained(&account);
    let is_known = is_silent.then_some(!told.is_nothing());
    let done = doing(scene.receiver.rows(), scene.message.dst, time, is_known);
    facts.extend(done.facts);
    let mut links = done.longest.map_or_else(Vec::new, |longest| chain::of_work(scene, longest));
    if let Some((_, rows)) = &cancelled {
        for link in rows.first().map_or_else(Vec::new, |first| chain::of_cancelling(scene, first)) {
            if !links.contains(&link) {
                links.push(link);
            }
        }
    }
    facts.extend(links.into_iter().map(Fact::Because));
    told.behind(&mut facts);
    facts
}

/// What a traced program did to receive it.
fn calls(message: &Row, (arrived, taken): (i64, i64)) -> Vec<Fact> {
    let posted = message
        .posted_ns
        .map(|posted| Fact::Posted { after_arrival_ns: posted.saturating_sub(arrived) });
    let awaited = message.awaited_ns.map(|awaited| Fact::Awaited {
        after_arrival_ns: awaited.saturating_sub(arrived),
        woken_before_taken_ns: message.woken_ns.map(|woken| taken.saturating_sub(woken)),
        before_taken_ns: taken.saturating_sub(awaited),
    });
    posted.into_iter().chain(awaited).collect()
}

/// The times from one taking of the node to the next, while the message waited.
struct Gaps {
    /// Moments, ascending: when the message arrived, the takings, when it was taken.
    moments: Vec<i64>,
}

impl Gaps {
    fn of(scene: &Scene, (arrived, taken): (i64, i64)) -> Gaps {
        let node = scene.message.dst;
        let takes = |row: &&Row| row.dst == node && !row.is_work() && !row.is_within_node();
        let takings = scene.receiver.rows().iter().filter(takes).filter_map(|row| row.taken_ns);
        let during = takings.filter(|time| (arrived..=taken).contains(time));
        let mut moments: Vec<i64> = [arrived, taken].into_iter().chain(during).collect();
        moments.sort_unstable();
        Gaps { moments }
    }

    fn median(&self) -> Option<i64> {
        let mut gaps: Vec<i64> =
            self.moments.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
        gaps.sort_unstable();
        gaps.get(gaps.len().checked_sub(1)? / 2).copied()
    }

    /// The first of the longest.
    fn longest(&self) -> (i64, i64) {
        let pairs = self.moments.windows(2).map(|pair| (pair[0], pair[1]));
        pairs.rev().max_by_key(|(from, to)| to.saturating_sub(*from)).unwrap_or_default()
    }
}
