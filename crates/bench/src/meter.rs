//! How a workload is watched and stopped from outside, at the cost of a look at a shared word.

use crate::plan::{Length, Plan};
use clock::Ticks;
use fabric::{FabricError, Node};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// A workload's view of its control: shared with whoever shows progress or wants it to end.
#[derive(Clone, Copy, Debug)]
pub struct Meter<'a> {
    /// Set to end the run early, cleanly.
    pub stop: &'a AtomicBool,
    /// Messages or round trips done, those of warming up included: see [`Plan::goal`]. It is stored
    /// with each, so that a slow one is not taken for none; on a cache line that nobody else writes
    /// that costs nothing.
    pub done: &'a AtomicU64,
}

/// Longest sleep between two looks whether to stop.
const NAP: Duration = Duration::from_millis(100);

impl Meter<'_> {
    /// Warm up: `one` message or round trip, as often as the plan wants, unstamped.
    pub(crate) fn warm_up(
        &self,
        node: &mut Node,
        plan: &Plan,
        mut one: impl FnMut(&mut Node) -> Result<(), FabricError>,
    ) -> Result<(), FabricError> {
        let before = self.done.load(Ordering::Relaxed);
        node.set_stamping(false);
        for number in 0..plan.warm_up {
            if self.is_stopped() {
                break;
            }
            one(node)?;
            self.done.store(before + number + 1, Ordering::Relaxed);
        }
        node.set_stamping(true);
        Ok(())
    }

    /// Sleep for so long, unless the run is to end.
    pub(crate) fn sleep(&self, node: &mut Node, time: Duration) {
        if node.rest(node.after(time)) {
            return;
        }
        let mut left = time;
        while !left.is_zero() && !self.is_stopped() {
            std::thread::sleep(left.min(NAP));
            left = left.saturating_sub(NAP);
        }
    }

    /// Whether the run is to end.
    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Says when a run has been long enough.
pub(crate) struct Until<'a> {
    meter: Meter<'a>,
    count: u64,
    end: Ticks,
    done: u64,
    /// On the shared counter before it began.
    before: u64,
}

impl<'a> Until<'a> {
    /// A run that begins now.
    pub fn new(node: &Node, plan: &Plan, meter: &Meter<'a>) -> Until<'a> {
        let (count, end) = match plan.length {
            Length::Count(count) => (count, Ticks(u64::MAX)),
            Length::DurationMs(ms) => (u64::MAX, node.after(Duration::from_millis(ms))),
        };
        Until { meter: *meter, count, end, done: 0, before: meter.done.load(Ordering::Relaxed) }
    }

    /// Whether to go on. `now` is asked only in a run by duration: a reading for every message
    /// would be part of what is measured.
    #[inline]
    pub fn goes_on(&self, now: impl FnOnce() -> Ticks) -> bool {
        let in_time = self.end == Ticks(u64::MAX) || now() < self.end;
        in_time && self.done < self.count && !self.meter.is_stopped()
    }

    /// So many more are done.
    #[inline]
    pub fn add(&mut self, more: u64) {
        self.done += more;
        self.meter.done.store(self.before + self.done, Ordering::Relaxed);
    }

    /// How many are done.
    pub fn finish(self) -> u64 {
        self.done
    }
}
