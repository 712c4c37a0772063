//! What was found of a Time Warp run's work. Virtual times are those of the model and have no unit
//! here.

use record::Kind;
use serde::{Deserialize, Serialize};
use stats::analysis::{Bin, Stage, StageView, Summary};

/// What a Time Warp run did, as far as its rows tell: rows that were dropped are missing here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Simulation {
    /// Events executed, those undone later included.
    pub executed: u64,
    /// Events undone by rollbacks.
    pub undone: u64,
    /// Events committed by fossil collection.
    pub committed: u64,
    /// Committed events as a part of those executed; `None` when none was.
    pub efficiency: Option<f64>,
    /// Rounds of computing GVT: in each launch, those of the node that saw most.
    pub gvt_rounds: u64,
    /// From the begin of the first to the end of the last piece of work, summed over the launches,
    /// ns.
    pub elapsed_ns: i64,
    /// Committed events a second of that time; `None` when it is nothing.
    pub committed_per_s: Option<f64>,
    /// Progress along the run, without gaps.
    pub series: Vec<SimulationBin>,
    /// What each node's time went to, in the order of the nodes.
    pub nodes: Vec<NodeTime>,
    /// How long each kind of work took, where the run has it (the stage is `EndToEnd` throughout).
    pub work: Vec<(Work, StageView)>,
    /// The rollbacks together.
    pub rollbacks: Rollbacks,
    /// The largest rollbacks by events undone, largest first.
    pub worst: Vec<Rollback>,
    /// The objects with most events undone, most first.
    pub objects: Vec<ObjectRollbacks>,
    /// Event, anti-, returned and GVT messages, each within a node and between nodes; only those
    /// that there are.
    pub messages: Vec<MessageGroup>,
}

/// Work of a Time Warp node: what rows of these kinds tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// Executing an event.
    Execution,
    /// Undoing events.
    Rollback,
    /// A step of fossil collection.
    Collection,
    /// What the node itself does when a round of computing GVT ends.
    GvtRound,
}

/// A slice of the timeline; work counts where it ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulationBin {
    /// Begin on the timeline.
    pub from_ns: i64,
    /// End on the timeline.
    pub to_ns: i64,
    /// Events executed a second.
    pub executed_per_s: f64,
    /// Events undone a second.
    pub undone_per_s: f64,
    /// Events committed a second. A node commits many at a time; they are spread evenly over the
    /// time since it last did.
    pub committed_per_s: f64,
    /// The highest GVT that was announced in it; `None` where none was, or none within the model's
    /// time.
    pub gvt: Option<f64>,
}

/// What a node's time went to, all launches together. Work that overlaps counts twice, so that the
/// rest may even be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeTime {
    pub node: u32,
    /// From the begin of its first to the end of its last piece of work.
    pub elapsed_ns: i64,
    /// Time in execution, rollback and fossil collection.
    pub work_ns: [i64; 3],
    /// What remains of `elapsed_ns`: messages, computing GVT, waiting.
    pub rest_ns: i64,
    /// Events executed.
    pub executed: u64,
    /// Events undone.
    pub undone: u64,
    /// Events committed.
    pub committed: u64,
    /// Rollbacks.
    pub rollbacks: u64,
}

/// All rollbacks of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rollbacks {
    pub count: u64,
    /// Mean of events undone in one.
    pub depth_mean: f64,
    /// Median of events undone in one.
    pub depth_p50: u64,
    /// Its 99 % quantile.
    pub depth_p99: u64,
    /// Most events undone in one.
    pub depth_max: u64,
    /// Events undone (inclusive range, each twice as wide as that before) and the rollbacks that
    /// undid so many.
    pub depths: Vec<(u64, u64, u64)>,
    /// How far back in virtual time, from the object's to the earliest undone, in bins that double
    /// in width.
    pub lengths: Vec<Bin>,
    /// Rollbacks to the very time that the object was at: it was at its last event.
    pub lengths_zero: u64,
    /// Rollbacks whose length means nothing: an end is missing or lies before the begin or after
    /// the end of the model's time.
    pub lengths_unknown: u64,
    /// Events undone at objects that the table of objects was too small for.
    #[serde(default)]
    pub undone_left_out: u64,
}

/// One rollback.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rollback {
    pub launch: u32,
    pub node: u32,
    /// Object; `None` where it was not recorded.
    pub object: Option<i64>,
    /// When it began, on the timeline; `None` where the stamp is missing.
    pub begin_ns: Option<i64>,
    /// How long it took.
    pub took_ns: Option<i64>,
    /// Events undone.
    pub events: u64,
    /// How far the object had come, and the earliest time undone; `None` where they were not
    /// recorded.
    pub from: Option<f64>,
    pub to: Option<f64>,
}

/// What was undone at one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectRollbacks {
    pub object: i64,
    /// The highest node that it was rolled back on; more than one only where it moved or launches
    /// placed it elsewhere.
    pub node: u32,
    /// Its rollbacks.
    pub rollbacks: u64,
    /// Events undone in these.
    pub undone: u64,
    /// Most of them in one.
    pub depth_max: u64,
}

/// Messages of one kind within nodes, or between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessageGroup {
    /// `event`, `anti`, `sendback` or `gvt`.
    pub kind: Kind,
    /// Whether they stayed within their node.
    pub on_node: bool,
    pub count: u64,
    /// Stages A to D, without those that none has.
    pub stages: Vec<(Stage, Summary)>,
    /// Of event messages between nodes: those taken before one that had arrived at their node
    /// earlier, by the stamps; `None` of others, and where there are too many to be kept.
    #[serde(default)]
    pub overtook: Option<u64>,
}
