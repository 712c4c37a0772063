//! The time in each function.

use std::cmp::Reverse;

use super::{CallRow, Function};
use crate::found::{Activity, FunctionTime};

/// Time by code.
pub(super) struct Functions {
    each: Vec<Sum>,
}

#[derive(Clone, Copy, Default)]
struct Sum {
    calls: u64,
    polls: u64,
    total_ns: i64,
    max_ns: i64,
    bytes: u64,
}

impl Functions {
    pub fn new(functions: usize) -> Functions {
        Functions { each: vec![Sum::default(); functions] }
    }

    pub fn add(&mut self, call: &CallRow) {
        let sum = &mut self.each[call.code];
        let took = call.took();
        sum.calls += call.polls.unwrap_or(1);
        sum.polls += call.polls.unwrap_or(0);
        sum.total_ns = sum.total_ns.saturating_add(took);
        sum.max_ns = sum.max_ns.max(took);
        sum.bytes += call.bytes;
    }

    pub fn merge(&mut self, other: &Functions) {
        for (mine, theirs) in self.each.iter_mut().zip(&other.each) {
            mine.calls += theirs.calls;
            mine.polls += theirs.polls;
            mine.total_ns = mine.total_ns.saturating_add(theirs.total_ns);
            mine.max_ns = mine.max_ns.max(theirs.max_ns);
            mine.bytes += theirs.bytes;
        }
    }

    /// Those that were called, most time first.
    pub fn shown(&self, names: &[Function]) -> Vec<FunctionTime> {
        let one = |(sum, function): (&Sum, &Function)| FunctionTime {
            name: function.name.clone(),
            activity: if sum.polls == sum.calls { Activity::Polling } else { function.activity },
            calls: sum.calls,
            polls: sum.polls,
            total_ns: sum.total_ns,
            max_ns: sum.max_ns,
            bytes: sum.bytes,
        };
        let called = self.each.iter().zip(names).filter(|(sum, _)| sum.calls > 0);
        let mut shown: Vec<FunctionTime> = called.map(one).collect();
        shown.sort_by(|a, b| (Reverse(a.total_ns), &a.name).cmp(&(Reverse(b.total_ns), &b.name)));
        shown
    }
}
