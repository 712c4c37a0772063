//! The sums that products have of each run, put side by side.

use report::ComparedTotals;
use stats::compare::{CompareOptions, Total, totals};
use std::collections::BTreeMap;

/// Sums that are compared; of more, the largest.
const MOST: usize = 24;

/// Name and ns of each sum, run by run.
type Sums = [Vec<(String, i64)>];

/// Compare the sums of the runs of A and of B. A run that lacks a sum which others have, has 0 of
/// it; where a run has no sums at all, none are compared.
pub fn compared(sides: [&Sums; 2], options: &CompareOptions) -> ComparedTotals {
    let runs = || sides.iter().flat_map(|side| side.iter());
    let without = runs().filter(|sums| sums.is_empty()).count();
    if without > 0 {
        let without = if without == runs().count() { 0 } else { without };
        return ComparedTotals { without, ..ComparedTotals::default() };
    }
    let mut names: Vec<&String> = Vec::new();
    let mut largest: BTreeMap<&String, i64> = BTreeMap::new();
    for (name, ns) in runs().flatten() {
        if !largest.contains_key(name) {
            names.push(name);
        }
        let most = largest.entry(name).or_default();
        *most = (*most).max(*ns);
    }
    names.retain(|name| largest[name] > 0);
    let mut by_size: Vec<i64> = names.iter().map(|name| largest[name]).collect();
    by_size.sort_unstable_by(|a, b| b.cmp(a));
    let least = by_size.get(MOST - 1).copied().unwrap_or(0);
    let left_out = names.len();
    names.retain(|name| largest[name] >= least);
    let left_out = left_out - names.len();
    let value = |sums: &Vec<(String, i64)>, name: &str| {
        sums.iter().find(|(of, _)| of == name).map_or(0.0, |(_, ns)| *ns as f64)
    };
    let of_side = |side: &Sums, name: &str| side.iter().map(|sums| value(sums, name)).collect();
    let all: Vec<Total> = names
        .into_iter()
        .map(|name| Total {
            name: name.clone(),
            values_ns: [of_side(sides[0], name), of_side(sides[1], name)],
        })
        .collect();
    ComparedTotals { differences: totals(&all, options), left_out, without: 0 }
}
