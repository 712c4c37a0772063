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
pub fn families_said(facts: &SocketsFacts, families: &Families) -> Option<String> {
    let (first, others) = families.each().next()?;
    let parent = facts.processes.iter().find(|one| one.node == first)?.parent;
    let whose = match parent.map(|parent| families.key(parent)) {
        None => "no traced parent".to_owned(),
        Some(parents) if families.others(parents) == 0 => "its parent".to_owned(),
        Some(parents) => format!("parents among {}", families.number(i64::from(parents))),
    };
    Some(format!(
        "{} is node {first} with {} that have its name and {whose}.",
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

#[cfg(test)]
mod tests {
    use super::*;
    use streams::ProcessSummary;

    #[test]
    fn what_a_family_has_in_common_is_what_its_processes_have() {
        let said = |nodes: std::ops::Range<u32>, parent: fn(u32) -> Option<u32>| {
            let process = |node| {
                let name = if node < 20 { "a" } else { "b" }.to_owned();
                ProcessSummary { node, name, parent: parent(node), ..ProcessSummary::default() }
            };
            let processes = nodes.map(process).collect();
            let facts = SocketsFacts { processes, ..SocketsFacts::default() };
            families_said(&facts, &Families::of(&facts)).map(|said| said.replace('\u{a0}', " "))
        };
        assert_eq!(said(0..16, |_| None), None);
        let none = said(0..20, |_| None).unwrap();
        assert_eq!(none, "0 +19 is node 0 with 19 others that have its name and no traced parent.");
        let one = said(0..20, |node| (node > 0).then_some(0)).unwrap();
        assert_eq!(one, "1 +18 is node 1 with 18 others that have its name and its parent.");
        // Twenty of a family's processes have a child each, whose numbers come first.
        let nested = said(0..40, |node| (node < 20).then_some(node + 20)).unwrap();
        let expected =
            "0 +19 is node 0 with 19 others that have its name and parents among 20 +19.";
        assert_eq!(nested, expected);
    }
}
