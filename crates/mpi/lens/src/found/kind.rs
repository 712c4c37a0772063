//! Ranks taken together, where there are too many to show each.

use serde::{Deserialize, Serialize};

/// Ranks that spend their time alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kind {
    /// The one that is nearest to their mean.
    pub typical: u32,
    /// All of them, in order.
    pub ranks: Vec<u32>,
    /// The mean part of their time in each activity, in the order of
    /// [`Activity::ALL`](super::Activity::ALL).
    pub parts: [f64; 7],
    /// How far the farthest is from the typical one: the part of its time by which they differ in
    /// some activity.
    pub apart: f64,
}

/// How long ranks of one group were blocked for ranks of another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupsBlocked {
    /// What a group is.
    pub by: GroupedBy,
    /// The groups, and how many ranks each has.
    pub groups: Vec<(String, u64)>,
    /// The group that waited, the one it waited for, and how long, ns; longest first.
    pub blocked: Vec<(usize, usize, i64)>,
}

/// What ranks are taken together by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroupedBy {
    /// The host that they ran on.
    Host,
    /// What they spend their time on.
    Kind,
}
