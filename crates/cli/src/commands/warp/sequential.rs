//! The sequential engine: alone, or to check a parallel run against.

use super::plan::Plan;
use super::results::Results;
use super::{recorder, table};
use crate::commands::{place, report};
use crate::interrupt;
use crate::launching;
use crate::progress::SimulationBar;
use anyhow::{Context, Result, bail};
use clock::Clock;
use record::{NodeSheet, RunFolder, Schema};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use timewarp::Outcome;
use warp::{AnyModel, Ending, Gauge, Meter, NodeFiles, Recorded, Rows, Summary, WarpError};

/// How the sequential run compares.
pub struct Check {
    /// How long it took.
    pub elapsed: Duration,
}

/// Run in order and show.
pub fn run(plan: &Plan, model: &AnyModel) -> Result<()> {
    let scratch = tempfile::tempdir().context("cannot make a folder for temporary files")?;
    if !plan.job.record {
        let files = NodeFiles::new(scratch.path(), 0);
        let text = simulated(plan, model, &files, None)?;
        return report::say(&text);
    }
    let path = place::for_run(plan.common.out.as_deref(), &format!("{}-sequential", plan.job.model.name()))?;
    let mut folder = RunFolder::create(&path, plan.info("none", "none"))?;
    let files = NodeFiles::new(&path, 0);
    let ran = simulated(plan, model, &files, Some(&mut folder));
    files.remove();
    let (text, failure) = match ran {
        Ok(text) => (text, None),
        Err(error) => (String::new(), Some(error)),
    };
    launching::close(folder, failure)?;
    match plan.common.csv {
        true => report::say(&text),
        false => report::say(&format!("{text}run: {}   page: fourstamp report {0}\n", path.display())),
    }
}

/// Run the sequential engine for comparison.
///
/// # Errors
/// What differs first.
pub fn check(plan: &Plan, model: &AnyModel, ours: &Outcome) -> Result<Check> {
    let (outcome, elapsed) = watched(plan, |meter| model.run_sequential(plan.job.engine.cutoff, meter))?;
    model.compare(ours, &outcome)?;
    Ok(Check { elapsed })
}

fn simulated(
    plan: &Plan,
    model: &AnyModel,
    files: &NodeFiles,
    mut folder: Option<&mut RunFolder>,
) -> Result<String> {
    files.prepare()?;
    let rows = folder.as_deref().map(|folder| rows(plan, folder)).transpose()?;
    let recording = rows.is_some();
    let mut watch = Recorded::new(rows, plan.job.trace.then(|| files.trace()), files.lines());
    let cutoff = plan.job.engine.cutoff;
    let ran = match recording || plan.job.trace {
        true => watched(plan, |meter| model.run_sequential_recorded(cutoff, &mut watch, meter)),
        false => watched(plan, |meter| model.run_sequential(cutoff, meter)),
    };
    let recorder = match &ran {
        Ok(_) => watch.finish()?,
        Err(_) => watch.into_recorder(),
    };
    if let Some(recorder) = recorder {
        recorder.finish(Clock::best().anchor())?;
    }
    let (outcome, elapsed) = ran?;
    let summary = Summary::new(&outcome, elapsed.as_nanos() as u64);
    let files = [files.clone()];
    let results = Results { plan, model, outcome: &outcome, summary: &summary, files: &files };
    results.print_lines()?;
    results.write_tables()?;
    if let Some(folder) = &mut folder {
        results.keep(folder, |_| 0)?;
    }
    Ok(table::text(plan, &summary, None))
}

fn rows(plan: &Plan, folder: &RunFolder) -> Result<Rows> {
    let clock = Clock::best();
    let sheet = NodeSheet::with_quality(0, 0, &clock, clock::measure(&clock));
    let schema = Schema::new(&warp::columns(&plan.spec()));
    Ok(Rows::new(0, clock, folder.recorder(sheet, &schema, recorder(&plan.common))?, false))
}

/// Run with a progress line beside it; the outcome and how long it took.
fn watched(
    plan: &Plan,
    run: impl FnOnce(Meter<'_>) -> Result<(Outcome, Ending), WarpError>,
) -> Result<(Outcome, Duration)> {
    let (gauge, over) = (Gauge::default(), AtomicBool::new(false));
    let mut bar = SimulationBar::new(&format!("{}, in order", plan.job.model.name()), plan.end());
    let begun = Instant::now();
    let ran = std::thread::scope(|scope| {
        scope.spawn(|| {
            bar.begin();
            while !over.load(Ordering::Acquire) {
                if let Some(readings) = gauge.read() {
                    bar.at(&readings);
                }
                std::thread::park_timeout(Duration::from_millis(200));
            }
            bar.finish();
        });
        let ran = run(Meter { stop: interrupt::flag(), gauge: &gauge });
        over.store(true, Ordering::Release);
        ran.map(|ran| (ran, begun.elapsed()))
    });
    let ((outcome, ending), elapsed) = ran?;
    if ending != Ending::Finished {
        bail!("stopped at virtual time {} in the sequential run: there is no result", outcome.final_time);
    }
    Ok((outcome, elapsed))
}
