//! What nodes are called.

use streams::SocketsFacts;

/// Of a node: its program, and its number.
pub fn node(facts: &SocketsFacts, node: i64) -> String {
    let known = facts.processes.iter().find(|one| i64::from(one.node) == node);
    match known {
        Some(one) => format!("{} ({node})", one.name),
        None => format!("not traced ({node})"),
    }
}
