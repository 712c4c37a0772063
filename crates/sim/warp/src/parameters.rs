//! What `run.json` says of a simulation: its model's parameters and its engine's options.

use crate::Job;
use serde_json::{Map, Value};

impl Job {
    /// The parameters of a run on so many nodes; `None`: in order.
    pub fn parameters(&self, nodes: Option<u16>) -> Map<String, Value> {
        let mut parameters = Map::new();
        let mut say = |name: &str, value: Value| drop(parameters.insert(name.into(), value));
        say("nodes", nodes.unwrap_or(1).into());
        say("engine", if nodes.is_some() { "optimistic" } else { "sequential" }.into());
        let options = serde_json::to_value(&self.engine).unwrap_or_default();
        for value in [self.model.parameters.clone(), options] {
            if let Value::Object(fields) = value {
                flatten(fields, &mut parameters);
            }
        }
        let mut say = |name: &str, value: Value| drop(parameters.insert(name.into(), value));
        say("placement", serde_json::to_value(self.dealing).unwrap_or_default());
        say("gvt_interval_us", self.gvt_interval_us.into());
        if let Some(simtime) = self.gvt_change {
            say("gvt_change", simtime.into());
        }
        if !self.places.is_empty() {
            say("placed", self.places.len().into());
        }
        parameters
    }
}

/// Parameters stand side by side, as those of a benchmark do; what is absent is not said.
fn flatten(fields: Map<String, Value>, into: &mut Map<String, Value>) {
    for (name, value) in fields {
        match value {
            Value::Object(inner)
                if matches!(name.as_str(), "options" | "network" | "drawn" | "table") =>
            {
                flatten(inner, into)
            }
            Value::Object(inner) if name == "generated" => {
                let prefixed =
                    inner.into_iter().map(|(inner, value)| (format!("network_{inner}"), value));
                into.extend(prefixed);
            }
            Value::Null => {}
            value => drop(into.insert(name, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ModelSpec;
    use models::WarpnetSpec;

    #[test]
    fn parameters_stand_side_by_side() {
        let job = Job::new(ModelSpec::of(&WarpnetSpec::default()));
        let parameters = job.parameters(Some(3));
        for (name, value) in [("nodes", 3), ("network_nodes", 137), ("packets_per_node", 12)] {
            assert_eq!(parameters[name], value, "{parameters:?}");
        }
        assert_eq!(
            (&parameters["engine"], &parameters["placement"]),
            (&"optimistic".into(), &"blocks".into())
        );
        assert!(!parameters.contains_key("memory_bytes"), "what is absent is not said");
        assert_eq!(job.parameters(None)["engine"], "sequential");
    }
}
