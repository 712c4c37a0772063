//! `fourstamp predict`: a recorded run on another machine.

mod simulation;

use crate::args::PredictArgs;
use anyhow::{Result, bail};
use fabric::Machine;
use record::Run;
use std::process::ExitCode;

/// Predict, each kind of program its own way.
pub fn run(args: &PredictArgs) -> Result<ExitCode> {
    let run = Run::open(&args.run)?;
    if simulation::is_of(&run) {
        return simulation::predict(args, &run);
    }
    let recorded = recorded_on(args, &run)?;
    let target = target(args, &recorded)?;
    let _ = target;
    bail!("{}: nothing predicts runs of '{}' yet", args.run.display(), run.info.workload)
}

/// The machine that the run was recorded on: the one of `--from`, or the one it was simulated on.
fn recorded_on(args: &PredictArgs, run: &Run) -> Result<Machine> {
    if let Some(machine) = &args.from {
        return Ok((**machine).clone());
    }
    match serde_json::from_value(run.info.simulated_on.clone()) {
        Ok(machine) => Ok(machine),
        Err(_) => bail!(
            "{}: nothing says what machine it was recorded on: make its file with `fourstamp \
            machine calibrate`, and give it with --from",
            args.run.display()
        ),
    }
}

/// The machine to predict it on.
fn target(args: &PredictArgs, recorded: &Machine) -> Result<Machine> {
    let changes = &args.changes;
    let machine = match &args.on {
        Some(machine) => (**machine).clone(),
        None if changes.any() || !args.nodes.is_empty() => recorded.clone(),
        None => bail!("predict it on which machine? Give --on MACHINE, or --bandwidth 10x"),
    };
    let named = [
        ("network.bandwidth", changes.bandwidth),
        ("network.latency", changes.latency),
        ("processor.speed", changes.cpu),
    ];
    Ok(named.into_iter().fold(machine, |machine, (name, factor)| match factor {
        Some(factor) => {
            let value = machine.value(name) * factor;
            machine.with(name, value)
        }
        None => machine,
    }))
}
