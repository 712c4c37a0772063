//! Where the events of a trace for Perfetto are shown.

use report::perfetto::Track;

/// The track of a node's own work, and those between which arrows show its messages.
pub const WORK: u64 = 1;
pub const SENDS: u64 = 2;
pub const ARRIVALS: u64 = 3;

/// The group of the ranks' tracks.
pub const RANKS: u64 = 1;

/// The track of a thread of a rank; threads beyond the first lie below all ranks.
pub fn rank_track(rank: u32, thread: i64) -> Track {
    Track { group: RANKS, track: u64::from(rank) + 1 + ((thread.max(0) as u64) << 20) }
}

/// The group of a node of a launch. Groups are numbered from 1, as processes are.
pub fn group_of(launch: u32, node: u32) -> u64 {
    1 + (u64::from(launch) << 20) + u64::from(node)
}
