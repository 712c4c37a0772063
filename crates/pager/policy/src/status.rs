//! What happened so far, in numbers.

use crate::{Page, VaultStatus};

/// Counts since the start, and how things are now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Pages in the program's memory now, together with those that are coming.
    pub resident_pages: u64,
    /// The most there ever were.
    pub resident_pages_max: u64,
    /// Pages that are being sent now.
    pub leaving_pages: u64,
    /// Pages that left and are still in a frame now.
    pub limbo_pages: u64,
    /// Pages that are being read now.
    pub coming_pages: u64,
    /// Pages that a system call is using now.
    pub held_pages: u64,
    /// Faults that wait for room now.
    pub waiting_pages: u64,
    /// Faults on pages that hold nothing but zeros: never touched, given up, or all zero when they
    /// left.
    pub faults_zero: u64,
    /// Faults on pages that had left but were still in a frame.
    pub faults_limbo: u64,
    /// Faults on the page that was held back to see whether a stream goes on.
    pub faults_trigger: u64,
    /// Faults on pages that were being read already.
    pub faults_joined: u64,
    /// Faults that had to wait for a read of their own.
    pub faults_hard: u64,
    /// Faults on pages that were there already, when their turn came.
    pub faults_stale: u64,
    /// Writes to pages that were protected to see whether anybody would write to them.
    pub faults_write: u64,
    /// Faults on memory that is not mapped, as far as the pager knows.
    pub faults_unknown: u64,
    /// Faults that found no room and had to wait for an eviction first.
    pub faults_without_room: u64,
    /// Pages given zeros ahead of need.
    pub zeros_ahead: u64,
    /// Reads for a fault or for a system call.
    pub page_ins_demand: u64,
    /// Reads ahead of need.
    pub page_ins_prefetch: u64,
    /// Windows read ahead.
    pub windows: u64,
    /// Those whose trigger was touched: the stream went on.
    pub windows_used: u64,
    /// Pages taken whose contents were stored already: nothing was sent.
    pub evictions_clean: u64,
    /// Pages taken that had changed: sent, unless they came back soon.
    pub evictions_dirty: u64,
    /// Pages taken that were all zero: nothing was sent, and what was stored is forgotten.
    pub evictions_zeros: u64,
    /// Pages that came back soon after they had left.
    pub refaults: u64,
    /// Pages that could not be taken, and others were tried.
    pub busy: u64,
    /// Pages that were not there when they were to be taken, or were there when they were to be
    /// filled: the program's memory changed behind the pager's back.
    pub surprises: u64,
    /// Pages whose contents are lost, in the order in which that was found.
    pub lost: Vec<Page>,
    /// What is kept outside.
    pub vault: VaultStatus,
}

impl Status {
    /// Faults answered without waiting for a read of their own.
    pub fn faults_soft(&self) -> u64 {
        self.faults_limbo + self.faults_trigger + self.faults_joined
    }
}

/// What a fault turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The page was never touched, given up, or all zero when it left: zeros.
    Zero,
    /// The page is still, or already, in a frame, or about to arrive.
    Soft,
    /// The page has to be read.
    Hard,
    /// The page is there already; the driver only has to wake whoever waits.
    Stale,
    /// The contents are lost; the page is poisoned.
    Lost,
}
