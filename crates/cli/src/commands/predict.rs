//! `fourstamp predict`: a recorded run on another machine.

mod document;
mod foretell;
mod messages;
mod paging;
mod plays;
mod simulation;

use crate::args::{ChangeArgs, PredictArgs, PredictedCurve};
use crate::show;
use anyhow::{Context, Result, bail};
use fabric::Machine;
use foretell::{Foretold, Question, foretell};
use predict::RecordedRun;
use record::Run;
use std::process::ExitCode;

/// The recorded machine itself was not predicted.
const REFUSED: u8 = 3;
/// Points of a curve.
const POINTS: i32 = 9;

/// Predict, each kind of program its own way.
pub fn run(args: &PredictArgs) -> Result<ExitCode> {
    let run = Run::open(&args.run)?;
    if simulation::is_of(&run) {
        return simulation::predict(args, &run);
    }
    if !args.nodes.is_empty() {
        bail!(
            "{}: --nodes is for simulations: other programs are predicted on the nodes they ran on",
            args.run.display()
        );
    }
    if paging::is_of(&run) {
        return paging::predict(args, &run);
    }
    let mut recorded = recorded_on(args, &run)?;
    if args.from.is_none() {
        // Time was simulated on this very machine: no figure of it is somewhere in a range.
        recorded = recorded.without_ranges();
    }
    let target = target(args, &recorded)?;
    let programs = programs(&run, &recorded)?;
    let cases = programs.cases;
    let question = Question {
        cases: &cases,
        recorded: &recorded,
        target: &target,
        curve: args.curve.map_or(Vec::new(), |curve| points(&target, curve)),
        seed: args.seed,
    };
    let foretold = foretell(&question).with_context(|| args.run.display().to_string())?;
    if !foretold.holds() && !args.anyway {
        show::say_beside(&format!("fourstamp: {}", refusal(&foretold, &recorded)));
        return Ok(ExitCode::from(REFUSED));
    }
    let document = document::document(args, &run, &question, &foretold, &programs.kept);
    if let Some(page) = &args.page {
        show::page(&document, page)?;
    }
    args.show.show(&document, "completion")?;
    Ok(ExitCode::SUCCESS)
}

/// What is played, and what of it is not as it was.
struct Programs {
    cases: Vec<RecordedRun>,
    kept: Vec<String>,
}

fn programs(run: &Run, recorded: &Machine) -> Result<Programs> {
    let Some(mpi) = run.info.parameters.get(mpi_facts::KEY) else {
        return Ok(Programs { cases: messages::programs(run, recorded)?, kept: Vec::new() });
    };
    let library = mpi.get("library").and_then(|library| library.as_str()).unwrap_or_default();
    let name = || run.path().display().to_string();
    let read = mpi_lens::program(run, library).with_context(name)?;
    Ok(Programs { cases: vec![read.recorded], kept: read.kept })
}

/// Why nothing is predicted.
fn refusal(foretold: &Foretold, recorded: &Machine) -> String {
    let time = |s: f64| ::document::time(s * 1e9);
    let span = foretold.recorded.span;
    format!(
        "no prediction: on the machine it was recorded on ({}) it would take {} ({} to {}), but it \
        took {}; calibrate the machine under the same load (`fourstamp machine calibrate`), or see \
        what comes out with --anyway",
        recorded.name,
        time(span.s),
        time(span.from_s),
        time(span.to_s),
        time(foretold.measured_s)
    )
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
        None if changes.any() || args.curve.is_some() || !args.nodes.is_empty() => recorded.clone(),
        None => bail!("predict it on which machine? Give --on MACHINE, or --bandwidth 10x"),
    };
    changed(machine, changes)
}

/// The machine with other figures, and a name that says so.
fn changed(mut machine: Machine, changes: &ChangeArgs) -> Result<Machine> {
    let mut said = Vec::new();
    for ((constant, factor), (option, _)) in changes.all().into_iter().zip(changes.named()) {
        let Some(factor) = factor else { continue };
        let wanted = machine.value(constant) * factor;
        machine = machine.scaled(constant, factor);
        if machine.value(constant) != wanted {
            bail!(
                "--{option} {factor}x leads out of what a machine may have: try one nearer to 1x"
            );
        }
        said.push(format!("{} {option}", ::document::ratio(factor)));
    }
    if !said.is_empty() {
        machine.name = format!("{} with {}", machine.name, said.join(", "));
    }
    Ok(machine)
}

/// The machine at multiples from one end of the curve to the other, evenly on a log scale.
fn points(machine: &Machine, curve: PredictedCurve) -> Vec<(f64, Machine)> {
    let (from, to) = curve.ends;
    let step = (to / from).powf(1.0 / f64::from(POINTS - 1));
    let factors = (0..POINTS).map(|at| from * step.powi(at));
    factors.map(|factor| (factor, machine.clone().scaled(curve.constant, factor))).collect()
}
