//! The places whose calls were blocked.

use super::WorstWait;
use calls::cause::COUNT;
use serde::{Deserialize, Serialize};

/// The blocked calls of one function at one place of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockedAt {
    /// Where the call was made.
    pub site: Option<i64>,
    /// `MPI_Waitall`.
    pub call: String,
    /// Calls that were blocked.
    pub count: u64,
    /// Blocked, in the order of [`Wait::BLOCKING`](super::Wait::BLOCKING), ns.
    pub waits_ns: [i64; COUNT],
}

impl BlockedAt {
    /// All together, ns.
    pub fn total_ns(&self) -> i64 {
        self.waits_ns.iter().fold(0, |sum: i64, ns| sum.saturating_add(*ns))
    }
}

impl WorstWait {
    /// As much of it as is certain, ns.
    pub fn certain_ns(&self) -> i64 {
        self.waited_ns.saturating_sub(self.error_ns.unwrap_or(0))
    }

    /// What the message is called in a story: launch (a traced run has one), source, number.
    pub fn message_name(&self) -> Option<(u32, u32, u64)> {
        self.message.map(|line| (0, line.src, line.seq))
    }
}
