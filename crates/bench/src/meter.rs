//! How a workload is watched and stopped from outside, at the cost of a look at a shared word.

use crate::plan::{Length, Plan};
use clock::Ticks;
use fabric::Node;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// A workload's view of its control: shared with whoever shows progress or wants it to end.
#[derive(Clone, Copy, Debug)]
pub struct Meter<'a> {
    /// Set to end the run early, cleanly.
    pub stop: &'a AtomicBool,
    /// Messages or round trips done, kept up now and then.
    pub done: &'a AtomicU64,
}

/// Says when a run has been long enough.
pub(crate) struct Until<'a> {
    meter: Meter<'a>,
    count: u64,
    end: Ticks,
    done: u64,
}

/// Between two updates of the shared counter: a power of two.
const UPDATE_EVERY: u64 = 256;

impl<'a> Until<'a> {
    /// A run that begins now.
    pub fn new(node: &Node, plan: &Plan, meter: &Meter<'a>) -> Until<'a> {
        let (count, end) = match plan.length {
            Length::Count(count) => (count, Ticks(u64::MAX)),
            Length::DurationMs(ms) => (u64::MAX, node.after(Duration::from_millis(ms))),
        };
        Until { meter: *meter, count, end, done: 0 }
    }

    /// Whether to go on. `now` is asked only in a run by duration: a reading for every message would be part of what is
    /// measured.
    #[inline]
    pub fn goes_on(&self, now: impl FnOnce() -> Ticks) -> bool {
        let in_time = self.end == Ticks(u64::MAX) || now() < self.end;
        in_time && self.done < self.count && !self.meter.stop.load(Ordering::Relaxed)
    }

    /// So many more are done.
    #[inline]
    pub fn add(&mut self, more: u64) {
        let before = self.done;
        self.done += more;
        if before / UPDATE_EVERY != self.done / UPDATE_EVERY {
            self.meter.done.store(self.done, Ordering::Relaxed);
        }
    }

    /// How many are done, told to the watcher as well.
    pub fn finish(self) -> u64 {
        self.meter.done.store(self.done, Ordering::Relaxed);
        self.done
    }
}
