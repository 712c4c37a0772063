//! What a simulation's engine says of its run, as `run.json` keeps it.
//!
//! The engine counts everything, whereas rows may have been dropped or not recorded at all: where the two differ, the
//! engine is right.

use serde_json::{Map, Value};

/// The name under which the parameters hold it.
pub(crate) const KEY: &str = "result";

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
    /// All that it said: name and value.
    pub said: Vec<(String, String)>,
}

impl Outcome {
    /// From the parameters of a run; `None` when they hold no result. `shown` makes a name and a value readable.
    pub(crate) fn of(
        parameters: &Map<String, Value>,
        shown: impl Fn(&str, &Value) -> (String, String),
    ) -> Option<Outcome> {
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
            said: result.iter().map(|(name, value)| shown(name, value)).collect(),
        })
    }
}
