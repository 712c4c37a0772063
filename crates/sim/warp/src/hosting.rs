//! What the nodes of a process are given, and what they report.

use crate::crew::Crews;
use crate::spent::Spent;
use crate::{EventCosts, Gauge, Job, WarpError};
use clock::Clock;
use fabric::{NodeId, Spec};
use record::Recorder;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What the nodes of a process are given.
pub struct Hosting<'a> {
    /// What to run.
    pub job: &'a Job,
    /// Over what.
    pub spec: &'a Spec,
    /// The nodes here, in the order of their transports.
    pub hosted: &'a [NodeId],
    /// What stamps are taken with.
    pub clock: Clock,
    /// The folder of the run, for what nodes leave besides rows.
    pub folder: &'a Path,
    /// Where each of them shows how far it is, in their order.
    pub gauges: &'a [Gauge],
    /// Set to end the run early.
    pub stop: &'a AtomicBool,
    /// How the nodes are dealt to threads.
    pub crews: Crews,
    /// Makes a node's recorder, if the job wants one; called on the node's thread.
    pub recorder: &'a (dyn Fn(NodeId) -> Result<Recorder, WarpError> + Sync),
    /// Called on a node's thread instead if nothing is recorded.
    pub unrecorded: &'a (dyn Fn(NodeId) + Sync),
    /// What is played again, if this is a recorded run's prediction.
    pub replayed: Option<&'a Replayed>,
    /// Called on each thread once its nodes are set up, or could not be: waits for all threads, and
    /// says whether to begin.
    pub begin: &'a (dyn Fn(bool) -> bool + Sync),
}

/// A recorded run that is played again in simulated time.
pub struct Replayed {
    /// What its events take.
    pub events: Arc<dyn EventCosts>,
    /// Whether its messages carry stamps, as those of a recorded run do.
    pub stamped: bool,
}

/// How one node's part went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeReport {
    /// Which node.
    pub node: NodeId,
    /// Whether the simulation came to its end.
    pub finished: bool,
    /// From its first step to its last, ns.
    pub elapsed_ns: u64,
    /// What that time went to.
    #[serde(default)]
    pub spent: Spent,
    /// What its committed events take one after another, ns, where time is simulated.
    #[serde(default)]
    pub in_order_ns: Option<u64>,
}
