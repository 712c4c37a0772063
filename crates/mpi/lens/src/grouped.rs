//! Blocked time between groups of ranks: a map of thousands of ranks cannot be read.

use crate::found::{Calls, GroupedBy, GroupsBlocked};
use crate::words::kind_name;
use crate::{CallTables, LensError};
use document::chart::MAP_ROWS_AT_MOST;
use std::collections::{BTreeMap, HashMap};

/// Groups of ranks: their names, and which a rank is in.
struct Groups {
    by: GroupedBy,
    names: Vec<String>,
    of: HashMap<u32, usize>,
}

/// Who of the groups waited for whom; nothing where every rank can be shown.
pub(crate) fn groups_blocked(
    tables: &CallTables,
    calls: &Calls,
    hosts: &BTreeMap<u32, String>,
) -> Result<Vec<GroupsBlocked>, LensError> {
    if calls.ranks.len() <= MAP_ROWS_AT_MOST {
        return Ok(Vec::new());
    }
    let divisions: Vec<Groups> = [by_host(hosts), by_kind(calls)]
        .into_iter()
        .filter(|groups| (2..=MAP_ROWS_AT_MOST).contains(&groups.names.len()))
        .collect();
    let mut sums = vec![BTreeMap::<(usize, usize), i64>::new(); divisions.len()];
    tables.each_blocked(|call| {
        for (groups, sums) in divisions.iter().zip(&mut sums) {
            let pair = (groups.of.get(&call.rank), groups.of.get(&call.by));
            if let (Some(rank), Some(by)) = pair {
                let sum = sums.entry((*rank, *by)).or_default();
                *sum = sum.saturating_add(call.ns());
            }
        }
    })?;
    let shown = divisions.into_iter().zip(sums).map(|(groups, sums)| groups.shown(sums));
    Ok(shown.filter(|shown| !shown.blocked.is_empty()).collect())
}

fn by_host(hosts: &BTreeMap<u32, String>) -> Groups {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let (mut names, mut of) = (Vec::new(), HashMap::new());
    for (rank, host) in hosts {
        let number = *numbers.entry(host).or_insert_with(|| {
            names.push(host.clone());
            names.len() - 1
        });
        of.insert(*rank, number);
    }
    Groups { by: GroupedBy::Host, names, of }
}

fn by_kind(calls: &Calls) -> Groups {
    let members = calls.kinds.iter().enumerate();
    let of = members.flat_map(|(at, kind)| kind.ranks.iter().map(move |rank| (*rank, at)));
    Groups {
        by: GroupedBy::Kind,
        of: of.collect(),
        names: calls.kinds.iter().map(kind_name).collect(),
    }
}

impl Groups {
    fn shown(self, sums: BTreeMap<(usize, usize), i64>) -> GroupsBlocked {
        let mut blocked: Vec<(usize, usize, i64)> = sums
            .into_iter()
            .filter(|(_, ns)| *ns > 0)
            .map(|((rank, by), ns)| (rank, by, ns))
            .collect();
        blocked.sort_by_key(|(rank, by, ns)| (std::cmp::Reverse(*ns), *rank, *by));
        let mut counts = vec![0; self.names.len()];
        self.of.values().for_each(|at| counts[*at] += 1);
        let groups = self.names.into_iter().zip(counts).collect();
        GroupsBlocked { by: self.by, groups, blocked }
    }
}
