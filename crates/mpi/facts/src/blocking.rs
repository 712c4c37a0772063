//! What is not known of the time that ranks were blocked.

use serde::{Deserialize, Serialize};

/// How far the account of blocked calls goes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Blocking {
    /// Sends of a size that travels at once whose call lasted until their receive was posted: they
    /// may have waited for it, or for something else.
    pub unknown_sends: u64,
    /// How long those may have been blocked, ns.
    pub unknown_ns: i64,
    /// Waits that became known after the account of their call was closed.
    pub too_late: u64,
    /// Calls of collectives whose waits were found out.
    pub collectives_compared: u64,
    /// Calls of which they cannot be: a rank's call is missing, or the collective is between two
    /// groups, or one of neighbours that are not known.
    pub collectives_not_compared: u64,
    /// Meetings of an origin and a target of one-sided communication, by start and post, and locks,
    /// whose waits were found out.
    pub epochs_compared: u64,
    /// Calls that begin them of which they cannot be: the window is not known, the other side's
    /// call is missing, or a lock was never released.
    pub epochs_not_compared: u64,
}
