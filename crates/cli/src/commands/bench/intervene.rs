//! `--intervene`: the same measurement with one thing changed, launch by launch in turn, and what
//! became of its peaks.

use super::measurement::Measurement;
use crate::analyse::analyse_together;
use crate::args::{Common, Intervention, WorkloadArgs};
use crate::commands::compare::peaks;
use crate::interrupt;
use crate::launching::Nodes;
use crate::progress::Bar;
use crate::show::{self, say};
use anyhow::{Result, bail};
use stats::Filter;
use stats::analysis::{Analysis, Stage};
use stats::compare::{CompareOptions, Comparison, compare};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Messages of a stream that are handed over together, where they were not.
const BATCH: u16 = 8;

/// Measure with and without the change, in turn, and show what became of each peak.
pub fn run(workload: &WorkloadArgs, intervention: Intervention, nodes: &Nodes) -> Result<()> {
    let common = workload.common();
    if matches!(nodes, Nodes::OfJob(_) | Nodes::ByHand(_)) {
        bail!(
            "--intervene starts its own nodes: it cannot be used under mpirun or srun, or with \
            --wait-for-nodes"
        );
    }
    let mut changed = workload.clone();
    let what = change(&mut changed, intervention)?;
    let [as_was, with_change] = measure(workload, &changed, nodes)?;
    let (a, b) = (
        analyse_together(std::slice::from_ref(&as_was), common.seed, &Filter::default())?,
        analyse_together(std::slice::from_ref(&with_change), common.seed, &Filter::default())?,
    );
    let mut comparisons: Vec<(Stage, Comparison)> = Vec::new();
    for stage in stages(&a.analysis) {
        let options = CompareOptions {
            seed: common.seed,
            stage: Some(stage.into()),
            ..CompareOptions::default()
        };
        let peaks = [&a, &b].map(|side| peaks(&side.analysis, stage.into()));
        comparisons.push((stage, compare(&a.sample, &b.sample, peaks, &options)?));
    }
    show::text(&report::intervention(&what, &comparisons))?;
    say(&format!(
        "runs: {} as it was, {} with the change\n",
        as_was.display(),
        with_change.display()
    ))
}

/// Change one thing; says what, as `the nodes at SCHED_FIFO`.
fn change(workload: &mut WorkloadArgs, intervention: Intervention) -> Result<String> {
    if let (WorkloadArgs::Stream { batch, rate: None, .. }, Intervention::Batch) =
        (&mut *workload, intervention)
    {
        *batch = if *batch == 1 { BATCH } else { 1 };
        return Ok(format!("{batch} messages handed over in one call"));
    }
    if let (WorkloadArgs::Burst { batch, messages, .. }, Intervention::Batch) =
        (&mut *workload, intervention)
    {
        let whole = u16::try_from(*messages).unwrap_or(u16::MAX);
        *batch = if *batch == 1 { whole } else { 1 };
        return Ok(match *batch {
            1 => "each message of a burst handed over in a call of its own".into(),
            several => format!("{several} messages of a burst handed over in one call"),
        });
    }
    let common = workload.common_mut();
    match intervention {
        Intervention::Pin => {
            common.no_pin = !common.no_pin;
            Ok(if common.no_pin { "nodes left to the scheduler" } else { "nodes pinned to cores" }
                .into())
        }
        Intervention::Priority => {
            common.real_time = !common.real_time;
            Ok(if common.real_time {
                "nodes at real-time priority"
            } else {
                "nodes at usual priority"
            }
            .into())
        }
        Intervention::Timer => timer(common),
        Intervention::Batch => {
            bail!(
                "--intervene batch needs a burst, or a stream without --rate: only there are \
                messages sent in batches"
            )
        }
    }
}

fn timer(common: &mut Common) -> Result<String> {
    let other = common.transport.and_then(|kind| (kind.other_timer)(&common.of_transport.given));
    let Some((given, said)) = other else {
        bail!("--intervene timer needs --transport udp: no other transport has a timer to choose");
    };
    common.of_transport.given = given;
    Ok(said.into())
}

/// The folders of the run as it was and of the changed one.
fn measure(workload: &WorkloadArgs, changed: &WorkloadArgs, nodes: &Nodes) -> Result<[PathBuf; 2]> {
    let common = workload.common();
    let as_was = Measurement::begin(workload, nodes, common.out.as_deref())?;
    let beside = beside(as_was.path());
    let mut bar = Bar::new(as_was.label(), common.duration.map(|time| 2 * time));
    let mut both = [as_was, Measurement::begin(changed, nodes, Some(&beside))?];
    let mut failures = [None, None];
    let turns = study::turns(common.launches, both.len());
    for (turn, (launch, which)) in (0..).zip(turns) {
        failures[which] = both[which].launch(launch, &mut bar, (turn, 2 * common.launches)).err();
        if failures[which].is_some() || interrupt::flag().load(Ordering::Relaxed) {
            break;
        }
    }
    bar.finish();
    // Both are closed, whichever failed.
    let [as_was, changed] = both;
    let [failed_as_was, failed_changed] = failures;
    let (as_was, changed) = (as_was.end(failed_as_was), changed.end(failed_changed));
    Ok([as_was?, changed?])
}

/// `runs/pingpong-tcp-1-changed`.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{name}-changed"))
}

/// The stages with several peaks; where there are none, all.
fn stages(analysis: &Analysis) -> Vec<Stage> {
    let parts = analysis.stages.iter().filter(|view| view.stage != Stage::EndToEnd);
    let several: Vec<Stage> =
        parts.filter(|view| view.peaks.len() > 1).map(|view| view.stage).collect();
    if several.is_empty() { vec![Stage::EndToEnd] } else { several }
}
