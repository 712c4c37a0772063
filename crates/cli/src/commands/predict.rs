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
use foretell::{Astray, Foretold, Question, Resolution, foretell};
use mpi_lens::EagerLimit;
use predict::RecordedRun;
use record::{Run, State};
use std::path::PathBuf;
use std::process::ExitCode;

/// The recorded machine itself was not predicted.
const REFUSED: u8 = 3;
/// Points of a curve.
const POINTS: i32 = 9;

/// Predict, each kind of program its own way.
pub fn run(args: &PredictArgs) -> Result<ExitCode> {
    let runs = whole(&args.runs)?;
    let Some(run) = runs.first() else { bail!("predict which run?") };
    if !args.nodes.is_empty() && !runs.iter().any(simulation::is_of) {
        bail!(
            "{}: --nodes is for simulations: other programs are predicted on the nodes they ran on",
            run.path().display()
        );
    }
    if args.as_recorded && !runs.iter().any(is_mpi) {
        bail!(
            "{}: --as-recorded is for traced MPI programs: others have no receives for any source",
            run.path().display()
        );
    }
    let is_alone = |run: &&Run| simulation::is_of(run) || paging::is_of(run);
    if let Some(run) = runs.iter().find(is_alone) {
        return only_one(args, run);
    }
    let mut recorded = recorded_on(args, run)?;
    if args.from.is_none() {
        // Time was simulated on this very machine: no figure of it is somewhere in a range.
        recorded = recorded.without_ranges();
    }
    let mut target = target(args, &recorded)?;
    let Programs { mut cases, mut kept, eager } = launches(&runs, &recorded)?;
    if let Some(limit) = eager {
        kept.extend(eager_as_the_library([&mut recorded, &mut target], limit));
    }
    if args.as_recorded {
        cases.iter_mut().for_each(take_as_recorded);
    }
    let measured = measured(args, &cases, &target)?;
    let mut question = Question {
        cases,
        measured_s: measured.iter().map(|case| case.measured_ns as f64 / 1e9).collect(),
        recorded: &recorded,
        target: &target,
        curve: args.curve.map_or(Vec::new(), |curve| points(&target, curve)),
        seed: args.seed,
        resolution: match run.info.simulated_on.is_null() {
            true => Resolution::Measured,
            false => Resolution::Simulated,
        },
    };
    let (foretold, astray) =
        matched_anew(&mut question, &runs).with_context(|| run.path().display().to_string())?;
    astray.iter().for_each(|line| show::say_beside(&format!("fourstamp: {line}")));
    if !foretold.holds() && !args.anyway {
        show::say_beside(&format!("fourstamp: {}", refusal(&foretold, &recorded)));
        return Ok(ExitCode::from(REFUSED));
    }
    let not_played: Vec<String> = kept.into_iter().chain(astray).collect();
    let document = document::document(args, run, &question, &foretold, &not_played);
    if let Some(page) = &args.page {
        show::page(&document, page)?;
    }
    args.show.show(&document, "completion")?;
    Ok(ExitCode::SUCCESS)
}

fn is_mpi(run: &Run) -> bool {
    run.info.parameters.contains_key(mpi_facts::KEY)
}

fn take_as_recorded(case: &mut RecordedRun) {
    case.program = std::mem::take(&mut case.program).as_recorded();
}

/// Answer, with receives for any source or tag matched anew in those launches that stay the same
/// program then; a line of each other one, whose messages are taken as they were.
fn matched_anew(question: &mut Question, runs: &[Run]) -> Result<(Foretold, Vec<String>)> {
    let mut said = Vec::new();
    loop {
        let astray = match foretell(question) {
            Ok(foretold) => return Ok((foretold, said)),
            Err(error) => error.downcast::<Astray>()?,
        };
        take_as_recorded(&mut question.cases[astray.case]);
        // A traced run is one launch.
        let name =
            runs.get(astray.case).map_or(String::new(), |run| run.path().display().to_string());
        said.push(format!("{name}: {astray}: messages are taken as recorded"));
    }
}

/// The runs at these places, each another one and recorded to its end.
fn whole(paths: &[PathBuf]) -> Result<Vec<Run>> {
    let mut runs: Vec<Run> = Vec::new();
    for path in paths {
        let run = Run::open(path)?;
        let name = run.path().display();
        if run.info.state == State::Cut {
            bail!(
                "{name}: it was cut, and what its program would have done after that is not known: \
                record it again, to its end"
            );
        }
        if run.info.parameters.contains_key(streams::KEY) {
            bail!(
                "{name}: it was recorded by `fourstamp trace`, and how sockets make a program wait \
                is not modelled: predict a run of `fourstamp mpi trace`, `bench`, `warp` or `pager \
                run`"
            );
        }
        if let Some(other) = runs.iter().find(|other| other.info.id == run.info.id) {
            bail!("{name}: it is the same run as {}: give each once", other.path().display());
        }
        runs.push(run);
    }
    Ok(runs)
}

/// A simulation, or a paged program: its costs are those of one run.
fn only_one(args: &PredictArgs, run: &Run) -> Result<ExitCode> {
    let name = run.path().display();
    let is_simulation = simulation::is_of(run);
    let what = if is_simulation { "a simulation" } else { "a paged program" };
    if args.runs.len() > 1 {
        bail!("{name}: {what} is predicted from one run: give it alone");
    }
    if is_simulation {
        return simulation::predict(args, run);
    }
    if !args.measured.is_empty() {
        bail!("{name}: {what} has no --measured: compare with what the run there says");
    }
    paging::predict(args, run)
}

/// The launches of all runs, which must be of one program.
fn launches(runs: &[Run], machine: &Machine) -> Result<Programs> {
    let mut all = Programs { cases: Vec::new(), kept: Vec::new(), eager: None };
    for run in runs {
        let Programs { cases, kept, eager } = programs(run, machine)?;
        one_program(all.cases.first(), &cases, run)?;
        all.cases.extend(cases);
        all.eager = all.eager.or(eager);
        // Of one launch: with the times of each, it would be said again for each.
        if all.kept.is_empty() {
            all.kept = kept;
        }
    }
    if runs.len() > 1 {
        all.kept.iter_mut().for_each(|kept| kept.insert_str(0, "In the first launch: "));
    }
    Ok(all)
}

/// Runs with other nodes, or other messages by far, are not launches of one program.
fn one_program(first: Option<&RecordedRun>, cases: &[RecordedRun], run: &Run) -> Result<()> {
    const ALIKE: f64 = 0.1;
    let Some(first) = first else { return Ok(()) };
    for case in cases {
        let size = |case: &RecordedRun| (case.program.courses.len(), case.program.own_messages);
        let ((nodes, messages), (other_nodes, other_messages)) = (size(first), size(case));
        let more = f64::from(messages.abs_diff(other_messages));
        if nodes != other_nodes || more > ALIKE * f64::from(messages.max(other_messages)) {
            bail!(
                "{}: it is not a launch of the same program as the first run: {other_nodes} nodes \
                with {other_messages} messages, and not {nodes} with {messages}",
                run.path().display()
            );
        }
    }
    Ok(())
}

/// What was measured on the machine to predict it on.
fn measured(
    args: &PredictArgs,
    cases: &[RecordedRun],
    target: &Machine,
) -> Result<Vec<RecordedRun>> {
    let mut all = Vec::new();
    for run in whole(&args.measured)? {
        let programs = programs(&run, target)?;
        one_program(cases.first(), &programs.cases, &run)?;
        all.extend(programs.cases);
    }
    Ok(all)
}

/// What is played, and what of it is not as it was.
struct Programs {
    cases: Vec<RecordedRun>,
    kept: Vec<String>,
    /// Messages above this are asked for first, as far as machines do not say otherwise.
    eager: Option<EagerLimit>,
}

/// Machines whose files do not say above which size messages are asked for first ask as the library
/// does; what is said of that.
fn eager_as_the_library(machines: [&mut Machine; 2], limit: EagerLimit) -> Option<String> {
    const EAGER: &str = "network.eager";
    let mut taken = false;
    for machine in machines {
        if !machine.constants.contains_key(EAGER) {
            *machine = machine.clone().with(EAGER, limit.bytes as f64);
            taken = true;
        }
    }
    taken.then(|| {
        format!(
            "Messages above {} wait for their receives, {}; `eager` under [network] in a machine's \
            file says otherwise.",
            ::document::size(limit.bytes),
            limit.basis
        )
    })
}

fn programs(run: &Run, recorded: &Machine) -> Result<Programs> {
    if !is_mpi(run) {
        let cases = messages::programs(run, recorded)?;
        return Ok(Programs { cases, kept: Vec::new(), eager: None });
    }
    let read = mpi_lens::program(run).with_context(|| run.path().display().to_string())?;
    let mpi_lens::ReadProgram { recorded, kept, eager } = read;
    Ok(Programs { cases: vec![recorded], kept, eager })
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
            run.path().display()
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
        let (was, most) = (machine.value(constant), most(constant));
        machine = machine.scaled(constant, factor);
        // What has no limit has none at ten times that, either.
        if machine.value(constant) != was * factor && was != most {
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

/// The largest value that a machine may have.
fn most(constant: &str) -> f64 {
    let field = fabric::FIELDS.iter().find(|field| field.name == constant);
    field.map_or(f64::MAX, |field| field.within[1])
}

/// The machine at multiples from one end of the curve to the other, evenly on a log scale.
fn points(machine: &Machine, curve: PredictedCurve) -> Vec<(f64, Machine)> {
    let (from, to) = curve.ends;
    let step = (to / from).powf(1.0 / f64::from(POINTS - 1));
    let factors = (0..POINTS).map(|at| from * step.powi(at));
    factors.map(|factor| (factor, machine.clone().scaled(curve.constant, factor))).collect()
}
