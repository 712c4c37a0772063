//! What the vault has done and holds.

use crate::Place;

/// Counters of the pages outside. All in pages, from the start of the run, unless said otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct VaultStatus {
    /// What each place holds now; servers in their order, then the disk.
    pub places: Vec<PlaceStatus>,
    /// Groups that are being filled now.
    pub groups_open: u64,
    /// Groups that are complete now.
    pub groups_full: u64,
    /// Of these, how many hold pages that newer ones have replaced.
    pub groups_with_inactive: u64,
    /// Groups that wait to be dissolved, or are being.
    pub groups_broken: u64,
    /// Groups whose parity found no place, now: a crash would lose their pages. Always 0 for the
    /// policies without a second copy.
    pub unprotected: u64,
    /// Pages sent out because they had to leave.
    pub page_outs: u64,
    /// Parity pages sent out (for mirror: second copies).
    pub parity_outs: u64,
    /// Pages sent out again for safety or room.
    pub moved: u64,
    /// Pages whose only copy was lost and which were made again from the others of their group.
    pub rebuilt: u64,
    /// Reads that had to wait for that.
    pub degraded_reads: u64,
    /// Pages that are lost for ever.
    pub lost: u64,
    /// Pages read because somebody wanted them.
    pub page_ins: u64,
    /// Pages read for rebuilding and moving.
    pub gathered: u64,
    /// Groups dissolved because room was short.
    pub reclaimed: u64,
    /// Copies that turned out wrong or unreadable at a place that was up.
    pub wrong: u64,
    /// Writes that a place refused in spite of its grant.
    pub refused: u64,
    /// Answers to nothing that was asked (they came after their place was given up).
    pub late: u64,
}

/// What one place holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceStatus {
    /// Which.
    pub place: Place,
    /// Whether it is there.
    pub up: bool,
    /// Slots that it granted. For the disk: that were ever used.
    pub granted: u64,
    /// Slots in use: pages, newest or replaced, and parity pages.
    pub used: u64,
    /// Newest pages among them.
    pub pages: u64,
}
