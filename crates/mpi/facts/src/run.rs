//! What `run.json` says of an MPI run.

use crate::{Blocking, Matching, ThreadLevel};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name under which the parameters of a run hold [`MpiFacts`].
pub const KEY: &str = "mpi";

/// What a traced run says of itself: how much of it can be trusted, and what was not seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MpiFacts {
    /// The MPI library and its version.
    pub library: Option<String>,
    /// What the program asked for, and what the library granted.
    pub thread_asked: Option<ThreadLevel>,
    /// See `thread_asked`.
    pub thread_level: Option<ThreadLevel>,
    /// Ranks of the program.
    pub ranks: u64,
    /// Calls recorded.
    pub calls: u64,
    /// How far sends and receives found each other.
    #[serde(flatten)]
    pub matching: Matching,
    /// Calls of functions that are counted and not looked into.
    pub passed_through: BTreeMap<String, u64>,
    /// Calls in which ranks were when they ended.
    pub in_progress: Vec<InProgress>,
    /// What is not known of blocked calls; none in runs that were closed before there was an
    /// account of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocking: Option<Blocking>,
    /// The size from which on sends seem to wait for their receive, where enough of them show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_from_bytes: Option<u64>,
    /// Ranks that left no log.
    pub missing_ranks: Vec<u64>,
    /// Logs of which something could not be read.
    pub damaged: Vec<Damaged>,
}

/// A log of which something could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Damaged {
    /// The rank.
    pub rank: u64,
    /// Places that were skipped.
    pub places: u64,
    /// Words of 8 bytes skipped there, and missing elsewhere.
    pub words: u64,
    /// See `words`.
    pub missing_words: u64,
    /// Entries that refer to what is not known, such as a request that was never begun.
    pub dangling: u64,
    /// What else was odd about its files, in words.
    pub faults: Vec<String>,
}

/// A call that a rank never left.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InProgress {
    /// The rank.
    pub rank: u64,
    /// The function.
    pub call: String,
    /// The other rank, if there is one; [`ANY_PEER`](InProgress::ANY_PEER) for any.
    pub peer: Option<i64>,
    /// The tag.
    pub tag: Option<i64>,
    /// When it was entered, ns on the timeline.
    pub since_ns: Option<i64>,
}

impl InProgress {
    /// `peer` of a call that would take a message of any rank.
    pub const ANY_PEER: i64 = -2;
}
