//! Buckets of equal width in simtime.

use super::Entry;

/// One rung of the ladder. Everything in a bucket lies before everything in the next, because a
/// bucket's number is a monotone function of simtime, also as floating-point numbers compute it.
#[derive(Default)]
pub(super) struct Rung {
    from: f64,
    per_simtime: f64,
    /// The bucket being emptied; additions to it or before it belong elsewhere.
    at: usize,
    used: usize,
    buckets: Vec<Vec<Entry>>,
}

impl Rung {
    /// Begin again, with `count` buckets for simtimes from `from` to `to`.
    pub fn begin(&mut self, from: f64, to: f64, count: usize) {
        if self.buckets.len() < count {
            self.buckets.resize_with(count, Vec::new);
        }
        (self.from, self.used, self.at) = (from, count, usize::MAX);
        self.per_simtime = (count as f64 / (to - from)).min(f64::MAX);
    }

    /// Deal these to the buckets.
    pub fn deal(&mut self, entries: &mut Vec<Entry>) {
        for entry in entries.drain(..) {
            let bucket = self.bucket_of(entry.time.simtime());
            self.buckets[bucket].push(entry);
        }
    }

    /// Take an entry into a bucket that is still to come; `false` if it belongs to nearer ones.
    #[inline]
    pub fn takes(&mut self, simtime: f64, entry: Entry) -> bool {
        let bucket = self.bucket_of(simtime);
        // Before the first bucket is opened `at` is the largest number: one more is 0.
        let takes = bucket >= self.at.wrapping_add(1);
        if takes {
            self.buckets[bucket].push(entry);
        }
        takes
    }

    /// Go on to the next bucket that is not empty; `false` when there is none.
    pub fn next_bucket(&mut self) -> bool {
        let first = self.at.wrapping_add(1);
        match self.buckets[first..self.used].iter().position(|bucket| !bucket.is_empty()) {
            Some(step) => self.at = first + step,
            None => self.at = self.used - 1,
        }
        !self.buckets[self.at].is_empty()
    }

    /// The bucket gone on to.
    pub fn bucket(&mut self) -> &mut Vec<Entry> {
        &mut self.buckets[self.at]
    }

    #[inline]
    fn bucket_of(&self, simtime: f64) -> usize {
        // What lies before the rung becomes 0, what lies behind it the last bucket.
        (((simtime - self.from) * self.per_simtime) as usize).min(self.used - 1)
    }
}
