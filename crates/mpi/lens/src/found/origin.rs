//! Where the delays began that ranks were blocked for.

use super::Doing;
use serde::{Deserialize, Serialize};

/// Blocked time by where the delay behind it began.
///
/// A rank that is waited for may have come late because it waited itself. So each moment of blocked
/// time is followed backwards: from the end of the wait to the rank that was waited for, along what
/// that rank did until it was blocked itself, from the end of that wait to whom it was blocked for,
/// and so on. It counts once, for the rank where that ends at that moment, which was not blocked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Origins {
    /// Most blocked time first.
    pub origins: Vec<Origin>,
    /// Origins left out, the smallest, and what goes back to them, ns.
    pub left_out: (u64, i64),
    /// Ends at ranks that wait for each other in a circle, ns.
    pub circle_ns: i64,
    /// Ends at a rank of which nothing is known, or behind more links than were followed, ns.
    pub unknown_ns: i64,
    /// Calls that were blocked for less than `followed_from_ns` were not followed: there were too
    /// many; their blocked time, ns.
    pub short_ns: i64,
    /// 0 where all were followed.
    pub followed_from_ns: i64,
}

/// A rank that came late to a place without being blocked itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    pub rank: u32,
    /// Where it came late: the place that sent the message, posted the receive, entered the
    /// collective, or posted, completed or unlocked the window that was waited for.
    pub site: Option<i64>,
    /// Blocked time of all ranks that goes back to it, ns.
    pub ns: i64,
    /// That of ranks that waited for it directly, ns.
    pub direct_ns: i64,
    /// What it did in that time, the longest first; a moment for which several ranks were blocked
    /// counts for each. Empty where it was not looked up.
    pub doing: Vec<Doing>,
}

impl Origin {
    /// Time outside MPI, ns.
    pub fn computing_ns(&self) -> i64 {
        self.doing.iter().filter(|one| one.call.is_none()).map(|one| one.ns).sum()
    }
}
