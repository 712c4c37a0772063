//! What the two ranks of a message did while it was under way.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{CallRow, Function};
use crate::found::{Doing, WorstMessage};

/// Things that are told of a rank.
const TOLD: usize = 5;

/// A stretch for each message and side.
pub(super) struct Meanwhile {
    stretches: Vec<Stretch>,
}

/// A stretch of time of one rank.
pub(super) struct Stretch {
    message: usize,
    side: usize,
    rank: u32,
    from: i64,
    to: i64,
    /// By function and place: calls, and time within the stretch.
    each: BTreeMap<(usize, Option<i64>), (u64, i64)>,
    /// Whether any call of the rank is known at all.
    known: bool,
}

impl Meanwhile {
    pub fn new(worst: &[WorstMessage]) -> Meanwhile {
        Meanwhile { stretches: worst.iter().enumerate().flat_map(both_sides).collect() }
    }

    /// Those of a rank.
    pub fn of(&mut self, rank: u32) -> Vec<&mut Stretch> {
        self.stretches.iter_mut().filter(|stretch| stretch.rank == rank).collect()
    }

    /// Take in what other ranks did; the stretches are the same.
    pub fn merge(&mut self, other: Meanwhile) {
        for (mine, theirs) in self.stretches.iter_mut().zip(other.stretches) {
            mine.known |= theirs.known;
            for (what, (calls, ns)) in theirs.each {
                let sum = mine.each.entry(what).or_default();
                *sum = (sum.0 + calls, sum.1.saturating_add(ns));
            }
        }
    }

    /// Write into each message what its ranks did, the longest first; computing is what calls
    /// leave.
    pub fn tell(&self, names: &[Function], worst: &mut [WorstMessage]) {
        for stretch in self.stretches.iter().filter(|stretch| stretch.known) {
            if let Some(message) = worst.get_mut(stretch.message) {
                message.doing[stretch.side] = stretch.told(names);
            }
        }
    }
}

fn both_sides((message, worst): (usize, &WorstMessage)) -> [Stretch; 2] {
    let ready = worst.line.ready_ns;
    let from = worst.awaited_ns.map_or(ready, |awaited| awaited.min(ready));
    [(0, worst.line.src), (1, worst.line.dst)].map(|(side, rank)| Stretch {
        message,
        side,
        rank,
        from,
        to: worst.line.taken_ns,
        each: BTreeMap::new(),
        known: false,
    })
}

impl Stretch {
    #[inline]
    pub fn add(&mut self, call: &CallRow) {
        self.known = true;
        // A call that was never left goes on for as long as anybody looks.
        let exit = call.exit.unwrap_or(i64::MAX);
        let within = exit.min(self.to).saturating_sub(call.enter.max(self.from));
        if within > 0 {
            let sum = self.each.entry((call.code, call.site)).or_default();
            *sum = (sum.0 + call.polls.unwrap_or(1), sum.1.saturating_add(within));
        }
    }

    fn told(&self, names: &[Function]) -> Vec<Doing> {
        let call = |(&(code, site), &(calls, ns)): (&(usize, Option<i64>), &(u64, i64))| Doing {
            call: names.get(code).map(|function| function.name.clone()),
            site,
            calls,
            ns,
        };
        let mut told: Vec<Doing> = self.each.iter().map(call).collect();
        let in_calls = told.iter().fold(0_i64, |sum, doing| sum.saturating_add(doing.ns));
        let rest = self.to.saturating_sub(self.from).saturating_sub(in_calls);
        if rest > 0 {
            told.push(Doing { call: None, site: None, calls: 0, ns: rest });
        }
        told.sort_by_key(|doing| (Reverse(doing.ns), doing.site));
        told.truncate(TOLD);
        told
    }
}
