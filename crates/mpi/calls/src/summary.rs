//! `parameters.mpi`: what the first line of a report says.

use crate::entry::{ANY_PEER, flags};
use crate::list::NAMES;
use crate::ranks::{Rank, Ranks};
use crate::recording::Written;
use crate::traffic::Counts;
use clock::Ticks;
use record::Closing;
use serde_json::{Map, Value, json};

/// The summary of a run.
pub(crate) fn summary(
    ranks: &Ranks,
    closing: &Closing,
    counts: &Counts,
    written: &Written,
) -> Value {
    let fact = |name: &str| {
        ranks.present().find_map(|(_, rank)| rank.survey.facts.as_ref()?.get(name).cloned())
    };
    let calls: u64 = ranks.present().map(|(_, rank)| rank.survey.calls).sum();
    let receives = written.matched + written.lone_receives;
    json!({
        "library": fact("library").unwrap_or(Value::Null),
        "thread_level": fact("thread_level").unwrap_or(Value::Null),
        "ranks": ranks.list.len(),
        "calls": calls,
        "sends": counts.sends,
        "receives": receives,
        "matched": written.matched,
        "unmatched_sends": written.lone_sends,
        "unmatched_receives": written.lone_receives,
        "match_rate": match_rate(counts.sends, receives, written.matched),
        "causality_violations": written.violations,
        "sizes_differ": written.sizes_differ,
        "open_receives": counts.open_receives,
        "uncertain": counts.uncertain,
        "outside": counts.outside,
        "cancelled": counts.cancelled,
        "passed_through": passed_through(ranks),
        "in_progress": in_progress(ranks, closing),
        "missing_ranks": missing_ranks(ranks),
        "damaged": damaged(ranks),
    })
}

/// Matched messages among all that were sent or received; 1 when there are none.
fn match_rate(sends: u64, receives: u64, matched: u64) -> f64 {
    let all = sends + receives - matched;
    if all == 0 { 1.0 } else { matched as f64 / all as f64 }
}

/// Calls of functions that are only counted, over all ranks.
fn passed_through(ranks: &Ranks) -> Map<String, Value> {
    let mut sum = Map::new();
    let facts = ranks.present().filter_map(|(_, rank)| rank.survey.facts.as_ref());
    for counts in facts.filter_map(|facts| facts.get("passed_through")?.as_object()) {
        for (name, count) in counts {
            let before = sum.get(name).and_then(Value::as_u64).unwrap_or(0);
            sum.insert(name.clone(), json!(before + count.as_u64().unwrap_or(0)));
        }
    }
    sum
}

/// The calls in which ranks were when they ended.
fn in_progress(ranks: &Ranks, closing: &Closing) -> Vec<Value> {
    let of_rank = |(at, rank): (usize, &Rank)| {
        let call = rank.survey.in_progress?;
        let name = NAMES.get(usize::from(call.operation))?;
        let seen = rank.view.get(call.communicator).filter(|_| call.flags & flags::MESSAGE != 0);
        let peer = match call.peer {
            ANY_PEER if seen.is_some() => Some(i64::from(ANY_PEER)),
            peer => seen.and_then(|seen| seen.world_rank(peer)).map(i64::from),
        };
        let since = closing.model(&rank.sheet).map(|model| model.timeline(Ticks(call.enter)).0);
        let tag = seen.map(|_| call.tag);
        Some(
            json!({ "rank": at, "call": format!("MPI_{name}"), "peer": peer, "tag": tag, "since_ns": since }),
        )
    };
    ranks.present().filter_map(of_rank).collect()
}

/// Ranks of the world that left no log.
fn missing_ranks(ranks: &Ranks) -> Vec<usize> {
    let logged = |rank: &Option<Rank>| rank.as_ref().is_some_and(|rank| rank.files.is_some());
    ranks.list.iter().enumerate().filter(|(_, rank)| !logged(rank)).map(|(at, _)| at).collect()
}

/// What was wrong with logs.
fn damaged(ranks: &Ranks) -> Vec<Value> {
    let of_rank = |(at, rank): (usize, &Rank)| {
        let damage = rank.survey.damage;
        let faults = rank.files.as_ref().map_or(&[][..], |files| &files.faults);
        let is_sound = damage == Default::default() && faults.is_empty();
        (!is_sound).then(|| {
            json!({
                "rank": at, "places": damage.places, "words": damage.words, "missing_words": damage.missing_words,
                "dangling": damage.dangling, "faults": faults,
            })
        })
    };
    ranks.present().filter_map(of_rank).collect()
}
