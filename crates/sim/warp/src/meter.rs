//! How a run is watched and stopped from outside, at the cost of a look at a shared word now and
//! then.

use serde::{Deserialize, Serialize};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use timewarp::Status;

/// A driver's view of whoever shows progress or wants it to end.
#[derive(Clone, Copy)]
pub struct Meter<'a> {
    /// Set to end the run early, cleanly.
    pub stop: &'a AtomicBool,
    /// Where this node shows how far it is.
    pub gauge: &'a Gauge,
}

/// How far one node is. On cache lines of its own, so that showing it does not slow down a
/// neighbour.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Gauge {
    gvt: AtomicU64,
    committed: AtomicU64,
    executed: AtomicU64,
    memory_bytes: AtomicU64,
}

/// What gauges show, of one node or of several together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Readings {
    /// Simtime of GVT: the least.
    pub gvt: f64,
    /// Events committed, in all.
    pub committed: u64,
    /// Events executed, in all, those undone included.
    pub executed: u64,
    /// Bytes in use of those that count against the budget: the most of any node.
    pub memory_bytes: u64,
}

impl Gauge {
    pub(crate) fn show(&self, status: &Status) {
        self.gvt.store(status.gvt.simtime().to_bits(), Relaxed);
        self.committed.store(status.committed, Relaxed);
        self.executed.store(status.executed, Relaxed);
        self.memory_bytes.store(status.memory as u64, Relaxed);
    }

    /// What it shows; `None` as long as the node has not begun.
    pub fn read(&self) -> Option<Readings> {
        let gvt = f64::from_bits(self.gvt.load(Relaxed));
        // No GVT is exactly zero bits before the run: it begins far below.
        (self.gvt.load(Relaxed) != 0 || self.executed.load(Relaxed) != 0).then(|| Readings {
            gvt,
            committed: self.committed.load(Relaxed),
            executed: self.executed.load(Relaxed),
            memory_bytes: self.memory_bytes.load(Relaxed),
        })
    }
}

impl Readings {
    /// All of them together; `None` if there are none.
    pub fn of_all(all: impl IntoIterator<Item = Readings>) -> Option<Readings> {
        all.into_iter().reduce(|a, b| Readings {
            gvt: a.gvt.min(b.gvt),
            committed: a.committed + b.committed,
            executed: a.executed + b.executed,
            memory_bytes: a.memory_bytes.max(b.memory_bytes),
        })
    }
}
