//! What is asked of a run's slow messages.

use crate::analysis::{Stage, Who};

/// A group of slow messages that is to be explained.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The stage in which they are slow.
    pub stage: Stage,
    /// Which they are.
    pub who: Who,
    /// Their times in it, ns, both ends included.
    pub range_ns: (i64, i64),
    /// The median of all messages, ns.
    pub median_ns: i64,
}
