//! Collectives: which calls of different ranks are one, and for whom each of them waits.
//!
//! The k-th collective of a communicator is the same one on all its ranks, since the standard wants
//! them called in one order. One that goes on (`MPI_Ibcast`) is waited for in the call that
//! completes it. Between two groups the dependence is another on each side: those are counted and
//! not compared, like collectives of which a rank's call is missing.

use crate::blocked::{About, Accounts, Span, Wait};
use crate::cause::Cause;
use crate::dependence::Dependence;
use crate::event::Event;
use crate::groups::Seen;
use record::NULL;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// Collectives of a communicator that wait for the calls of the other ranks. There are more only if
/// a rank's calls are missing.
const OPEN_MAX: usize = 1 << 16;

/// The collectives whose calls have not all been seen.
#[derive(Default)]
pub(crate) struct Collectives {
    communicators: FxHashMap<u32, Communicator>,
    /// How far two ranks' clocks may be apart, ns.
    clock_error: i64,
    /// Calls whose waits were found out.
    pub compared: u64,
    /// Calls of which that cannot be done.
    pub not_compared: u64,
}

struct Communicator {
    members: FxHashMap<u32, Member>,
    open: VecDeque<Vec<Part>>,
    /// Number of the first that is open.
    first: u64,
}

struct Member {
    /// Its rank in the communicator.
    at: u32,
    /// Collectives so far.
    calls: u64,
}

/// A rank's call of a collective.
#[derive(Clone)]
struct Part {
    at: u32,
    operation: u16,
    root: i32,
    /// When it was entered.
    begun: i64,
    /// The call that waits for its end.
    span: Span,
    bytes: u64,
    site: u32,
    /// Its neighbours, if it has any.
    sources: Option<Arc<[u32]>>,
}

impl Collectives {
    /// None yet, of ranks whose clocks may be so far apart.
    pub fn new(clock_error: i64) -> Collectives {
        Collectives { clock_error, ..Collectives::default() }
    }

    /// Take in a rank's call; what the ranks waited for goes to `accounts` once all are there.
    pub fn add(&mut self, rank: u32, event: &Event, seen: Option<&Seen>, accounts: &mut Accounts) {
        let Some(seen) = seen.filter(|seen| !seen.between) else {
            self.not_compared += 1;
            return;
        };
        let communicator =
            self.communicators.entry(seen.global).or_insert_with(|| Communicator::of(seen));
        let Some(number) = communicator.number(rank) else {
            self.not_compared += 1;
            return;
        };
        let at = communicator.members[&rank].at;
        communicator.put(number, part(rank, at, event, seen));
        while let Some(parts) = communicator.next_whole() {
            let waits = waits(&parts);
            let count = parts.len() as u64;
            *(if waits.is_some() { &mut self.compared } else { &mut self.not_compared }) += count;
            let held = |(span, wait): &(Span, Wait)| wait.until <= span.exit + self.clock_error;
            for (span, wait) in waits.into_iter().flatten().filter(held) {
                accounts.add(span, wait);
            }
        }
        self.not_compared += communicator.give_up();
    }

    /// Calls that were compared, and those that were not or never will be.
    pub fn counts(&self) -> [u64; 2] {
        let open = self.communicators.values().flat_map(|one| one.open.iter());
        [self.compared, self.not_compared + open.map(|parts| parts.len() as u64).sum::<u64>()]
    }
}

fn part(rank: u32, at: u32, event: &Event, seen: &Seen) -> Part {
    let call = &event.call;
    let own = Span { rank, row: event.row, enter: event.enter, exit: event.exit };
    let span = match call.request {
        0 => own,
        _ => Span { row: event.ended.row, enter: event.ended.enter, exit: event.ended.exit, ..own },
    };
    Part {
        at,
        operation: call.operation,
        root: call.peer,
        begun: event.enter,
        span,
        bytes: call.bytes,
        site: call.site,
        sources: seen.sources.clone(),
    }
}

impl Communicator {
    fn of(seen: &Seen) -> Communicator {
        let member = |(at, rank): (usize, &u32)| (*rank, Member { at: at as u32, calls: 0 });
        Communicator {
            members: seen.peers.iter().enumerate().map(member).collect(),
            open: VecDeque::new(),
            first: 0,
        }
    }

    /// The number of the next collective of a rank.
    fn number(&mut self, rank: u32) -> Option<u64> {
        let member = self.members.get_mut(&rank)?;
        member.calls += 1;
        Some(member.calls - 1)
    }

    fn put(&mut self, number: u64, part: Part) {
        // One that was given up has no place any more.
        let Some(at) = number.checked_sub(self.first) else { return };
        while self.open.len() as u64 <= at {
            self.open.push_back(Vec::new());
        }
        self.open[at as usize].push(part);
    }

    /// The first one, if all ranks' calls are there.
    fn next_whole(&mut self) -> Option<Vec<Part>> {
        let whole = self.open.front().is_some_and(|parts| parts.len() == self.members.len());
        self.first += u64::from(whole);
        if whole { self.open.pop_front() } else { None }
    }

    /// Leave out what waits for too long; how many calls those are.
    fn give_up(&mut self) -> u64 {
        let mut calls = 0;
        while self.open.len() > OPEN_MAX {
            calls += self.open.pop_front().map_or(0, |parts| parts.len() as u64);
            self.first += 1;
        }
        calls
    }
}

/// What each rank of a collective waits for; `None` where that is not known.
fn waits(parts: &[Part]) -> Option<Vec<(Span, Wait)>> {
    let first = parts.first()?;
    if parts.iter().any(|part| part.operation != first.operation || part.begun == NULL) {
        return None;
    }
    let root = |part: &&Part| i64::from(part.at) == i64::from(first.root);
    let late = |late: Option<&Part>, waits: &[Part]| {
        let Some(late) = late else { return Vec::new() };
        waits.iter().filter(|part| part.at != late.at).map(|part| wait(part, late)).collect()
    };
    Some(match Dependence::of(first.operation) {
        Dependence::All => late(last(parts), parts),
        Dependence::Root => late(Some(parts.iter().find(root)?), parts),
        Dependence::OfRoot => {
            let root = parts.iter().find(root)?;
            let others: Vec<Part> =
                parts.iter().filter(|part| part.at != root.at).cloned().collect();
            late(last(&others), std::slice::from_ref(root))
        }
        Dependence::Lower => lower(parts),
        Dependence::Neighbours => of_neighbours(parts)?,
    })
}

/// Each waits for the last of its neighbours; `None` if they are not known of all.
fn of_neighbours(parts: &[Part]) -> Option<Vec<(Span, Wait)>> {
    let mut parts = parts.to_vec();
    parts.sort_unstable_by_key(|part| part.at);
    let mut waits = Vec::new();
    for part in &parts {
        let sources = part.sources.as_ref()?.iter().filter(|source| **source != part.at);
        let sources = sources.filter_map(|source| parts.get(*source as usize));
        let late = sources.max_by_key(|part| (part.begun, std::cmp::Reverse(part.at)));
        waits.extend(late.map(|late| wait(part, late)));
    }
    Some(waits)
}

/// Each waits for the last of those before it.
fn lower(parts: &[Part]) -> Vec<(Span, Wait)> {
    let mut parts = parts.to_vec();
    parts.sort_unstable_by_key(|part| part.at);
    let mut waits = Vec::new();
    let mut late: Option<Part> = None;
    for part in parts {
        waits.extend(late.as_ref().map(|late| wait(&part, late)));
        late = late.filter(|late| late.begun >= part.begun).or(Some(part));
    }
    waits
}

/// The last to enter; of several the one with the smallest rank.
fn last(parts: &[Part]) -> Option<&Part> {
    parts.iter().max_by_key(|part| (part.begun, std::cmp::Reverse(part.at)))
}

fn wait(part: &Part, late: &Part) -> (Span, Wait) {
    let about = About {
        function: Some(part.operation),
        sites: [part.site, late.site],
        tag: NULL,
        seq: NULL,
        bytes: part.bytes,
        ready: NULL,
        taken: NULL,
    };
    let by = late.span.rank;
    (part.span, Wait { cause: Cause::Collective, by, until: late.begun, sure: true, about })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::Operation;

    /// Rank 1 is the root; the ranks enter at 10, 40, 20 and 30 µs and leave at 50.
    fn waited(operation: Operation) -> Option<Vec<(u32, u32, i64)>> {
        let part = |(at, begun): (u32, i64)| Part {
            at,
            operation: operation as u16,
            root: 1,
            begun,
            span: Span { rank: 100 + at, row: 0, enter: begun, exit: 50 },
            bytes: 0,
            site: 0,
            sources: None,
        };
        let parts: Vec<Part> = (0..).zip([10, 40, 20, 30]).map(part).collect();
        let all = waits(&parts)?;
        let told = all.iter().map(|(span, wait)| (span.rank, wait.by, wait.until - span.enter));
        Some(told.filter(|(.., ns)| *ns > 0).collect())
    }

    #[test]
    fn waits_follow_what_each_depends_on() {
        let all = vec![(100, 101, 30), (102, 101, 20), (103, 101, 10)];
        assert_eq!(waited(Operation::Allreduce), Some(all.clone()));
        // The root is the last.
        assert_eq!(waited(Operation::Bcast), Some(all.clone()));
        assert_eq!(waited(Operation::Reduce), Some(vec![]));
        assert_eq!(waited(Operation::Scan), Some(vec![(102, 101, 20), (103, 101, 10)]));
        assert_eq!(waited(Operation::Neighbor_alltoall), None);
    }

    #[test]
    fn neighbours_wait_for_the_last_of_theirs() {
        // Each gets something from the one before it and from itself.
        let part = |(at, begun): (u32, i64)| Part {
            at,
            operation: Operation::Neighbor_alltoall as u16,
            root: -1,
            begun,
            span: Span { rank: at, row: 0, enter: begun, exit: 50 },
            bytes: 0,
            site: 0,
            sources: Some(Arc::from([(at + 3) % 4, at])),
        };
        let parts: Vec<Part> = (0..).zip([10, 40, 20, 30]).map(part).collect();
        let all = waits(&parts).unwrap();
        let told: Vec<_> =
            all.iter().map(|(span, wait)| (span.rank, wait.by, wait.until)).collect();
        assert_eq!(told, [(0, 3, 30), (1, 0, 10), (2, 1, 40), (3, 2, 20)]);
    }

    #[test]
    fn who_waits_for_the_root_alone_does_not_wait_for_the_last() {
        let part = |(at, begun): (u32, i64)| Part {
            at,
            operation: Operation::Bcast as u16,
            root: 0,
            begun,
            span: Span { rank: at, row: 0, enter: begun, exit: begun + 5 },
            bytes: 0,
            site: 0,
            sources: None,
        };
        let parts: Vec<Part> = (0..).zip([10, 1_000, 8]).map(part).collect();
        let told: Vec<_> = waits(&parts)
            .unwrap()
            .iter()
            .map(|(span, wait)| (span.rank, wait.by, wait.until - span.enter))
            .collect();
        assert_eq!(told, [(1, 0, -990), (2, 0, 2)]);
        let reduce: Vec<Part> = parts
            .iter()
            .map(|part| Part { operation: Operation::Reduce as u16, ..part.clone() })
            .collect();
        let told = waits(&reduce).unwrap();
        assert_eq!(told.len(), 1, "only the root waits");
        assert_eq!((told[0].0.rank, told[0].1.by, told[0].1.until), (0, 1, 1_000));
    }
}
