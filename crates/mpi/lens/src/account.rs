//! What blocked time is part of.

use crate::found::{Account, Activity, Calls, CollectiveTime, Mpi, Wait};
use crate::function_name;
use mpi_facts::Blocking;
use std::collections::BTreeMap;

impl Mpi {
    /// Take in what the table of calls tells, and set the waits that block ranks against it.
    /// `collectives` is, by function, for whom ranks were blocked in it, ns.
    pub(crate) fn account_for(
        &mut self,
        mut calls: Calls,
        collectives: &BTreeMap<i64, BTreeMap<u32, i64>>,
        unknown: &Blocking,
    ) {
        let mut account = Account {
            unknown_sends: unknown.unknown_sends,
            unknown_ns: unknown.unknown_ns,
            not_compared: unknown.collectives_not_compared,
            epochs_not_compared: unknown.epochs_not_compared,
            one_sided_ns: calls.one_sided_ns,
            ..Account::default()
        };
        for rank in &calls.ranks {
            let elapsed = rank.elapsed_ns.saturating_mul(rank.threads.max(1) as i64);
            account.elapsed_ns = account.elapsed_ns.saturating_add(elapsed);
            let computing = rank.activity_ns[Activity::Computing as usize];
            account.in_calls_ns =
                account.in_calls_ns.saturating_add(elapsed.saturating_sub(computing));
        }
        for view in self.waits.iter_mut().filter(|view| view.wait.blocks()) {
            account.blocked_ns = account.blocked_ns.saturating_add(view.total_ns);
            view.share = view.total_ns as f64 / account.elapsed_ns.max(1) as f64;
            if view.wait == Wait::LateReceiver {
                view.unknown = account.unknown_sends;
            }
        }
        waited_in(&mut calls, collectives);
        self.account = Some(account);
        self.calls = Some(calls);
    }
}

/// Tell each collective how long ranks were blocked in it.
fn waited_in(calls: &mut Calls, collectives: &BTreeMap<i64, BTreeMap<u32, i64>>) {
    for one in &mut calls.collectives {
        one.waited_ns = Some(0);
    }
    for (function, late) in collectives {
        let name = function_name(*function);
        let known = calls.collectives.iter().position(|one| one.name == name);
        // One that was prepared is no call of its own when it is started.
        let at = known.unwrap_or_else(|| {
            calls.collectives.push(CollectiveTime::named(&name));
            calls.collectives.len() - 1
        });
        let one = &mut calls.collectives[at];
        one.waited_ns = Some(late.values().fold(0, |sum: i64, ns| sum.saturating_add(*ns)));
        one.late = late
            .iter()
            .max_by_key(|(rank, ns)| (**ns, std::cmp::Reverse(**rank)))
            .map(|(rank, ns)| (*rank, *ns));
    }
    calls.collectives.sort_by(|a, b| {
        (std::cmp::Reverse(a.waited_ns), &a.name).cmp(&(std::cmp::Reverse(b.waited_ns), &b.name))
    });
}
