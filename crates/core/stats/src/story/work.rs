//! What a node's engine did in some time.

use record::Kind;

use std::collections::BTreeSet;

use super::fact::{Fact, Work};
use super::row::Row;

/// Work below this part of the time is not told.
const WORTH_TELLING: f64 = 0.02;
/// From this part on the time counts as explained.
const EXPLAINED: f64 = 0.95;
/// Below this part nothing worth mentioning is recorded.
const SILENT: f64 = 0.05;

/// What a node did in some time.
#[derive(Debug)]
pub(super) struct Doing<'a> {
    /// Sentences, the most important first.
    pub facts: Vec<Fact>,
    /// The piece of work that took longest in that time, GVT rounds left out: in older runs a
    /// node works on meanwhile.
    pub longest: Option<&'a Row>,
}

/// What the rows say that `node` did between these moments. `is_quiet`: it took no message in that
/// time either, and something else tells how its thread was, or not.
pub(super) fn doing(
    rows: &[Row],
    node: u32,
    time: (i64, i64),
    is_quiet: Option<bool>,
) -> Doing<'_> {
    let of_ns = time.1.saturating_sub(time.0);
    let here = |row: &&Row| row.is_work() && row.dst == node && row.within(time) > 0;
    let pieces: Vec<&Row> = rows.iter().filter(here).collect();
    let busy: Vec<&Row> = pieces.iter().copied().filter(|row| !is_background(row.kind)).collect();
    let ns = covered(&busy, time);
    let part = ns as f64 / (of_ns as f64).max(1.0);
    let mut facts = Vec::new();
    if part >= SILENT {
        facts.push(Fact::Busy { node, ns, of_ns });
    }
    let mut kinds: Vec<Work> = Kind::ALL
        .into_iter()
        .filter(|kind| kind.is_interval())
        .filter_map(|kind| of_kind(&pieces, node, kind, time))
        .collect();
    kinds.sort_by_key(|work| (is_background(work.kind), -work.ns));
    kinds.retain(|work| work.ns as f64 >= WORTH_TELLING * of_ns as f64);
    facts.extend(kinds.into_iter().map(|work| Fact::Work(Box::new(work))));
    match part {
        part if part >= EXPLAINED => {}
        part if part < SILENT => {
            facts.extend(is_quiet.map(|watched| Fact::Silent { node, ns: of_ns, watched }));
        }
        part if part >= SILENT => facts.push(Fact::Unrecorded { node, ns: of_ns - ns }),
        _ => {}
    }
    Doing { facts, longest: busy.into_iter().max_by_key(|row| row.within(time)) }
}

/// A cycle goes on while its node does other things, and so does a round of GVT in older runs.
fn is_background(kind: Kind) -> bool {
    matches!(kind, Kind::GvtRound | Kind::Cycle)
}

fn of_kind(pieces: &[&Row], node: u32, kind: Kind, time: (i64, i64)) -> Option<Work> {
    let of: Vec<&Row> = pieces.iter().copied().filter(|row| row.kind == kind).collect();
    let longest = *of.iter().max_by_key(|row| row.within(time))?;
    let objects: BTreeSet<i64> = of.iter().filter_map(|row| row.dst_object).collect();
    let counts_events = matches!(kind, Kind::Rollback | Kind::Collection);
    let events: i64 = of.iter().filter(|_| counts_events).filter_map(|row| row.packets).sum();
    Some(Work {
        node,
        kind,
        pieces: of.len() as u64,
        ns: covered(&of, time),
        of_ns: time.1.saturating_sub(time.0),
        events: events.max(0) as u64,
        objects: objects.len() as u64,
        longest: longest.clone(),
    })
}

/// How much of the time is covered by at least one of the pieces, ns.
fn covered(pieces: &[&Row], (from, to): (i64, i64)) -> i64 {
    let mut spans: Vec<(i64, i64)> = pieces
        .iter()
        .filter_map(|row| Some((row.ready_ns?.max(from), row.taken_ns?.min(to))))
        .filter(|(begin, end)| begin < end)
        .collect();
    spans.sort_unstable();
    let mut reached = from;
    spans.into_iter().fold(0, |sum, (begin, end)| {
        let more = end.saturating_sub(begin.max(reached)).max(0);
        reached = reached.max(end);
        sum + more
    })
}
