//! What is asked of a simulated machine: which one, and the seed of its chances.

use crate::error::FabricError;
use crate::spec::{Spec, Topology};
use crate::transports::{GivenOptions, OptionTakes, TransportOption};
use machine::{Machine, SHIPPED};
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const OPTIONS: [TransportOption; 2] = [
    TransportOption {
        name: "on",
        value: "MACHINE",
        about: "The machine: a file, or one of `fourstamp machine list`",
        takes: OptionTakes::Text(find),
    },
    TransportOption {
        name: "machine-seed",
        value: "N",
        about: "Which packets it loses [default: 1]",
        takes: OptionTakes::Count(0, u64::MAX),
    },
];

const USUAL_SEED: u64 = 1;

#[derive(Deserialize)]
struct Settings {
    machine: Machine,
    machine_seed: u64,
}

/// A machine by its name or its file.
pub fn find_machine(asked: &str) -> Result<Machine, String> {
    if let Some(shipped) = SHIPPED.iter().find(|shipped| shipped.name == asked) {
        return machine::parse(asked, shipped.text).map_err(|error| error.to_string());
    }
    let text = std::fs::read_to_string(asked).map_err(|error| {
        let names: Vec<&str> = SHIPPED.iter().map(|shipped| shipped.name).collect();
        format!(
            "cannot read {asked}: {error}; give a machine's file, or one of {}",
            names.join(", ")
        )
    })?;
    machine::parse(asked, &text).map_err(|error| error.to_string())
}

fn find(asked: &str) -> Result<Value, String> {
    serde_json::to_value(find_machine(asked)?).map_err(|error| error.to_string())
}

pub(super) fn settings(given: &GivenOptions) -> Result<Value, String> {
    let machine = given
        .get("on")
        .ok_or("transport machine needs --on MACHINE: see `fourstamp machine list`")?;
    let usual = Value::from(USUAL_SEED);
    Ok(json!({ "machine": machine, "machine_seed": given.get("machine-seed").unwrap_or(&usual) }))
}

/// A machine with the usual seed.
pub(crate) fn of(machine: &Machine) -> Value {
    json!({ "machine": machine, "machine_seed": USUAL_SEED })
}

/// Another seed for the machine.
pub(crate) fn seed(settings: &mut Value, seed: u64) {
    settings["machine_seed"] = seed.into();
}

/// The machine of a fabric and its seed.
pub(super) fn read(spec: &Spec) -> Result<(Machine, u64), FabricError> {
    let settings = Settings::deserialize(&spec.transport.settings)
        .map_err(|error| FabricError::BadSpec { reason: format!("the machine: {error}") })?;
    Ok((settings.machine, settings.machine_seed))
}

/// The machine that a fabric runs on, if it is simulated.
pub fn machine_of(spec: &Spec) -> Option<Machine> {
    (spec.transport.kind == &super::MACHINE).then(|| read(spec).ok()).flatten().map(|read| read.0)
}

pub(super) fn check(spec: &Spec) -> Result<(), FabricError> {
    let refuse = |reason: String| Err(FabricError::BadSpec { reason });
    let (machine, _) = read(spec)?;
    if spec.nodes > machine.nodes {
        return refuse(format!(
            "{} has {} nodes, not {}: ask for fewer, or change 'nodes' in its file",
            machine.name, machine.nodes, spec.nodes
        ));
    }
    if spec.topology != Topology::Mesh || spec.plant.is_some() {
        return refuse(
            "a machine's file says how nodes are linked and what delays messages: leave out \
            --topology and --plant, or change the file"
                .into(),
        );
    }
    Ok(())
}
