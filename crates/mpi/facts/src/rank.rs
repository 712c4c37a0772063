//! What a rank knows beside its calls.

use crate::ThreadLevel;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the tracer writes into a rank's log; the last ones count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RankFacts {
    /// The MPI library and its version, `Open MPI 4.1.4`.
    pub library: Option<String>,
    /// Ranks of the program.
    pub size: u32,
    /// What the program asked for, and what the library granted.
    pub thread_asked: Option<ThreadLevel>,
    /// See `thread_asked`.
    pub thread_level: Option<ThreadLevel>,
    /// Functions that the tracer knew: a reader that knows fewer cannot read all of its calls. 0 in
    /// logs that do not say it.
    pub functions: usize,
    /// Calls of functions that are counted and not looked into.
    pub passed_through: BTreeMap<String, u64>,
}
