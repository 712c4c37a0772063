//! What ranks did while others waited for them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{CallColumns, CallRow, Function};
use crate::found::{Doing, WorstWait};
use record::NULL;

/// Things that are told of a rank.
const TOLD: usize = 5;
/// When a call was left that never was: it goes on for as long as anybody looks.
const NEVER: i64 = i64::MAX;

/// A stretch for each wait.
pub(super) struct Meanwhile {
    stretches: Vec<Stretch>,
}

/// What some time of a rank went to, call by call.
#[derive(Default)]
pub(crate) struct Spent {
    /// By function and place: calls, and their part of the time.
    each: BTreeMap<(usize, Option<i64>), (u64, i64)>,
}

/// A stretch of time of one rank.
pub(super) struct Stretch {
    wait: usize,
    rank: u32,
    from: i64,
    to: i64,
    spent: Spent,
    /// Whether any call of the rank is known at all.
    known: bool,
}

impl Meanwhile {
    pub fn new(worst: &[WorstWait]) -> Meanwhile {
        Meanwhile { stretches: worst.iter().enumerate().map(stretch).collect() }
    }

    /// Those of a rank that some of its next calls, which are these, may lie in.
    pub fn of(&mut self, rank: u32, calls: &CallColumns) -> Vec<&mut Stretch> {
        let (first, last) = extent(calls);
        let mut stretches: Vec<&mut Stretch> =
            self.stretches.iter_mut().filter(|stretch| stretch.rank == rank).collect();
        stretches.iter_mut().for_each(|stretch| stretch.known |= calls.rows > 0);
        stretches.retain(|stretch| first < stretch.to && stretch.from < last);
        stretches
    }

    /// Take in what other ranks did; the stretches are the same.
    pub fn merge(&mut self, other: Meanwhile) {
        for (mine, theirs) in self.stretches.iter_mut().zip(other.stretches) {
            mine.known |= theirs.known;
            mine.spent.merge(theirs.spent);
        }
    }

    /// Write into each wait what the rank waited for did, the longest first; computing is what
    /// calls leave.
    pub fn tell(&self, names: &[Function], worst: &mut [WorstWait]) {
        for stretch in self.stretches.iter().filter(|stretch| stretch.known) {
            if let Some(wait) = worst.get_mut(stretch.wait) {
                wait.doing = stretch.told(names);
            }
        }
    }
}

fn stretch((wait, worst): (usize, &WorstWait)) -> Stretch {
    Stretch {
        wait,
        rank: worst.by,
        from: worst.from_ns,
        to: worst.from_ns.saturating_add(worst.waited_ns),
        spent: Spent::default(),
        known: false,
    }
}

/// When the first of the calls was entered, and the last was left.
fn extent(calls: &CallColumns) -> (i64, i64) {
    let entered = calls.enter.iter(calls.rows).filter(|ns| *ns != NULL).min();
    let left = calls.exit.iter(calls.rows).map(|ns| if ns == NULL { NEVER } else { ns }).max();
    (entered.unwrap_or(NEVER), left.unwrap_or(NULL))
}

impl Stretch {
    #[inline]
    pub fn add(&mut self, call: &CallRow) {
        let exit = call.exit.unwrap_or(NEVER);
        let within = exit.min(self.to).saturating_sub(call.enter.max(self.from));
        self.spent.add(call, within);
    }

    fn told(&self, names: &[Function]) -> Vec<Doing> {
        self.spent.told(names, self.to.saturating_sub(self.from))
    }
}

impl Spent {
    /// So much of the time lies in this call.
    #[inline]
    pub fn add(&mut self, call: &CallRow, ns: i64) {
        if ns > 0 {
            let sum = self.each.entry((call.code, call.site)).or_default();
            *sum = (sum.0 + call.polls.unwrap_or(1), sum.1.saturating_add(ns));
        }
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: Spent) {
        for (what, (calls, ns)) in other.each {
            let sum = self.each.entry(what).or_default();
            *sum = (sum.0 + calls, sum.1.saturating_add(ns));
        }
    }

    /// The most of it, of `whole_ns`; computing is what calls leave.
    pub fn told(&self, names: &[Function], whole_ns: i64) -> Vec<Doing> {
        let call = |(&(code, site), &(calls, ns)): (&(usize, Option<i64>), &(u64, i64))| Doing {
            call: names.get(code).map(|function| function.name.clone()),
            site,
            calls,
            ns,
        };
        let mut told: Vec<Doing> = self.each.iter().map(call).collect();
        let in_calls = told.iter().fold(0_i64, |sum, doing| sum.saturating_add(doing.ns));
        let rest = whole_ns.saturating_sub(in_calls);
        if rest > 0 {
            told.push(Doing { call: None, site: None, calls: 0, ns: rest });
        }
        told.sort_by_key(|doing| (Reverse(doing.ns), doing.site));
        told.truncate(TOLD);
        told
    }
}
