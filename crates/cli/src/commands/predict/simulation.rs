//! `fourstamp predict` of a run of `fourstamp warp`: its program goes through the real engine in
//! simulated time.

use super::foretell::Resolution;
use super::plays::on_all_cores;
use super::{REFUSED, recorded_on, target, unknown_machine, whole};
use crate::args::PredictArgs;
use crate::interrupt;
use crate::show;
use anyhow::{Context, Result, bail};
use fabric::Machine;
use record::Run;
use serde_json::json;
use sim_lens::{PredictedRun, Prediction};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use warp::predict::{Draw, Played, Recording, Replay};

/// Numbers of nodes unless somebody says otherwise, as far as the machine and the model go.
const USUAL_NODES: [u16; 4] = [1, 2, 4, 8];

/// Whether this predicts that run.
pub fn is_of(run: &Run) -> bool {
    Recording::is_of(run)
}

/// A play of the recorded program.
struct Task<'a> {
    replay: &'a Replay<'a>,
    nodes: u16,
    draw: Draw,
}

/// Predict the recorded run itself, then what is asked for.
pub fn predict(args: &PredictArgs, run: &Run) -> Result<ExitCode> {
    if args.curve.is_some() {
        bail!(
            "{}: --curve is not for simulations: their curve is along --nodes",
            run.path().display()
        );
    }
    let recording = Recording::read(run)?;
    let elsewhere = measured_elsewhere(args, &recording)?;
    let from = recorded_on(args, run).with_context(|| unknown_machine(run))?;
    let on = target(args, &from)?;
    let own = Replay::new(&recording, &from, &from)?;
    // The machine that time was simulated on is known: no figure of it is within a range.
    let is_own = recording.simulated_on.as_ref() == Some(&from);
    let own = if is_own { own.without_ranges() } else { own };
    let replay = Replay::new(&recording, &from, &on)?;
    let model = recording.job.model.make()?;
    own.check(&*model, recording.nodes).context("the recorded run's machine")?;
    let also = elsewhere.keys().copied();
    let nodes = numbers_of_nodes(args, also, &recording, &replay, &*model)?;
    drop(model);

    let gate = play(&recording, &tasks(&own, &[recording.nodes], args.seed))?;
    let measured = Some(recording.measured_ns());
    let wider = Resolution::of(recording.simulated_on.is_some()).widens();
    let gate = PredictedRun::of(&gate, measured, wider).context("nothing was played")?;
    let mut prediction = prediction(&recording, [&from, &on], (gate, wider), &replay);
    if let Some(refusal) = prediction.refusal().filter(|_| !args.anyway) {
        show::say_beside(&format!(
            "fourstamp: {}: nothing is predicted, because {refusal}; is --from its machine's file, \
            and did anything else use that machine? --anyway predicts nevertheless",
            run.path().display()
        ));
        return Ok(ExitCode::from(REFUSED));
    }
    let plays = play(&recording, &tasks(&replay, &nodes, args.seed))?;
    let of = |nodes: &u16| {
        let plays: Vec<Played> = plays.iter().filter(|it| it.nodes == *nodes).cloned().collect();
        let is_recorded = *nodes == recording.nodes && from == on;
        let there = elsewhere.get(nodes).copied();
        PredictedRun::of(&plays, there.or(measured.filter(|_| is_recorded)), wider)
    };
    prediction.runs = nodes.iter().filter_map(of).collect();
    let document = prediction.document();
    if let Some(page) = &args.page {
        show::page(&document, page)?;
    }
    args.show.show_with(&document, "prediction", || {
        show::figures(&json!({
            "model": prediction.model,
            "recorded_on": prediction.from,
            "predicted_on": prediction.on,
            "recorded_run": prediction.gate,
            "predicted_well": prediction.gate.holds(),
            "runs": prediction.runs,
        }))
    })?;
    Ok(ExitCode::SUCCESS)
}

/// How long the same simulation took on the other machine, ns, by its number of nodes: the mean of
/// its launches there.
fn measured_elsewhere(args: &PredictArgs, recording: &Recording) -> Result<BTreeMap<u16, u64>> {
    let mut launches: BTreeMap<u16, Vec<u64>> = BTreeMap::new();
    for run in whole(&args.measured)? {
        let path = run.path();
        if !is_of(&run) {
            bail!(
                "{}: it is no run of a simulation: give --measured one of the same simulation, \
                recorded on the other machine",
                path.display()
            );
        }
        let other = Recording::read(&run)?;
        let what = |of: &Recording| (of.job.model.clone(), of.job.engine.cutoff.to_bits());
        if what(&other) != what(recording) {
            bail!(
                "{}: it is not the simulation that was recorded: model, parameters and cutoff \
                must be the same (--work measures its steps anew each time; --work-steps does not)",
                path.display()
            );
        }
        launches.entry(other.nodes).or_default().push(other.measured_ns());
    }
    let mean = |all: Vec<u64>| all.iter().sum::<u64>() / all.len() as u64;
    Ok(launches.into_iter().map(|(nodes, all)| (nodes, mean(all))).collect())
}

fn prediction(
    recording: &Recording,
    [from, on]: [&Machine; 2],
    (gate, wider): (PredictedRun, f64),
    replay: &Replay<'_>,
) -> Prediction {
    let times = recording.times.as_ref();
    let mean = times.map(|times| times.sum_ns() / times.events().max(1));
    let stated = || recording.job.costs.map(|costs| costs.event);
    let name = if from == on { "the machine it was recorded on".into() } else { on.name.clone() };
    Prediction {
        model: recording.job.model.name.clone(),
        from: from.name.clone(),
        on: name,
        gate,
        runs: Vec::new(),
        wider,
        steps: replay.steps.clone(),
        recorded: times.map(|times| (times.events(), times.objects())),
        event_ns: mean.or_else(stated).unwrap_or(0),
        without_core: recording.without_core(),
    }
}

/// Those asked for, which must be possible; or the usual ones that are. Those that were measured
/// also.
fn numbers_of_nodes(
    args: &PredictArgs,
    also: impl Iterator<Item = u16>,
    recording: &Recording,
    replay: &Replay<'_>,
    model: &dyn warp::AnyModel,
) -> Result<Vec<u16>> {
    let mut nodes = args.nodes.clone();
    if nodes.is_empty() {
        nodes.extend(USUAL_NODES);
        nodes.push(recording.nodes);
        nodes.retain(|nodes| replay.check(model, *nodes).is_ok());
    }
    nodes.extend(also);
    nodes.iter().try_for_each(|nodes| replay.check(model, *nodes))?;
    nodes.sort_unstable();
    nodes.dedup();
    Ok(nodes)
}

fn tasks<'a>(replay: &'a Replay<'a>, nodes: &[u16], seed: u64) -> Vec<Task<'a>> {
    let plays = if replay.leaves_something_to_chance() { usize::MAX } else { 1 };
    let of = |nodes: &u16| {
        let nodes = *nodes;
        Draw::all(seed).take(plays).map(move |draw| Task { replay, nodes, draw })
    };
    nodes.iter().flat_map(of).collect()
}

/// Play all, each core one at a time; what came of each, in their order.
fn play(recording: &Recording, tasks: &[Task<'_>]) -> Result<Vec<Played>> {
    let stop = interrupt::flag();
    let scratch =
        memory::Scratch::new("predict").context("cannot make a folder for temporary files")?;
    let folders = AtomicUsize::new(0);
    let one = |task: &Task<'_>| -> Result<Played> {
        let Task { replay, nodes, draw } = task;
        let number = folders.fetch_add(1, Ordering::Relaxed);
        let folder = scratch.path().join(number.to_string());
        std::fs::create_dir(&folder).context("cannot make a folder for temporary files")?;
        let model = recording.job.model.clone().without_work().make()?;
        let played = replay.play(&*model, *nodes, *draw, stop, &folder)?;
        std::fs::remove_dir_all(&folder).context("cannot remove temporary files")?;
        Ok(played)
    };
    let what = format!("predicting {}", recording.job.model.name);
    on_all_cores(what, tasks, |task| format!("{} nodes", task.nodes), one)
}
