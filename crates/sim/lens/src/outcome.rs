//! What a simulation's engine says of its run, as `run.json` keeps it.
//!
//! The engine counts everything, whereas rows may have been dropped or not recorded at all: where
//! the two differ, the engine is right.

use report::build::parameter;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The name under which the parameters hold it.
pub const KEY: &str = "result";

/// The engine's own counts; `None` where it did not say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Events committed.
    pub events: Option<u64>,
    /// Events executed, those undone included.
    pub executed: Option<u64>,
    /// Events undone.
    pub rolled_back: Option<u64>,
    /// Rollbacks.
    pub rollbacks: Option<u64>,
    /// Committed events as a part of those executed, 0 to 1.
    pub efficiency: Option<f64>,
    /// Rounds of computing GVT.
    pub gvt_rounds: Option<u64>,
    /// How long the simulation took, s.
    pub seconds: Option<f64>,
    /// Events committed a second.
    pub events_per_s: Option<f64>,
    /// The critical path, where it was looked for.
    pub critical_path: Option<CriticalPath>,
    /// Speed-up along the run, where the sequential engine ran too.
    pub speedup: Vec<SpeedupPoint>,
    /// What the nodes' time went to, where they said it.
    pub spent: Vec<NodeSpent>,
    /// What went through the nodes' receive queues, where they were searched.
    pub queues: Vec<NodeQueue>,
    /// All that it said in single figures: name and value.
    pub said: Vec<(String, String)>,
}

/// What a node's wall time went to, as its driver measured it, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeSpent {
    /// Which node.
    pub node: u32,
    /// In the engine: events, rollbacks, collection, its queues, GVT.
    pub engine_ns: i64,
    /// Packing messages, and handing them over.
    pub packing_ns: i64,
    /// Looking for messages, and taking them, while there is work.
    pub looking_ns: i64,
    /// How often; 0 of a run of an older version.
    #[serde(default)]
    pub looks: u64,
    /// With nothing to do.
    pub waiting_ns: i64,
    /// While other nodes had the thread that it shares with them; 0 with a thread of its own.
    pub sharing_ns: i64,
    /// Ready to run and without a core, within any of these; `None` where the kernel did not say.
    pub without_core_ns: Option<i64>,
}

/// The event messages of other nodes that went through a node's receive queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeQueue {
    /// Which node.
    pub node: u32,
    /// How many were taken out of it.
    pub taken: u64,
    /// Of these, while a message that had arrived earlier still waited in it.
    pub overtook: u64,
}

impl NodeQueue {
    /// Where a result has them.
    pub const KEY: &'static str = "queues";
}

impl NodeSpent {
    /// Where a result has them.
    pub const KEY: &'static str = "nodes";
}

/// The longest chain of events of which each had to wait for the one before.
#[derive(Clone, Debug, PartialEq)]
pub struct CriticalPath {
    /// Its length, ns.
    pub length_ns: f64,
    /// Its events.
    pub steps: u64,
    /// The time of all committed events, ns.
    pub work_ns: f64,
    /// How many there were.
    pub events: u64,
}

/// How much faster than the sequential run it came forward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpeedupPoint {
    /// Since the run began, s.
    pub seconds: f64,
    /// Over the stretch that ends here.
    pub speedup: f64,
    /// From the beginning to here.
    pub so_far: f64,
}

impl Outcome {
    /// From the parameters of a run; `None` when they hold no result.
    pub fn of(parameters: &Map<String, Value>) -> Option<Outcome> {
        let result = parameters.get(KEY)?.as_object()?;
        let whole = |name: &str| result.get(name).and_then(Value::as_u64);
        let number = |name: &str| result.get(name).and_then(Value::as_f64);
        Some(Outcome {
            events: whole("events"),
            executed: whole("executed"),
            rolled_back: whole("rolled_back"),
            rollbacks: whole("rollbacks"),
            efficiency: number("efficiency"),
            gvt_rounds: whole("gvt_rounds"),
            seconds: number("seconds"),
            events_per_s: number("events_per_s"),
            critical_path: result.get("critical_path").and_then(CriticalPath::of),
            speedup: result
                .get("speedup")
                .and_then(Value::as_array)
                .map_or_else(Vec::new, |values| points(values)),
            spent: result
                .get(NodeSpent::KEY)
                .and_then(|spent| serde_json::from_value(spent.clone()).ok())
                .unwrap_or_default(),
            queues: result
                .get(NodeQueue::KEY)
                .and_then(|queues| serde_json::from_value(queues.clone()).ok())
                .unwrap_or_default(),
            said: result
                .iter()
                .filter(|(_, value)| !value.is_object() && !value.is_array())
                .map(|(name, value)| parameter(name, value))
                .collect(),
        })
    }
}

impl CriticalPath {
    fn of(value: &Value) -> Option<CriticalPath> {
        Some(CriticalPath {
            length_ns: value.get("length_ns")?.as_f64()?,
            steps: value.get("steps")?.as_u64()?,
            work_ns: value.get("work_ns")?.as_f64()?,
            events: value.get("events")?.as_u64()?,
        })
    }
}

/// Each is `[seconds, speedup, sequential seconds]`.
fn points(values: &[Value]) -> Vec<SpeedupPoint> {
    let point = |value: &Value| {
        let number = |at: usize| value.get(at)?.as_f64();
        let (seconds, speedup, sequential) = (number(0)?, number(1)?, number(2)?);
        (seconds > 0.0).then(|| SpeedupPoint { seconds, speedup, so_far: sequential / seconds })
    };
    values.iter().filter_map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimLens;
    use record::RunInfo;
    use report::Facts;
    use serde_json::json;

    #[test]
    fn a_result_is_no_parameter() {
        let mut info = RunInfo::new("phold");
        info.parameters.insert("objects".to_owned(), json!(64));
        info.parameters.insert(
            "result".to_owned(),
            json!({
                "events": 1000, "executed": 1250, "rolled_back": 250, "efficiency": 0.8,
                "final_time": 1234.567891, "state_digest": "0x12",
                "nodes": [{"node": 1, "waiting_ns": 5}],
            }),
        );
        let facts = Facts::of(&info, &[&SimLens]);
        assert_eq!(facts.parameters, [("Objects".to_owned(), "64".to_owned())]);
        let outcome = Outcome::of(&info.parameters).unwrap();
        assert_eq!(
            (outcome.events, outcome.executed, outcome.rollbacks),
            (Some(1000), Some(1250), None)
        );
        assert_eq!(outcome.efficiency, Some(0.8));
        assert_eq!((outcome.spent[0].node, outcome.spent[0].waiting_ns), (1, 5));
        let (_, said) = facts.product.results.unwrap();
        for (name, value) in [("State digest", "0x12"), ("Final time", "1234.57")] {
            assert!(said.contains(&(name.to_owned(), value.to_owned())), "{name}");
        }
    }
}
