//! What a node's events cost in simulated time, added up.

use crate::EventCosts;
use std::sync::Arc;
use timewarp::{ObjectId, VirtualTime};

/// A node's bill: what its driver has yet to spend, and what committed events came to.
pub(crate) struct Bill {
    costs: Arc<dyn EventCosts>,
    speed: f64,
    owed_ns: u64,
    in_order_ns: u64,
}

impl Bill {
    pub fn new(costs: Arc<dyn EventCosts>, speed: f64) -> Bill {
        Bill { costs, speed, owed_ns: 0, in_order_ns: 0 }
    }

    /// An event was executed, and may yet be undone.
    pub fn executed(&mut self, object: ObjectId, time: VirtualTime) {
        self.owed_ns += self.costs.event_ns(object, time);
    }

    /// An event was committed: in order, it would have been executed once.
    pub fn committed(&mut self, object: ObjectId, time: VirtualTime) {
        self.in_order_ns += self.costs.event_ns(object, time);
    }

    /// What has been executed and not yet taken, ns.
    pub fn take_owed(&mut self) -> u64 {
        std::mem::take(&mut self.owed_ns)
    }

    /// How far the node's time lies behind what has been executed, ns. (Interrupts may add to it.)
    pub fn ahead_ns(&self) -> u64 {
        (self.owed_ns as f64 / self.speed) as u64
    }

    /// What the committed events take one after another, ns.
    pub fn in_order_ns(&self) -> u64 {
        self.in_order_ns
    }
}
