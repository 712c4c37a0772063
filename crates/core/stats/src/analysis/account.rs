//! What held a message for some time, as far as it was watched.

use record::Cause;
use serde::{Deserialize, Serialize};

/// Some time of a message in a stage, laid out over what was seen on the nodes that the stage
/// depends on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// The time, ns.
    pub of_ns: i64,
    /// What took a part of it, the largest part first.
    pub parts: Vec<Part>,
    /// So much of it is covered by at least one of the parts.
    pub covered_ns: i64,
    /// So much of it the thread of the only node surely ran; `None` where that is not known, or the
    /// stage depends on two nodes.
    pub ran_ns: Option<i64>,
    /// Whether all these nodes were watched all that time.
    pub watched: bool,
    /// Where a stage depends on two nodes: those whose thread had to read pages from a disk
    /// meanwhile. Whether the message waited for that is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paged: Vec<Paged>,
}

/// A node's thread that had to read pages from a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paged {
    /// The node.
    pub node: u32,
    pub pages: u64,
}

/// What one thing on one node took of a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The node.
    pub node: u32,
    /// The thing.
    pub cause: Cause,
    /// How much of the time it can have taken, ns.
    pub ns: i64,
    /// How often, where that was counted.
    pub times: Option<u64>,
    /// A node whose watcher ran meanwhile, where that matters: then not the whole machine stood
    /// still.
    pub while_ran: Option<u32>,
    /// When: where it can have been, ns on the timeline.
    pub spans: Vec<(i64, i64)>,
}

impl Account {
    /// What took half of the time or more.
    pub fn chief(&self) -> Option<&Part> {
        self.parts.first().filter(|part| 2 * part.ns >= self.of_ns && part.ns > 0)
    }

    /// Time of which neither a cause is known nor that the thread ran, ns.
    pub fn unknown_ns(&self) -> i64 {
        (self.of_ns - self.covered_ns - self.ran_ns.unwrap_or(0)).max(0)
    }
}
