//! Workloads that measure message times.
//!
//! Each runs the same on every transport: it is given a [`Node`] and a [`Plan`] and plays the role
//! that the node's number gives it. Node 0 leads; the others serve until everybody has said
//! good-bye. What was measured is in the rows that the nodes wrote; an [`Outcome`] adds only what
//! rows cannot tell.
//!
//! | workload | source | who sends what |
//! |---|---|---|
//! | pingpong | Myrinet study "round trip", MPI report | 0 to one other and back, one at a time |
//! | stream | Myrinet study "spray" | one way as fast as possible, or open loop at a rate |
//! | burst | Myrinet study "spray with empty buffers" | some messages, then a pause |
//! | relay | Myrinet study "simplified trigger protocol" | 0 to 1 and 2, 1 to 2, 2 back to 0 |
//! | sweep | MPI report "packet size test" | ping-pong over many sizes |
#![forbid(unsafe_code)]
// Used within the workspace only: a name that says it all needs no sentence.
#![allow(missing_docs)]

mod burst;
pub mod floor;
mod meter;
mod pingpong;
mod plan;
mod relay;
mod serve;
mod stream;
mod sweep;

pub use meter::Meter;
pub use plan::{Length, Plan, PlanError, Workload};
pub use sweep::SizeMedian;

use fabric::{FabricError, Node};
use serde::{Deserialize, Serialize};

/// What a node saw that its rows do not tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Messages that this node sent after warming up.
    pub sent: u64,
    /// Messages that it received after warming up.
    pub received: u64,
    /// From the first of these to the last, ns.
    pub elapsed_ns: u64,
    /// Medians by size, from a sweep's leading node.
    pub sizes: Vec<SizeMedian>,
}

/// Play this node's part of the plan. The caller closes the node afterwards.
pub fn run(node: &mut Node, plan: &Plan, meter: &Meter<'_>) -> Result<Outcome, FabricError> {
    match &plan.workload {
        Workload::Pingpong => pingpong::run(node, plan, meter),
        Workload::Stream { rate_per_s, batch, all } => {
            let pace = stream::Pace { rate_per_s: *rate_per_s, batch: *batch };
            if *all {
                stream::all_to_all(node, plan, pace, meter)
            } else {
                stream::pairs(node, plan, pace, meter)
            }
        }
        Workload::Burst { messages, gap_us, batch } => {
            let shape = burst::Shape { messages: *messages, batch: *batch, gap_us: *gap_us };
            burst::run(node, plan, shape, meter)
        }
        Workload::Relay => relay::run(node, plan, meter),
        Workload::Sweep { largest_bytes, repeats, refine, every_bytes } => {
            let sizes = plan::sizes(*largest_bytes, *every_bytes);
            let shape = sweep::Shape { sizes, repeats: *repeats, refine: *refine };
            sweep::run(node, plan, &shape, meter)
        }
    }
}
