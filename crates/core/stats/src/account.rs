//! Lays a message's time out over what was seen on its nodes.
//!
//! The kernel counts a wait for a core when it is over: a row of the watcher may hold 300 ms that
//! ended within it and began long before it. So an amount is placed back from the end of its row,
//! as late as it can have been, over earlier rows where it is longer than its own. And only the
//! threads are asked on which the stage depends: who waits in a receive queue waits for the
//! receiver, who waits to be sent for the sender.

use record::{Cause, CauseSpan, NodeCauses};

use crate::analysis::{Account, Paged, Part, Stage};

#[cfg(test)]
mod tests;

/// A message's time in a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    pub launch: u32,
    /// The stage.
    pub stage: Stage,
    /// Node that sent it.
    pub src: u32,
    /// Node that it was for.
    pub dst: u32,
    /// From when to when, ns on the timeline.
    pub time: (i64, i64),
}

/// A row of a cause that is a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Timed {
    /// The earliest moment at which it can have begun.
    pub begin: i64,
    pub from: i64,
    pub to: i64,
    pub amount: i64,
}

/// Work that took this long a fault and less was little else than faults: mapping and clearing a
/// page takes about a microsecond.
const NS_A_MINOR_FAULT: i64 = 4_000;
/// The slowest disks take so long to read a page.
const NS_A_MAJOR_FAULT: i64 = 50_000_000;
/// Faults explain time from a tenth of it on.
const FAULTS_LEAST: i64 = 10;

/// The nodes that a stage depends on.
pub(crate) fn nodes_of(stage: Stage, src: u32, dst: u32) -> impl Iterator<Item = u32> {
    let both = matches!(stage, Stage::EndToEnd | Stage::Transit) && src != dst;
    let first = if stage == Stage::ReceiveWait { dst } else { src };
    std::iter::once(first).chain(both.then_some(dst))
}

/// What was seen of this time.
pub fn account(causes: &[NodeCauses], held: Held) -> Account {
    let of_ns = held.time.1.saturating_sub(held.time.0).max(0);
    let of = |node| causes.iter().find(|of| of.launch == held.launch && of.node == node);
    let nodes: Vec<(u32, Option<&NodeCauses>)> =
        nodes_of(held.stage, held.src, held.dst).map(|node| (node, of(node))).collect();
    let mut parts: Vec<Part> = nodes
        .iter()
        .filter_map(|(_, of)| *of)
        .flat_map(|of| Cause::ALL.into_iter().filter_map(move |cause| part(of, cause, held)))
        .collect();
    parts.iter_mut().for_each(|part| part.while_ran = while_ran(causes, held.launch, part));
    let ran_ns = match nodes[..] {
        [(_, Some(of))] => ran(of, held.time),
        _ => None,
    };
    let mut account = Account {
        of_ns,
        covered_ns: union(&parts),
        parts,
        ran_ns,
        watched: nodes.iter().all(|(_, of)| of.is_some_and(|of| is_watched(of, held.time))),
        paged: Vec::new(),
    };
    match nodes[..] {
        [(_, Some(of))] => add_faults(&mut account, of, held.time),
        [_, _] => {
            account.paged = nodes.iter().filter_map(|(_, of)| paged((*of)?, held.time)).collect()
        }
        _ => {}
    }
    account.parts.sort_by_key(|part| (-part.ns, part.node, part.cause));
    account
}

/// What one cause took of the time; `None`: nothing, or it has no length.
fn part(of: &NodeCauses, cause: Cause, held: Held) -> Option<Part> {
    let spans = match cause {
        Cause::Resent => lost(of, held)?,
        cause if cause.is_time() && !cause.is_background() && !cause.is_before() => {
            let rows = of.spans.iter().filter(|span| span.cause == cause).map(Timed::of);
            place(rows.filter(|row| row.meets(held.time)).collect(), held.time)
        }
        _ => return None,
    };
    let ns = spans.iter().map(|(from, to)| to - from).sum();
    (ns > 0).then_some(Part { node: of.node, cause, ns, times: None, while_ran: None, spans })
}

/// What was lost is late from when it was sent until it is sent again.
fn lost(of: &NodeCauses, held: Held) -> Option<Vec<(i64, i64)>> {
    let on_way = matches!(held.stage, Stage::Transit | Stage::EndToEnd) && of.node == held.src;
    let again = |span: &&CauseSpan| {
        span.cause == Cause::Resent && (held.time.0..=held.time.1).contains(&span.to_ns)
    };
    let last = of.spans.iter().filter(again).map(|span| span.to_ns).max();
    last.filter(|_| on_way).map(|last| vec![(held.time.0, last)])
}

impl Timed {
    pub fn of(span: &CauseSpan) -> Timed {
        let &CauseSpan { cause, from_ns, to_ns, amount } = span;
        // The older watcher did not say how much of its span it worked.
        let is_span = cause.is_exact() || (cause == Cause::Watcher && amount == 0);
        let amount = if is_span { to_ns.saturating_sub(from_ns) } else { amount };
        Timed { begin: from_ns.min(to_ns.saturating_sub(amount)), from: from_ns, to: to_ns, amount }
    }

    /// Whether it can have lasted at some moment of the time. What ends after the time has ended
    /// did not hold it.
    pub fn meets(&self, (from, to): (i64, i64)) -> bool {
        self.begin < to && self.to > from && self.from < to
    }
}

/// Where amounts can have been within a time: each as late as it can, none over another. In order.
pub(crate) fn place(mut rows: Vec<Timed>, (from, to): (i64, i64)) -> Vec<(i64, i64)> {
    rows.sort_unstable_by_key(|row| (row.to, row.from));
    let (mut spans, mut left) = (Vec::new(), to);
    for row in rows.into_iter().rev() {
        let end = row.to.min(left);
        let begin = end.saturating_sub(row.amount).max(from);
        if begin < end {
            spans.push((begin, end));
            left = begin;
        }
    }
    spans.reverse();
    spans
}

/// How much of a time the parts cover, what overlaps counted once.
fn union(parts: &[Part]) -> i64 {
    let mut spans: Vec<(i64, i64)> =
        parts.iter().flat_map(|part| part.spans.iter().copied()).collect();
    spans.sort_unstable();
    let mut reached = i64::MIN;
    let more = |(from, to): (i64, i64)| {
        let more = to.saturating_sub(from.max(reached)).max(0);
        reached = reached.max(to);
        more
    };
    spans.into_iter().map(more).sum()
}

/// Whether the node was looked at before the time and after it.
fn is_watched(of: &NodeCauses, (from, to): (i64, i64)) -> bool {
    let looks =
        || of.spans.iter().filter(|span| matches!(span.cause, Cause::Watched | Cause::Watcher));
    looks().any(|span| span.from_ns <= from) && looks().any(|span| span.to_ns >= to)
}

/// How long the thread surely ran within a time.
fn ran(of: &NodeCauses, (from, to): (i64, i64)) -> Option<i64> {
    let mut rows = of.spans.iter().filter(|span| span.cause == Cause::Ran).peekable();
    rows.peek()?;
    let surely = |span: &CauseSpan| {
        let outside = (from - span.from_ns).max(0) + (span.to_ns - to).max(0);
        (span.amount - outside).max(0)
    };
    Some(rows.filter(|span| span.from_ns < to && span.to_ns > from).map(surely).sum())
}

/// Of a process that stood still: a node whose watcher looked meanwhile.
fn while_ran(causes: &[NodeCauses], launch: u32, part: &Part) -> Option<u32> {
    if part.cause != Cause::Stopped {
        return None;
    }
    let during = |span: &CauseSpan| {
        span.cause == Cause::Watcher
            && part.spans.iter().any(|(from, to)| (*from..*to).contains(&span.from_ns))
    };
    let others = causes.iter().filter(|of| of.launch == launch && of.node != part.node);
    others.filter(|of| of.spans.iter().any(during)).map(|of| of.node).next()
}

/// What was counted of a cause in rows that meet a time.
fn count(of: &NodeCauses, cause: Cause, (from, to): (i64, i64)) -> i64 {
    let meets = |span: &&CauseSpan| span.cause == cause && span.from_ns < to && span.to_ns > from;
    of.spans.iter().filter(meets).map(|span| span.amount.max(0)).sum()
}

/// A node that read pages meanwhile. The message may have been out of its hands, or not yet in
/// them.
fn paged(of: &NodeCauses, time: (i64, i64)) -> Option<Paged> {
    let pages =
        u64::try_from(count(of, Cause::MajorFaults, time)).ok().filter(|pages| *pages > 0)?;
    Some(Paged { node: of.node, pages })
}

/// Faults have no length of their own. Those without a disk are told where the thread did little
/// else, those with one where it neither ran nor waited for a core.
fn add_faults(account: &mut Account, of: &NodeCauses, time: (i64, i64)) {
    let Some(ran_ns) = account.ran_ns else { return };
    let blocked_ns = (account.of_ns - account.covered_ns - ran_ns).max(0);
    for (cause, ns, each) in [
        (Cause::MinorFaults, ran_ns, NS_A_MINOR_FAULT),
        (Cause::MajorFaults, blocked_ns, NS_A_MAJOR_FAULT),
    ] {
        let times = count(of, cause, time);
        if ns > 0 && FAULTS_LEAST * ns >= account.of_ns && times.saturating_mul(each) >= ns {
            let times = u64::try_from(times).ok();
            account.parts.push(Part {
                node: of.node,
                cause,
                ns,
                times,
                while_ran: None,
                spans: Vec::new(),
            });
            account.covered_ns += ns;
            if cause == Cause::MinorFaults {
                account.ran_ns = Some(0);
            }
        }
    }
}
