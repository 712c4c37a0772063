//! A run's result in a few figures.

use serde::{Deserialize, Serialize};
use timewarp::Outcome;

/// A run's result in a few figures: the object `result` of `run.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Committed events.
    pub events: u64,
    /// Messages that they consumed.
    pub messages: u64,
    /// Events executed, those undone included.
    pub executed: u64,
    /// Events undone.
    pub rolled_back: u64,
    /// Rollbacks.
    pub rollbacks: u64,
    /// Anti-messages.
    pub anti_messages: u64,
    /// Messages sent back for want of memory.
    pub sendbacks: u64,
    /// Committed events of those executed.
    pub efficiency: f64,
    /// Event messages that went to another node, of all that were sent.
    pub off_node_share: f64,
    /// Event messages between nodes that were taken while one that had arrived before them still
    /// waited.
    #[serde(default)]
    pub overtook: u64,
    /// Parts of objects that moved to another node.
    #[serde(default)]
    pub migrations: u64,
    /// GVT rounds.
    pub gvt_rounds: u64,
    /// Most bytes in use on a node, of those that count against the budget.
    pub memory_peak: u64,
    /// Simtime of the last committed event.
    pub final_time: f64,
    /// Digest of all committed events.
    pub trace_digest: String,
    /// Digest of all final states.
    pub state_digest: String,
    /// From the first step to the last, on the node that took longest.
    pub seconds: f64,
    /// Committed events a second.
    pub events_per_s: f64,
}

impl Summary {
    /// Of a whole run that took so long.
    pub fn new(outcome: &Outcome, elapsed_ns: u64) -> Summary {
        let total = outcome.total();
        let most = |of: fn(&timewarp::NodeCounters) -> u64| {
            outcome.nodes.iter().map(|(_, n)| of(n)).max().unwrap_or(0)
        };
        let sum = |of: fn(&timewarp::NodeCounters) -> u64| {
            outcome.nodes.iter().map(|(_, node)| of(node)).sum::<u64>()
        };
        let seconds = elapsed_ns as f64 / 1e9;
        Summary {
            events: total.events,
            messages: total.messages,
            executed: total.completed,
            rolled_back: total.undone,
            rollbacks: total.rollbacks,
            anti_messages: total.anti_sent,
            sendbacks: total.returns_sent,
            efficiency: share(total.events, total.completed, 1.0),
            off_node_share: share(sum(|node| node.off_node), total.positive_sent, 0.0),
            overtook: sum(|node| node.overtook),
            migrations: total.migrations,
            gvt_rounds: most(|node| node.gvt_rounds),
            memory_peak: most(|node| node.memory_peak),
            final_time: outcome.final_time,
            trace_digest: format!("{:016x}", outcome.trace_digest),
            state_digest: format!("{:016x}", outcome.state_digest),
            seconds,
            events_per_s: if seconds > 0.0 { total.events as f64 / seconds } else { 0.0 },
        }
    }
}

fn share(part: u64, whole: u64, of_nothing: f64) -> f64 {
    if whole == 0 { of_nothing } else { part as f64 / whole as f64 }
}
