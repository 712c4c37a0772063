//! `parameters.mpi`: what the first line of a report says.

use crate::doubts::Doubts;
use crate::entry::{ANY_PEER, flags};
use crate::list::NAMES;
use crate::log::LogDamage;
use crate::ranks::{Rank, Ranks};
use crate::recording::Written;
use crate::runner::Counts;
use clock::Ticks;
use mpi_facts::{Damaged, FromAny, InProgress, Matching, MpiFacts, RankFacts};
use record::Closing;
use std::collections::BTreeMap;

/// The summary of a run.
pub(crate) fn summary(
    ranks: &Ranks,
    closing: &Closing,
    counts: &Counts,
    written: &Written,
    doubts: &Doubts,
) -> MpiFacts {
    let first = facts(ranks).next();
    MpiFacts {
        library: first.and_then(|facts| facts.library.clone()),
        thread_asked: first.and_then(|facts| facts.thread_asked),
        thread_level: first.and_then(|facts| facts.thread_level),
        ranks: ranks.list.len() as u64,
        calls: ranks.present().map(|(_, rank)| rank.survey.calls).sum(),
        matching: matching(counts, written, doubts),
        passed_through: passed_through(ranks),
        in_progress: in_progress(ranks, closing),
        blocking: Some(written.blocking.clone()),
        waits_from_bytes: None,
        missing_ranks: missing_ranks(ranks),
        damaged: damaged(ranks),
    }
}

/// What the ranks say of themselves.
fn facts(ranks: &Ranks) -> impl Iterator<Item = &RankFacts> {
    ranks.present().filter_map(|(_, rank)| rank.survey.facts.as_ref())
}

fn matching(counts: &Counts, written: &Written, doubts: &Doubts) -> Matching {
    let receives = written.matched + written.lone_receives;
    Matching {
        sends: counts.sends,
        receives,
        matched: written.matched,
        unmatched_sends: written.lone_sends,
        unmatched_receives: written.lone_receives,
        match_rate: Some(match_rate(counts.sends, receives, written.matched)),
        causality_violations: written.violations,
        sizes_differ: doubts.sizes_differ(),
        truncated: written.truncated,
        doubtful_pairs: doubts.told(),
        doubtful_messages: doubts.messages(),
        from_any: FromAny {
            open_receives: counts.open_receives,
            untold_receives: counts.untold_receives,
            uncertain: counts.uncertain,
        },
        by_threads: counts.by_threads,
        outside: counts.outside,
        cancelled: counts.cancelled,
    }
}

/// Matched messages among all that were sent or received; 1 when there are none.
fn match_rate(sends: u64, receives: u64, matched: u64) -> f64 {
    let all = sends + receives - matched;
    if all == 0 { 1.0 } else { matched as f64 / all as f64 }
}

/// Calls of functions that are only counted, over all ranks.
fn passed_through(ranks: &Ranks) -> BTreeMap<String, u64> {
    let mut sum = BTreeMap::new();
    for (name, count) in facts(ranks).flat_map(|facts| &facts.passed_through) {
        *sum.entry(name.clone()).or_default() += count;
    }
    sum
}

/// The calls in which ranks were when they ended.
fn in_progress(ranks: &Ranks, closing: &Closing) -> Vec<InProgress> {
    let of_rank = |(at, rank): (usize, &Rank)| {
        let call = rank.survey.in_progress?;
        let name = NAMES.get(usize::from(call.operation))?;
        let seen = rank.view.get(call.communicator).filter(|_| call.flags & flags::MESSAGE != 0);
        let peer = match call.peer {
            ANY_PEER if seen.is_some() => Some(InProgress::ANY_PEER),
            peer => seen.and_then(|seen| seen.world_rank(peer)).map(i64::from),
        };
        let model = closing.model(&rank.sheet);
        Some(InProgress {
            rank: at as u64,
            call: format!("MPI_{name}"),
            peer,
            // Collectives and one-sided communication have none.
            tag: seen
                .filter(|_| !call.is_of_a_collective() && !call.is_one_sided())
                .map(|_| i64::from(call.tag)),
            since_ns: model.map(|model| model.timeline(Ticks(call.enter)).0),
        })
    };
    ranks.present().filter_map(of_rank).collect()
}

/// Ranks of the world that left no log.
fn missing_ranks(ranks: &Ranks) -> Vec<u64> {
    let logged = |rank: &Option<Rank>| rank.as_ref().is_some_and(|rank| rank.files.is_some());
    let missing = ranks.list.iter().enumerate().filter(|(_, rank)| !logged(rank));
    missing.map(|(at, _)| at as u64).collect()
}

/// What was wrong with logs.
fn damaged(ranks: &Ranks) -> Vec<Damaged> {
    let of_rank = |(at, rank): (usize, &Rank)| {
        let LogDamage { places, words, missing_words, dangling } = rank.survey.damage;
        let faults = rank.files.iter().flat_map(|files| files.faults.clone());
        let faults = faults.chain(unknown_functions(rank)).collect();
        Damaged { rank: at as u64, places, words, missing_words, dangling, faults }
    };
    let is_sound = |log: &Damaged| *log == Damaged { rank: log.rank, ..Damaged::default() };
    ranks.present().map(of_rank).filter(|log| !is_sound(log)).collect()
}

/// A tracer of a later version knows functions that this reader does not: their calls are passed
/// over like damage.
fn unknown_functions(rank: &Rank) -> Option<String> {
    let more = rank.survey.facts.as_ref()?.functions.checked_sub(NAMES.len())?;
    (more > 0).then(|| {
        format!(
            "a later version wrote it, which knows {more} more MPI functions: calls to those are \
            missing; read it with that version"
        )
    })
}
