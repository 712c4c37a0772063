//! `fourstamp predict`: a recorded run on another machine.

mod case;
mod document;
mod exchanges;
mod foretell;
mod latencies;
mod messages;
mod paging;
mod plays;
mod served;
mod simulation;

use crate::args::{ChangeArgs, Latency, PredictArgs, PredictedCurve};
use crate::show;
use anyhow::{Context, Result, bail};
use case::Case;
use fabric::Machine;
use foretell::{Astray, Foretold, Question, Resolution, foretell};
use mpi_lens::EagerLimit;
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
    let same_host = same_host(args, &runs)?;
    let is_alone = |run: &&Run| simulation::is_of(run) || paging::is_of(run);
    if let Some(run) = runs.iter().find(is_alone) {
        return only_one(args, run);
    }
    let mut known = recorded_on(args, run);
    if args.from.is_none() {
        // Time was simulated on this very machine: no figure of it is somewhere in a range.
        known = known.map(Machine::without_ranges);
    }
    let Programs { mut cases, mut kept, eager, network } =
        launches(&runs, known.as_ref(), &same_host)?;
    let by_itself = known.is_none();
    let Some(mut recorded) = known.or(network) else { bail!("{}", unknown_machine(run)) };
    let mut target = target(args, &recorded)?;
    if by_itself {
        target = network_alone(target);
    }
    if let Some(limit) = eager {
        kept.extend(eager_as_the_library([&mut recorded, &mut target], limit));
    }
    if args.as_recorded {
        cases.iter_mut().for_each(Case::take_as_recorded);
    }
    has_room(run, &cases, [&recorded, &target])?;
    let measured = measured(args, &cases, &target)?;
    let mut question = Question {
        cases,
        measured_s: measured.iter().map(|case| case.measured_ns() as f64 / 1e9).collect(),
        recorded: &recorded,
        target: &target,
        curve: args.curve.map_or(Vec::new(), |curve| points(&target, curve)),
        seed: args.seed,
        resolution: Resolution::of(!run.info.simulated_on.is_null()),
    };
    question.take_their_ways();
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

/// Answer, with receives for any source or tag matched anew in those launches that stay the same
/// program then; a line of each other one, whose messages are taken as they were.
fn matched_anew(question: &mut Question, runs: &[Run]) -> Result<(Foretold, Vec<String>)> {
    let mut said = Vec::new();
    loop {
        let astray = match foretell(question) {
            Ok(foretold) => return Ok((foretold, said)),
            Err(error) => error.downcast::<Astray>()?,
        };
        question.cases[astray.case].take_as_recorded();
        question.take_their_ways();
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
        let run = crate::analyse::open(path)?;
        let name = run.path().display();
        if run.info.state == State::Cut {
            bail!(
                "{name}: it was cut, and what its program would have done after that is not known: \
                record it again, to its end"
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
fn launches(runs: &[Run], machine: Option<&Machine>, same_host: &[Vec<u16>]) -> Result<Programs> {
    let mut all = Programs::default();
    for run in runs {
        let Programs { cases, kept, eager, network } = programs(run, machine, same_host)?;
        one_program(all.cases.first(), &cases, run)?;
        all.network = all.network.or(network);
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
fn one_program(first: Option<&Case>, cases: &[Case], run: &Run) -> Result<()> {
    const ALIKE: f64 = 0.1;
    let Some(first) = first else { return Ok(()) };
    for case in cases {
        let size = |case: &Case| (case.nodes(), case.own_messages());
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
fn measured(args: &PredictArgs, cases: &[Case], target: &Machine) -> Result<Vec<Case>> {
    let mut all = Vec::new();
    for run in whole(&args.measured)? {
        let programs = programs(&run, Some(target), &same_host(args, &[])?)?;
        one_program(cases.first(), &programs.cases, &run)?;
        all.extend(programs.cases);
    }
    Ok(all)
}

/// What is played, and what of it is not as it was.
#[derive(Default)]
struct Programs {
    cases: Vec<Case>,
    kept: Vec<String>,
    /// Messages above this are asked for first, as far as machines do not say otherwise.
    eager: Option<EagerLimit>,
    /// The network that it was recorded on, as it says itself.
    network: Option<Machine>,
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

fn programs(run: &Run, recorded: Option<&Machine>, same_host: &[Vec<u16>]) -> Result<Programs> {
    let named = || run.path().display().to_string();
    if run.info.parameters.contains_key(streams::KEY) {
        let read = sockets_lens::program(run, recorded, same_host).with_context(named)?;
        let (kept, network) = (read.kept.clone(), read.network.clone());
        return Ok(Programs { cases: vec![read.into()], kept, network, ..Programs::default() });
    }
    if is_mpi(run) {
        let mpi_lens::ReadProgram { recorded, kept, eager } =
            mpi_lens::program(run).with_context(named)?;
        return Ok(Programs { cases: vec![recorded.into()], kept, eager, network: None });
    }
    let Some(recorded) = recorded else { bail!("{}", unknown_machine(run)) };
    let cases = messages::programs(run, recorded)?.into_iter().map(Case::from).collect();
    Ok(Programs { cases, ..Programs::default() })
}

/// Whether these machines have as many nodes as programs that serve have hosts.
fn has_room(run: &Run, cases: &[Case], machines: [&Machine; 2]) -> Result<()> {
    let hosts = cases.iter().filter_map(|case| case.served()).map(|served| served.hosts()).max();
    let small =
        machines.into_iter().find(|machine| hosts.is_some_and(|hosts| hosts > machine.nodes));
    match (small, hosts) {
        (Some(machine), Some(hosts)) => bail!(
            "{}: its programs are on {hosts} hosts, and {} has {} nodes: keep some of them \
            together with --same-host, or give a machine with more",
            run.path().display(),
            machine.name,
            machine.nodes
        ),
        _ => Ok(()),
    }
}

/// Which nodes stay on one host.
fn same_host(args: &PredictArgs, runs: &[Run]) -> Result<Vec<Vec<u16>>> {
    let others = runs.iter().find(|run| !run.info.parameters.contains_key(streams::KEY));
    if let Some(run) = others.filter(|_| !args.same_host.is_empty()) {
        bail!(
            "{}: --same-host is for programs that were traced at their sockets: each node of \
            others is on a host of its own",
            run.path().display()
        );
    }
    Ok(args.same_host.iter().map(|nodes| nodes.0.clone()).collect())
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
fn recorded_on(args: &PredictArgs, run: &Run) -> Option<Machine> {
    if let Some(machine) = &args.from {
        return Some((**machine).clone());
    }
    serde_json::from_value(run.info.simulated_on.clone()).ok()
}

fn unknown_machine(run: &Run) -> String {
    if run.info.parameters.contains_key(streams::KEY) {
        return format!(
            "{}: no arrival of a message between hosts was observed, which would say what network \
            it was recorded on: make a machine's file with `fourstamp machine calibrate`, and give \
            it with --from",
            run.path().display()
        );
    }
    format!(
        "{}: nothing says what machine it was recorded on: make its file with `fourstamp machine \
        calibrate`, and give it with --from",
        run.path().display()
    )
}

/// The machine with processors that charge nothing for sending and receiving: of a program whose
/// own are not known these are in what it computes.
fn network_alone(machine: Machine) -> Machine {
    const FREE: [&str; 2] = ["processor.send", "processor.receive"];
    let machine = FREE.into_iter().fold(machine, |machine, name| machine.with(name, 0.0));
    let copy = most("processor.copy");
    machine.with("processor.copy", copy)
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
    if let Some(Latency::Plus { ns }) = changes.latency {
        machine = machine.plus("network.latency", ns);
        said.push(format!("{} more latency", fabric::MachineUnit::Time.show(ns)));
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
