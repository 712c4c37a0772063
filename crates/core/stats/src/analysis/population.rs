//! Which messages an analysis is about, of those that the run has.

use record::Kind;
use serde::{Deserialize, Serialize};

use crate::filter::Filter;

/// The messages of a run, and which of them the figures are about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Population {
    /// What was chosen.
    pub filter: Filter,
    /// The run's messages by kind and place; only those that there are.
    pub groups: Vec<PopulationGroup>,
}

/// The messages of one kind, within a node or between nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PopulationGroup {
    /// What they are for.
    pub kind: Kind,
    /// Whether they stayed within their node.
    pub within_node: bool,
    /// How many the run has.
    pub messages: u64,
    /// How many of them the figures are about.
    pub taken: u64,
}

impl Population {
    /// Messages of the run.
    pub fn messages(&self) -> u64 {
        self.groups.iter().map(|group| group.messages).sum()
    }

    /// Messages that the figures are about.
    pub fn taken(&self) -> u64 {
        self.groups.iter().map(|group| group.taken).sum()
    }
}
