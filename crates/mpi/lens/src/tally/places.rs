//! Blocked time by the place of the call that was blocked.

use crate::found::BlockedAt;
use crate::{BlockedCall, function_name};
use record::NULL;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Places that are shown.
const SHOWN: usize = 256;

/// By place and function: calls, and ns by cause.
#[derive(Default)]
pub(super) struct Places {
    each: BTreeMap<(i64, i64), (u64, [i64; 3])>,
}

impl Places {
    pub fn add(&mut self, site: i64, function: i64, call: &BlockedCall) {
        let site = if site == NULL { 0 } else { site };
        let (count, sums) = self.each.entry((site, function)).or_default();
        *count += 1;
        let sum = &mut sums[call.cause as usize];
        *sum = sum.saturating_add(call.ns());
    }

    pub fn merge(&mut self, other: Places) {
        for (key, (count, sums)) in other.each {
            let mine = self.each.entry(key).or_default();
            mine.0 += count;
            mine.1.iter_mut().zip(sums).for_each(|(sum, ns)| *sum = sum.saturating_add(ns));
        }
    }

    /// The longest first.
    pub fn shown(self) -> Vec<BlockedAt> {
        let one = |((site, function), (count, waits_ns))| BlockedAt {
            site: Some(site).filter(|site| *site != 0),
            call: function_name(function),
            count,
            waits_ns,
        };
        let mut all: Vec<BlockedAt> = self.each.into_iter().map(one).collect();
        all.sort_by_key(|at| (Reverse(at.total_ns()), at.site, at.call.clone()));
        all.truncate(SHOWN);
        all
    }
}
