//! The pending set: what is still to be handled, in order of virtual time, then of object.
//!
//! A ladder queue (Tang, Goh, Thng: Ladder queue: an O(1) priority queue structure for large-scale
//! discrete event simulation, ACM TOMACS 15(3), 2005) with a heap beside its sorted end. Entries
//! far ahead lie unsorted; entries nearer lie unsorted in buckets of equal width, the nearest
//! bucket split finer where it is full; the few nearest are sorted and taken from the end of an
//! array. What is added among those few goes into a small heap, and from there into buckets when it
//! becomes much, so that no pattern of additions costs more than a logarithm. A small set is all
//! heap and array.

mod heap;
mod rung;

use crate::{ObjectId, VirtualTime};
use heap::Heap;
use rung::Rung;

/// Something to be handled: a slot that holds it, and where it belongs in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    pub time: VirtualTime,
    pub object: ObjectId,
    pub slot: u32,
}

/// Entries that are sorted at once rather than dealt to finer buckets.
const SORTED_AT_ONCE: usize = 64;
/// Entries that a bucket holds on average when a rung is made.
const PER_BUCKET: usize = 12;
/// Entries in the heap that are dealt to buckets after all.
const LATE_MAX: usize = 256;
/// Buckets of a rung at most: their ends must stay within reach of the cache.
const BUCKETS_MAX: usize = 1 << 14;
/// Rungs at most; what is then still too full is sorted at once.
const RUNGS_MAX: usize = 8;

/// See the head of this file.
pub(crate) struct Pending {
    /// The nearest entries, last first.
    near: Vec<Entry>,
    /// Entries added since among them.
    late: Heap,
    /// The nearest rung is last.
    rungs: Vec<Rung>,
    /// Emptied rungs, to be used again.
    spare: Vec<Rung>,
    /// Everything from `far_from` on, unsorted.
    far: Vec<Entry>,
    far_from: VirtualTime,
    len: usize,
}

impl Pending {
    pub fn new() -> Pending {
        Pending {
            near: Vec::new(),
            late: Heap::default(),
            rungs: Vec::new(),
            spare: Vec::new(),
            far: Vec::new(),
            far_from: VirtualTime::NEGINF,
            len: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub fn push(&mut self, entry: Entry) {
        self.len += 1;
        if entry.time >= self.far_from {
            self.far.push(entry);
            return;
        }
        let simtime = entry.time.simtime();
        for rung in &mut self.rungs {
            if rung.takes(simtime, entry) {
                return;
            }
        }
        self.late.push(entry);
        if self.late.len() > LATE_MAX {
            self.spread_late();
        }
    }

    /// The first entry.
    #[inline]
    pub fn peek(&mut self) -> Option<Entry> {
        if self.near.is_empty() && self.late.is_empty() && !self.bring_near() {
            return None;
        }
        match (self.near.last(), self.late.first()) {
            (Some(near), Some(late)) => Some(*near.min(late)),
            (near, late) => near.or(late).copied(),
        }
    }

    /// Take the first entry.
    #[inline]
    pub fn pop(&mut self) -> Option<Entry> {
        if self.near.is_empty() && self.late.is_empty() && !self.bring_near() {
            return None;
        }
        self.len -= 1;
        match (self.near.last(), self.late.first()) {
            (Some(near), Some(late)) if late < near => self.late.pop(),
            (Some(_), _) => self.near.pop(),
            (None, _) => self.late.pop(),
        }
    }

    /// An entry that will come soon: the `ahead`-th from now if nothing is added, for fetching its
    /// memory early.
    #[inline]
    pub fn soon(&self, ahead: usize) -> Option<Entry> {
        self.near.len().checked_sub(ahead + 1).and_then(|at| self.near.get(at)).copied()
    }

    /// Take the first entry if it belongs to the same object and time as this one.
    #[inline]
    pub fn pop_beside(&mut self, first: &Entry) -> Option<Entry> {
        let beside = self
            .peek()
            .is_some_and(|entry| entry.time == first.time && entry.object == first.object);
        if beside { self.pop() } else { None }
    }

    /// Keep only what `keep` says; for the sake of memory, not order, and in time proportional to
    /// all.
    pub fn retain(&mut self, mut keep: impl FnMut(&Entry) -> bool) {
        let mut all = Vec::with_capacity(self.len);
        while let Some(entry) = self.pop() {
            all.push(entry);
        }
        all.retain(|entry| keep(entry));
        *self = Pending::new();
        all.into_iter().for_each(|entry| self.push(entry));
    }

    /// Fill the array of the nearest entries. `false`: there are none anywhere.
    #[cold]
    #[inline(never)]
    fn bring_near(&mut self) -> bool {
        loop {
            let deepest = self.rungs.len() >= RUNGS_MAX;
            let Some(rung) = self.rungs.last_mut() else {
                if !self.bring_from_far() {
                    return false;
                }
                if !self.near.is_empty() {
                    return true;
                }
                continue;
            };
            if !rung.next_bucket() {
                let rung = self.rungs.pop().expect("there is a last one");
                self.spare.push(rung);
                continue;
            }
            let bucket = rung.bucket();
            if bucket.len() <= SORTED_AT_ONCE || deepest || !spreads(bucket) {
                std::mem::swap(&mut self.near, rung.bucket());
                self.near.sort_unstable_by(|a, b| b.cmp(a));
                return true;
            }
            self.split_bucket();
        }
    }

    /// The nearest entries were few and far apart, and many have been added among them: deal all of
    /// these to a rung.
    #[cold]
    fn spread_late(&mut self) {
        if self.rungs.len() >= RUNGS_MAX || !spreads(self.late.entries()) {
            return;
        }
        let mut nearest = self.late.take_entries();
        nearest.append(&mut self.near);
        let (from, to) = ends(&nearest);
        let mut rung = self.spare.pop().unwrap_or_default();
        rung.begin(from, to, buckets_for(nearest.len()));
        rung.deal(&mut nearest);
        self.rungs.push(rung);
    }

    /// Deal the nearest bucket to a finer rung.
    fn split_bucket(&mut self) {
        let mut finer = self.spare.pop().unwrap_or_default();
        let bucket = self.rungs.last_mut().expect("there is a bucket to split").bucket();
        let (from, to) = ends(bucket);
        finer.begin(from, to, buckets_for(bucket.len()));
        finer.deal(bucket);
        self.rungs.push(finer);
    }

    /// Deal what is far to a rung, or sort it when it is little. `false`: there is nothing.
    fn bring_from_far(&mut self) -> bool {
        if self.far.is_empty() {
            return false;
        }
        if self.far.len() <= SORTED_AT_ONCE || !spreads(&self.far) {
            std::mem::swap(&mut self.near, &mut self.far);
            self.near.sort_unstable_by(|a, b| b.cmp(a));
            // The last one's own time may still come again, and belongs to the near ones then only
            // if it orders so.
            self.far_from = self.near[0].time.just_after();
            return true;
        }
        let mut rung = self.spare.pop().unwrap_or_default();
        let (from, to) = ends(&self.far);
        rung.begin(from, to, buckets_for(self.far.len()));
        rung.deal(&mut self.far);
        self.far_from = VirtualTime::new(to, u32::MAX, u32::MAX).just_after();
        self.rungs.push(rung);
        true
    }
}

fn buckets_for(entries: usize) -> usize {
    (entries / PER_BUCKET).clamp(2, BUCKETS_MAX)
}

/// Whether entries differ in simtime, so that finer buckets separate them.
fn spreads(entries: &[Entry]) -> bool {
    let first = entries[0].time.words()[0];
    entries.iter().any(|entry| entry.time.words()[0] != first)
}

/// The least and the greatest simtime.
fn ends(entries: &[Entry]) -> (f64, f64) {
    let words = || entries.iter().map(|entry| entry.time.words()[0]);
    let (least, greatest) = words().fold((u64::MAX, 0), |(a, b), word| (a.min(word), b.max(word)));
    let simtime = |word| VirtualTime::from_words([word, 0]).simtime();
    (simtime(least), simtime(greatest))
}

#[cfg(test)]
mod tests;
