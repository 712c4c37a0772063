//! What nodes are called.

use crate::families::Families;
use document::counted;
use streams::SocketsFacts;

/// Nodes that are named in a sentence.
const NAMED: usize = 4;

/// Of a node: its program, and its number.
pub fn node(facts: &SocketsFacts, node: i64) -> String {
    let known = facts.processes.iter().find(|one| i64::from(one.node) == node);
    match known {
        Some(one) => format!("{} ({node})", one.name),
        None => format!("not traced ({node})"),
    }
}

/// Of a node, or of a family of processes: its program, and its numbers.
pub fn key(facts: &SocketsFacts, families: &Families, key: i64) -> String {
    let known = facts.processes.iter().find(|one| i64::from(one.node) == key);
    let program = known.map_or("not traced", |one| one.name.as_str());
    format!("{program} ({})", families.number(key))
}

/// What the numbers of a family stand for, where a table may have them.
pub fn families_said(families: &Families) -> Option<String> {
    let (first, others) = families.each().next()?;
    Some(format!(
        "{} is node {first} with {} that have its name and its parent.",
        families.number(i64::from(first)),
        counted(others as u64, "other")
    ))
}

/// Of several: the first of them, and how many others there are.
pub fn some_of(facts: &SocketsFacts, nodes: &[u32]) -> String {
    let first = nodes.iter().take(NAMED).map(|at| node(facts, i64::from(*at)));
    let others = nodes.len().saturating_sub(NAMED);
    let others = (others > 0).then(|| counted(others as u64, "other"));
    first.chain(others).collect::<Vec<_>>().join(", ")
}
