//! Blocked time by the place of the call that was blocked.

use crate::found::BlockedAt;
use crate::functions::is_one_sided;
use crate::{BlockedCall, function_name};
use calls::cause::COUNT;
use record::NULL;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Places that are shown.
const SHOWN: usize = 256;

/// By place and function: calls, and ns by cause.
#[derive(Default)]
pub(super) struct Places {
    each: BTreeMap<(i64, i64), (u64, [i64; COUNT])>,
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

    /// In calls of one-sided communication, ns.
    pub fn one_sided_ns(&self) -> i64 {
        let of = |((_, function), (_, sums)): (&(i64, i64), &(u64, [i64; COUNT]))| {
            let is = is_one_sided(&function_name(*function));
            if is { sums.iter().fold(0, |sum: i64, ns| sum.saturating_add(*ns)) } else { 0 }
        };
        self.each.iter().map(of).fold(0, i64::saturating_add)
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
