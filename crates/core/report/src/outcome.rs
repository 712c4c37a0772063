//! What a simulation's engine says of its run, as `run.json` keeps it.
//!
//! The engine counts everything, whereas rows may have been dropped or not recorded at all: where
//! the two differ, the engine is right.

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
    /// The critical path, where it was looked for.
    pub critical_path: Option<CriticalPath>,
    /// Speed-up along the run, where the sequential engine ran too.
    pub speedup: Vec<SpeedupPoint>,
    /// All that it said in single figures: name and value.
    pub said: Vec<(String, String)>,
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
    /// From the parameters of a run; `None` when they hold no result. `shown` makes a name and a
    /// value readable.
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
            critical_path: result.get("critical_path").and_then(CriticalPath::of),
            speedup: result
                .get("speedup")
                .and_then(Value::as_array)
                .map_or_else(Vec::new, |values| points(values)),
            said: result
                .iter()
                .filter(|(_, value)| !value.is_object() && !value.is_array())
                .map(|(name, value)| shown(name, value))
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
