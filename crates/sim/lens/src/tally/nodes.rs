//! What each node's time went to.

use std::collections::BTreeMap;

use super::Piece;
use super::progress::Commits;
use crate::simulation::{NodeTime, Work};

/// Work by launch and node; a run has at most 65,536 nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Nodes {
    each: BTreeMap<(u32, u32), NodeWork>,
}

/// The work of one node in one launch.
#[derive(Clone, Debug)]
struct NodeWork {
    /// First begin and last end; the first is after the last when no stamp is known.
    span: (i64, i64),
    /// Time in execution, rollback and collection.
    work_ns: [i64; 3],
    gvt_rounds: u64,
    sums: Sums,
    commits: Commits,
}

/// Counted work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub executed: u64,
    pub undone: u64,
    pub committed: u64,
    pub rollbacks: u64,
}

impl Nodes {
    /// Take in a piece of work.
    pub fn add(&mut self, piece: &Piece) {
        self.each.entry((piece.launch, piece.node)).or_default().add(piece);
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: Nodes) {
        for (key, theirs) in other.each {
            self.each.entry(key).or_default().merge(&theirs);
        }
    }

    /// Counts of all nodes and launches.
    pub fn sums(&self) -> Sums {
        let mut sums = Sums::default();
        self.each.values().for_each(|node| sums.merge(&node.sums));
        sums
    }

    /// Rounds of the node that saw most, summed over the launches: every node sees every round,
    /// unless rows were lost.
    pub fn gvt_rounds(&self) -> u64 {
        self.by_launch(|most, node| most.max(node.gvt_rounds), 0).into_values().sum()
    }

    /// First begin to last end on any node, summed over the launches, ns.
    pub fn elapsed_ns(&self) -> i64 {
        let joined =
            |span: (i64, i64), node: &NodeWork| (span.0.min(node.span.0), span.1.max(node.span.1));
        self.by_launch(joined, (i64::MAX, i64::MIN))
            .into_values()
            .map(length)
            .fold(0, i64::saturating_add)
    }

    /// The nodes in order, all launches together.
    pub fn shown(&self) -> Vec<NodeTime> {
        let mut nodes: BTreeMap<u32, (i64, [i64; 3], Sums)> = BTreeMap::new();
        for (&(_, node), work) in &self.each {
            let (elapsed_ns, work_ns, sums) = nodes.entry(node).or_default();
            *elapsed_ns = elapsed_ns.saturating_add(length(work.span));
            work_ns
                .iter_mut()
                .zip(work.work_ns)
                .for_each(|(mine, theirs)| *mine = mine.wrapping_add(theirs));
            sums.merge(&work.sums);
        }
        let shown = |(node, (elapsed_ns, work_ns, sums)): (u32, (i64, [i64; 3], Sums))| NodeTime {
            node,
            elapsed_ns,
            work_ns,
            rest_ns: work_ns.iter().fold(elapsed_ns, |rest, work| rest.wrapping_sub(*work)),
            executed: sums.executed,
            undone: sums.undone,
            committed: sums.committed,
            rollbacks: sums.rollbacks,
        };
        nodes.into_iter().map(shown).collect()
    }

    /// Each node's commits of each launch, with the begin of its first piece of work.
    pub fn commits(&self) -> impl Iterator<Item = (i64, &Commits)> {
        self.each.values().map(|node| (node.span.0, &node.commits))
    }

    fn by_launch<T: Copy>(&self, join: impl Fn(T, &NodeWork) -> T, none: T) -> BTreeMap<u32, T> {
        let mut launches = BTreeMap::new();
        for (&(launch, _), node) in &self.each {
            let joined = launches.entry(launch).or_insert(none);
            *joined = join(*joined, node);
        }
        launches
    }
}

impl Default for NodeWork {
    fn default() -> NodeWork {
        NodeWork {
            span: (i64::MAX, i64::MIN),
            work_ns: [0; 3],
            gvt_rounds: 0,
            sums: Sums::default(),
            commits: Commits::default(),
        }
    }
}

impl NodeWork {
    fn add(&mut self, piece: &Piece) {
        if let (Some(begin), Some(end)) = (piece.begin, piece.end) {
            self.span = (self.span.0.min(begin), self.span.1.max(end));
        }
        if let (Some(sum), Some(took)) = (self.work_ns.get_mut(piece.work as usize), piece.took()) {
            *sum = sum.wrapping_add(took);
        }
        match piece.work {
            Work::Execution => self.sums.executed += 1,
            Work::Rollback => {
                self.sums.rollbacks += 1;
                self.sums.undone += piece.amount;
            }
            Work::Collection => {
                self.sums.committed += piece.amount;
                self.commits.add(piece);
            }
            Work::GvtRound => self.gvt_rounds += 1,
        }
    }

    fn merge(&mut self, other: &NodeWork) {
        self.span = (self.span.0.min(other.span.0), self.span.1.max(other.span.1));
        self.work_ns
            .iter_mut()
            .zip(other.work_ns)
            .for_each(|(mine, theirs)| *mine = mine.wrapping_add(theirs));
        self.gvt_rounds += other.gvt_rounds;
        self.sums.merge(&other.sums);
        self.commits.merge(&other.commits);
    }
}

impl Sums {
    fn merge(&mut self, other: &Sums) {
        self.executed += other.executed;
        self.undone += other.undone;
        self.committed += other.committed;
        self.rollbacks += other.rollbacks;
    }
}

fn length((first, last): (i64, i64)) -> i64 {
    if first <= last { last.saturating_sub(first) } else { 0 }
}
