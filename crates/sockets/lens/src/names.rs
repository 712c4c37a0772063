//! What nodes are called.

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

/// Of several: the first of them, and how many others there are.
pub fn some_of(facts: &SocketsFacts, nodes: &[u32]) -> String {
    let first = nodes.iter().take(NAMED).map(|at| node(facts, i64::from(*at)));
    let others = nodes.len().saturating_sub(NAMED);
    let others = (others > 0).then(|| counted(others as u64, "other"));
    first.chain(others).collect::<Vec<_>>().join(", ")
}
