//! Processes that are told of together: a server that forks has a child for each client, and a
//! table with a row for each says nothing.

use std::collections::{BTreeMap, HashMap};
use streams::{ProcessSummary, SocketsFacts};

/// More processes than this of one name, and with one parent, are a family. Who has more children
/// than this is in none.
const ALONE_MAX: usize = 16;

/// The families of a run. A family is known by the first of its nodes, and any other node by
/// itself.
#[derive(Clone, Debug, Default)]
pub struct Families {
    /// By node: the first of its family, or itself.
    first: Vec<u32>,
    /// By the first: how many more there are.
    others: BTreeMap<u32, usize>,
}

/// Further ancestors are not looked at. A number that was used again may make a process its own.
const GENERATIONS_MAX: usize = 64;

/// What the members of a family have in common: their name, and who their parents are.
type Common<'a> = (&'a str, Option<u32>);

impl Families {
    /// Of these processes.
    pub fn of(facts: &SocketsFacts) -> Families {
        let mut families = Families::default();
        let mut generations: BTreeMap<usize, Vec<&ProcessSummary>> = BTreeMap::new();
        let by_node: HashMap<u32, &ProcessSummary> =
            facts.processes.iter().map(|process| (process.node, process)).collect();
        let mut children: HashMap<u32, usize> = HashMap::new();
        for parent in facts.processes.iter().filter_map(|process| process.parent) {
            *children.entry(parent).or_default() += 1;
        }
        let has_few = |process: &&ProcessSummary| {
            children.get(&process.node).is_none_or(|count| *count <= ALONE_MAX)
        };
        for process in facts.processes.iter().filter(has_few) {
            generations.entry(generation(process, &by_node)).or_default().push(process);
        }
        // Parents first: whose parents are one family may be one, too.
        for generation in generations.values() {
            families.add(generation);
        }
        families
    }

    fn add(&mut self, generation: &[&ProcessSummary]) {
        let mut alike: BTreeMap<Common<'_>, Vec<u32>> = BTreeMap::new();
        for process in generation {
            let parents = process.parent.map(|parent| self.key(parent));
            alike.entry((&process.name, parents)).or_default().push(process.node);
        }
        for nodes in alike.into_values().filter(|nodes| nodes.len() > ALONE_MAX) {
            let first = nodes.iter().copied().min().unwrap_or(0);
            self.others.insert(first, nodes.len() - 1);
            nodes.into_iter().for_each(|node| self.join(node, first));
        }
    }

    fn join(&mut self, node: u32, first: u32) {
        let known = self.first.len() as u32;
        self.first.extend(known..=node);
        self.first[node as usize] = first;
    }

    /// What a node is known by.
    pub fn key(&self, node: u32) -> u32 {
        self.first.get(node as usize).copied().unwrap_or(node)
    }

    /// The same of a number in a row, which need not be a node's.
    pub fn key_of(&self, node: i64) -> i64 {
        u32::try_from(node).map_or(node, |node| i64::from(self.key(node)))
    }

    /// The number of a node, or of a family the first and how many more there are.
    pub fn number(&self, key: i64) -> String {
        match u32::try_from(key).map_or(0, |key| self.others(key)) {
            0 => key.to_string(),
            others => format!("{key}\u{a0}+{others}"),
        }
    }

    /// How many more there are in a family than its first.
    pub fn others(&self, key: u32) -> usize {
        self.others.get(&key).copied().unwrap_or(0)
    }

    /// Each family: the first of its nodes, and how many more there are.
    pub fn each(&self) -> impl Iterator<Item = (u32, usize)> {
        self.others.iter().map(|(first, others)| (*first, *others))
    }
}

/// How many of the processes stand above one: its parent, that one's parent and so on.
fn generation(process: &ProcessSummary, by_node: &HashMap<u32, &ProcessSummary>) -> usize {
    let parent =
        |process: &&ProcessSummary| process.parent.and_then(|parent| by_node.get(&parent).copied());
    std::iter::successors(Some(process), parent).take(GENERATIONS_MAX).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(node: u32, name: &str, parent: Option<u32>) -> ProcessSummary {
        ProcessSummary { node, name: name.into(), parent, ..ProcessSummary::default() }
    }

    fn of(processes: Vec<ProcessSummary>) -> Families {
        Families::of(&SocketsFacts { processes, ..SocketsFacts::default() })
    }

    #[test]
    fn children_of_a_server_are_one_family_and_few_of_them_are_none() {
        let run = |children: u32| {
            let mut processes = vec![process(0, "server", None), process(1, "server", Some(0))];
            processes.extend((2..2 + children).map(|node| process(node, "server", Some(0))));
            // The second has children of its own, and is not one of many.
            processes.extend((50..80).map(|node| process(node, "other", Some(1))));
            of(processes)
        };
        let few = run(15);
        assert_eq!((few.key(16), few.number(16), few.others(2)), (16, "16".to_owned(), 0));
        let many = run(17);
        assert_eq!([0, 1, 2, 3, 18, 19].map(|node| many.key(node)), [0, 1, 2, 2, 2, 19]);
        assert_eq!([1, 2].map(|key| many.number(key)), ["1", "2\u{a0}+16"]);
        assert_eq!(many.key_of(-1), -1);
    }

    #[test]
    fn children_of_different_parents_are_not_mixed_but_for_those_of_a_family() {
        let mut processes = vec![process(0, "a", None), process(1, "b", None)];
        processes.extend((10..30).map(|node| process(node, "sh", Some(0))));
        processes.extend((30..50).map(|node| process(node, "sh", Some(1))));
        // One grandchild each; and a parent whose number is higher than its child's.
        processes.extend((50..90).map(|node| process(node, "curl", Some(node - 40))));
        processes.push(process(9, "late", Some(2)));
        processes.push(process(2, "late", Some(0)));
        let families = of(processes);
        assert_eq!([10, 29, 30, 49].map(|node| families.key(node)), [10, 10, 30, 30]);
        assert_eq!([50, 69, 70, 89, 9].map(|node| families.key(node)), [50, 50, 70, 70, 9]);
        assert_eq!(families.each().map(|(_, others)| others).collect::<Vec<_>>(), [19; 4]);
    }

    #[test]
    fn numbers_that_were_used_again_make_no_endless_line_of_ancestors() {
        let processes = (0..40).map(|node| process(node, "x", Some(node ^ 1)));
        assert_eq!(of(processes.collect()).each().count(), 0);
    }
}
