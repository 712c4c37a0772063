//! Collectives: how far apart their ranks entered them.
//!
//! The k-th collective of a communicator is the same one on all its ranks, since the standard wants
//! them called in one order. How long ranks were blocked in them is in the table of blocked calls:
//! not every collective waits for its last rank.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::{CallRow, Function};
use crate::found::CollectiveTime;

/// Collectives that are compared on each communicator: its first.
const EACH: usize = 1 << 17;
/// Communicators on which they are compared: those with the smallest numbers.
const COMMUNICATORS: usize = 64;

/// The collectives of all communicators.
#[derive(Default)]
pub(super) struct Collectives {
    communicators: BTreeMap<i64, Communicator>,
    left_out: u64,
}

#[derive(Default)]
struct Communicator {
    calls: Vec<Instance>,
    /// Calls of each rank so far.
    ranks: HashMap<u32, usize>,
}

/// One collective: what all ranks' calls of it tell.
#[derive(Clone, Copy)]
struct Instance {
    code: usize,
    /// Whether all that came so far called the same function.
    agreed: bool,
    ranks: u64,
    first: i64,
    last: i64,
}

#[derive(Default)]
struct Sum {
    count: u64,
    spread_ns: i64,
    spread_max_ns: i64,
}

impl Collectives {
    pub fn add(&mut self, rank: u32, call: &CallRow) {
        let communicator = self.communicators.entry(call.communicator).or_default();
        if !communicator.add(rank, call) {
            self.left_out += 1;
        }
        self.leave_out();
    }

    /// Take in what other ranks called.
    pub fn merge(&mut self, other: Collectives) {
        self.left_out += other.left_out;
        for (number, theirs) in other.communicators {
            self.communicators.entry(number).or_default().merge(theirs);
            self.leave_out();
        }
    }

    fn leave_out(&mut self) {
        if self.communicators.len() > COMMUNICATORS
            && let Some((_, last)) = self.communicators.pop_last()
        {
            self.left_out +=
                last.ranks.values().map(|calls| (*calls).min(EACH) as u64).sum::<u64>();
        }
    }

    /// Each function's, widest apart first, and the calls that were left out.
    pub fn shown(&self, names: &[Function]) -> (Vec<CollectiveTime>, u64) {
        let mut sums: BTreeMap<usize, Sum> = BTreeMap::new();
        for communicator in self.communicators.values() {
            let ranks = communicator.ranks.len() as u64;
            let whole = |call: &&Instance| call.agreed && call.ranks == ranks && ranks > 1;
            communicator
                .calls
                .iter()
                .filter(whole)
                .for_each(|call| sums.entry(call.code).or_default().add(call));
        }
        let mut shown: Vec<CollectiveTime> =
            sums.into_iter().map(|(code, sum)| sum.shown(&names[code].name)).collect();
        shown.sort_by(|a, b| (Reverse(a.spread_ns), &a.name).cmp(&(Reverse(b.spread_ns), &b.name)));
        (shown, self.left_out)
    }
}

impl Communicator {
    /// Whether the call is compared.
    fn add(&mut self, rank: u32, call: &CallRow) -> bool {
        let number = self.ranks.entry(rank).or_default();
        let at = *number;
        *number += 1;
        if at >= EACH {
            return false;
        }
        if at == self.calls.len() {
            self.calls.push(Instance::new(call.code));
        }
        self.calls[at].add(call);
        true
    }
}

impl Communicator {
    fn merge(&mut self, other: Communicator) {
        self.ranks.extend(other.ranks);
        let shared = self.calls.len().min(other.calls.len());
        self.calls.iter_mut().zip(&other.calls).for_each(|(mine, theirs)| mine.merge(theirs));
        self.calls.extend(&other.calls[shared..]);
    }
}

impl Instance {
    fn new(code: usize) -> Instance {
        Instance { code, agreed: true, ranks: 0, first: i64::MAX, last: i64::MIN }
    }

    fn add(&mut self, call: &CallRow) {
        let (first, last) = (call.enter, call.enter);
        self.merge(&Instance { ranks: 1, first, last, ..Instance::new(call.code) });
    }

    fn merge(&mut self, other: &Instance) {
        self.agreed &= other.agreed && self.code == other.code;
        self.ranks += other.ranks;
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
    }
}

impl Sum {
    fn add(&mut self, call: &Instance) {
        let spread = call.last.saturating_sub(call.first);
        self.count += 1;
        self.spread_ns = self.spread_ns.saturating_add(spread);
        self.spread_max_ns = self.spread_max_ns.max(spread);
    }

    fn shown(self, name: &str) -> CollectiveTime {
        let Sum { count, spread_ns, spread_max_ns } = self;
        CollectiveTime { count, spread_ns, spread_max_ns, ..CollectiveTime::named(name) }
    }
}
