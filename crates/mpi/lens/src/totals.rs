//! The sums of a run that are compared with those of others: blocked time by cause, and by the
//! rank that was waited for.

use crate::found::Wait;
use crate::words::wait_title;
use crate::{CallTables, LensError};
use std::collections::BTreeMap;

/// Name and ns: all of it, by cause, then by rank; none where the run has no account of blocked
/// calls.
///
/// # Errors
/// When a table is damaged.
pub(crate) fn totals(tables: &CallTables) -> Result<Vec<(String, i64)>, LensError> {
    if !tables.has_waits() {
        return Ok(Vec::new());
    }
    let mut causes: BTreeMap<Wait, i64> = BTreeMap::new();
    let mut ranks: BTreeMap<u32, i64> = tables.ranks().map(|rank| (rank, 0)).collect();
    tables.each_blocked(|call| {
        for sum in [causes.entry(call.wait()).or_default(), ranks.entry(call.by).or_default()] {
            *sum = sum.saturating_add(call.ns().max(0));
        }
    })?;
    let all = causes.values().fold(0, |sum: i64, ns| sum.saturating_add(*ns));
    let of_cause = |wait: Wait| {
        let ns = causes.get(&wait).copied().unwrap_or(0);
        (format!("blocked: {}", wait_title(wait).to_lowercase()), ns)
    };
    let blocking = Wait::ALL.into_iter().filter(|wait| wait.blocks());
    let of_rank = |(rank, ns): (&u32, &i64)| (format!("blocked for rank {rank}"), *ns);
    let whole = ("blocked, all ranks".to_owned(), all);
    Ok([whole].into_iter().chain(blocking.map(of_cause)).chain(ranks.iter().map(of_rank)).collect())
}
