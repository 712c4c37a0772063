//! `fourstamp warp`: a simulation on several nodes, or in order on one; its result, its tables, its
//! run folder.

mod intervene;
mod plan;
mod results;
mod sequential;
mod study;
mod table;

use crate::args::{ModelArgs, ModelRun, OtherArgs, Transport, WarpArgs, WarpCommon};
use crate::commands::place;
use crate::interrupt;
use crate::job::{self, Asked};
use crate::launching::{self, Nodes};
use crate::progress::SimulationBar;
use crate::simulating::{Simulated, WarpJob};
use crate::work::Job;
use anyhow::{Context, Result, bail};
use fabric::{NodePlace, Spec};
use launch::{LaunchOptions, Note};
use plan::Plan;
use record::{RecorderOptions, RunFolder};
use results::Results;
use std::path::{Path, PathBuf};
use timewarp::Outcome;
use warp::{AnyModel, NodeFiles, Readings, Summary};

/// Rows of a node's record buffer.
const BUFFER_ROWS: u64 = 1 << 19;

/// Simulate and show.
pub fn run(args: &WarpArgs) -> Result<()> {
    let run = match &args.model {
        ModelArgs::Model(run) => run,
        ModelArgs::Other(OtherArgs::Study(args)) => return study::run(args),
        ModelArgs::Other(OtherArgs::Unknown(words)) => {
            let name = words.first().map(|name| name.to_string_lossy().into_owned());
            bail!(warp::unknown(&name.unwrap_or_default()));
        }
    };
    if let Some(change) = &run.common.intervene {
        return intervene::run(run, change);
    }
    if run.common.joining.wait_for_nodes {
        return wait_for_nodes(run);
    }
    let (mut plan, model) = planned(run)?;
    let common = plan.common.clone();
    if common.seq {
        return sequential::run(&plan, &*model);
    }
    let asked = Asked {
        transport: common.on.as_ref().map(|_| &fabric::MACHINE).or(common.transport),
        usual_transport: &fabric::THREAD,
        nodes: common.nodes,
        usual_nodes: plan.nodes(),
    };
    job::take_part(&asked, |part| {
        (plan.common.transport, plan.common.nodes) = (Some(part.transport), Some(part.nodes));
        parallel(&plan, &*model, part.starter)
    })
}

/// Simulate on nodes that are started elsewhere than in this process, and show.
pub fn launch_on(args: &mut WarpArgs, nodes: &Nodes) -> Result<()> {
    let ModelArgs::Model(run) = &mut args.model else {
        bail!("launch starts the nodes of one run: write `-- warp phold …`");
    };
    if run.common.intervene.is_some() {
        bail!("--intervene starts its own nodes: it cannot be used with launch");
    }
    let transport = *run.common.transport.get_or_insert(&fabric::TCP);
    if are_of_one_process(&run.common, transport) {
        bail!(
            "launch starts a process for each node: leave out --seq and --on, and give a transport \
            between processes, e.g. --transport tcp"
        );
    }
    let (plan, model) = planned(run)?;
    parallel(&plan, &*model, nodes)
}

/// Simulate on nodes that somebody else starts, and show.
fn wait_for_nodes(run: &ModelRun) -> Result<()> {
    let ModelRun { row, given, common } = run;
    let transport = common.transport.unwrap_or(&fabric::TCP);
    if are_of_one_process(common, transport) || job::needs_job(transport) {
        bail!(
            "--wait-for-nodes is for nodes that join as processes of their own: leave out --seq \
            and --on, and give a transport between processes, e.g. --transport tcp"
        );
    }
    let common = WarpCommon { transport: Some(transport), ..common.clone() };
    let nodes = Nodes::ByHand(common.joining.clone());
    let (plan, model) = planned(&ModelRun { row, given: given.clone(), common })?;
    parallel(&plan, &*model, &nodes)
}

/// Whether the nodes, if there are any, are no processes of their own.
fn are_of_one_process(common: &WarpCommon, transport: Transport) -> bool {
    common.seq || common.on.is_some() || transport.nodes == NodePlace::OneProcess
}

/// What is run, with a place for all that it is to write.
fn planned(run: &ModelRun) -> Result<(Plan, Box<dyn AnyModel>)> {
    let mut plan = Plan::new(run)?;
    let model = plan.model()?;
    let common = &plan.common;
    for file in [&common.counts, &common.trace, &common.xl_stats].into_iter().flatten() {
        refuse_homeless(file)?;
    }
    Ok((plan, model))
}

/// What cannot be written is better said before an hour of simulation.
fn refuse_homeless(file: &Path) -> Result<()> {
    let folder = record::folder_of(file);
    if file.file_name().is_none() || file.is_dir() {
        bail!("{} is a folder: give a file name", file.display());
    }
    if !folder.is_dir() {
        bail!(
            "folder {} does not exist, so {} cannot be written there: create it first",
            folder.display(),
            file.display()
        );
    }
    Ok(())
}

fn parallel(plan: &Plan, model: &dyn AnyModel, nodes: &Nodes) -> Result<()> {
    crate::show::say(&simulated(plan, model, nodes)?)
}

/// Simulate, and keep what is asked for; what there is to say of it.
fn simulated(plan: &Plan, model: &dyn AnyModel, nodes: &Nodes) -> Result<String> {
    let common = &plan.common;
    plan.remarks.iter().for_each(|remark| eprintln!("{remark}"));
    let spec = plan.spec();
    spec.check()?;
    model.placement(spec.nodes, &plan.job)?;
    let scratch =
        memory::Scratch::new("warp").context("cannot make a folder for temporary files")?;
    let path = match plan.keeps() {
        true => place::for_run(
            common.out.as_deref(),
            &format!("{}-{}", plan.job.model.name, spec.transport.name()),
        )?,
        false => scratch.path().join("run"),
    };
    let mut folder = RunFolder::create(&path, plan.info(Some(&spec)))?;
    let ran = launched(plan, model, &spec, nodes, &mut folder);
    for node in 0..spec.nodes {
        NodeFiles::new(&path, node).remove();
    }
    let (shown, failure) = match ran {
        Ok(shown) => (Some(shown), None),
        Err(error) => (None, Some(error)),
    };
    match failure {
        // What is not kept is not worth naming.
        Some(error) if !plan.keeps() => return Err(error),
        failure if plan.job.record => drop(launching::close(folder, failure)?),
        _ => {}
    }
    let mut text = shown.unwrap_or_default();
    if plan.shows_pauses() {
        text.push_str(&warp::pauses::text(&path)?);
    }
    if plan.keeps() && !plan.is_for_scripts() {
        text.push_str(&format!("run: {}   page: fourstamp report {0}\n", path.display()));
    }
    Ok(text)
}

/// Launch the nodes, put their results together, write what was asked for; the table to be shown.
fn launched(
    plan: &Plan,
    model: &dyn AnyModel,
    spec: &Spec,
    nodes: &Nodes,
    folder: &mut RunFolder,
) -> Result<String> {
    let (outcome, Simulated { reports, pinned }) = launch(plan, model, spec, nodes, folder)?;
    outcome.check()?;
    let elapsed_ns = reports.iter().map(|report| report.elapsed_ns).max().unwrap_or(0);
    let files: Vec<NodeFiles> =
        (0..spec.nodes).map(|node| NodeFiles::new(folder.path(), node)).collect();
    let summary = Summary::new(&outcome, elapsed_ns);
    let course = folder.path().join("warp/samples-sequential.csv");
    let check = match plan.common.check {
        true => Some(sequential::check(plan, model, &outcome, Some(course.clone()))?),
        false => None,
    };
    let placement = model.placement(spec.nodes, &plan.job)?;
    let mut results = Results {
        plan,
        model,
        outcome: &outcome,
        summary: &summary,
        files: &files,
        pinned: &pinned,
        path: None,
    };
    results.print_lines()?;
    results.write_tables(&|object| placement.node_of(object))?;
    results.find_critical_path()?;
    if plan.job.record {
        results.keep(folder, &|object| placement.node_of(object))?;
        results::keep_spent(folder, &reports)?;
        // Real time of one run says nothing beside simulated time of the other.
        if plan.job.costs.is_none() {
            results.keep_speedup(folder, &course)?;
        }
    }
    Ok(table::text(&results, check.as_ref()))
}

fn launch(
    plan: &Plan,
    model: &dyn AnyModel,
    spec: &Spec,
    nodes: &Nodes,
    folder: &mut RunFolder,
) -> Result<(Outcome, Simulated)> {
    let stop = interrupt::flag();
    let key = launching::run_key(nodes)?;
    let listen = plan.common.joining.listen;
    let mut coordinator = launching::coordinator(nodes, listen, key.clone())?;
    launching::invite(nodes, &coordinator, &key, spec.nodes)?;
    let mut options =
        LaunchOptions::new(0, spec.clone(), launching::hosting(spec), launching::starter(nodes)?);
    if let Nodes::OfJob(leader) = nodes {
        folder.info_mut().notes.extend(leader.library_note());
    }
    options.leaves = NodeFiles::names;
    options.deadlines.join = launching::join_limit(nodes).unwrap_or(options.deadlines.join);
    options.recorder = recorder(&plan.common);
    options.deadlines.answer = plan.common.peer_timeout.max(launching::LEAST_ANSWER);
    let work = WarpJob {
        job: plan.job.clone(),
        pin: !plan.common.no_pin,
        fingerprint: nodes.are_elsewhere().then(|| model.fingerprint()),
    };
    let work = Job::Warp(Box::new(work));
    let mut bar = SimulationBar::new(&plan.label(spec.transport.name()), plan.job.end());
    let mut last = None;
    let mut observe = |note| match note {
        Note::Begun => {
            launching::hear(nodes, &note);
            bar.begin();
        }
        Note::Lost(_) => launching::hear(nodes, &note),
        Note::Progress(progress) => {
            let read = |status| serde_json::from_value::<Option<Readings>>(status).ok().flatten();
            last = Readings::of_all(progress.statuses.into_iter().filter_map(read)).or(last);
            if let Some(readings) = &last {
                bar.at(readings);
            }
        }
        Note::Refused(what) | Note::Remark(what) => bar.say(&what),
        Note::Joined { hosted, host } => {
            // Who waits for others wants to know for how many.
            if let (Nodes::ByHand(_), Some(node)) = (nodes, hosted.first()) {
                bar.say(&format!("node {node} has joined from {host}"));
            }
        }
    };
    let launched =
        coordinator.run_launch(folder, &options, &serde_json::to_value(work)?, stop, &mut observe);
    bar.finish();
    let mut all = Simulated::default();
    for node in launched?.nodes {
        let of_one =
            serde_json::from_value::<Simulated>(node.outcome).context("a node's report")?;
        all.reports.extend(of_one.reports);
        all.pinned.extend(of_one.pinned);
    }
    let finished = all.reports.iter().filter(|report| report.finished).count();
    if finished != usize::from(spec.nodes) {
        bail!(ended_early(folder, last));
    }
    let outcome = NodeFiles::outcome_of_all(folder.path(), spec.nodes)?;
    Ok((outcome, all))
}

fn ended_early(folder: &mut RunFolder, last: Option<Readings>) -> String {
    let far = last.map_or(String::new(), |readings| {
        format!(" at virtual time {} after {} committed events", readings.gvt, readings.committed)
    });
    let said = format!("stopped{far}: there is no result");
    folder.info_mut().notes.push(format!("ended early by Ctrl-C{far}"));
    said
}

fn recorder(common: &WarpCommon) -> RecorderOptions {
    let mode = match common.record_to {
        crate::args::RecordTo::Memory => record::Mode::Memory,
        crate::args::RecordTo::Stream => record::Mode::Stream,
    };
    let when_full = match common.when_full {
        crate::args::WhenFull::Block => record::WhenFull::Block,
        crate::args::WhenFull::Drop => record::WhenFull::Drop,
    };
    RecorderOptions { mode, capacity_rows: BUFFER_ROWS, when_full }
}

/// A path as nodes find it, wherever they are started.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}
