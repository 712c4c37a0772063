//! The sequential engine: alone, or to check a parallel run against.

use super::plan::Plan;
use super::recorder;
use super::results::Results;
use super::table::{self, Check};
use crate::commands::place;
use crate::interrupt;
use crate::launching;
use crate::progress::SimulationBar;
use crate::show;
use anyhow::{Context, Result, bail};
use clock::Clock;
use record::{NodeSheet, RunFolder, Schema};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use timewarp::{Options, Outcome, Status};
use warp::{
    AnyModel, Drive, Ending, Gauge, Meter, NodeFiles, Recorded, Rows, Sample, Samples, Summary,
    WarpError,
};

/// Run in order and show.
pub fn run(plan: &Plan, model: &dyn AnyModel) -> Result<()> {
    plan.remarks.iter().for_each(|remark| eprintln!("{remark}"));
    let scratch =
        memory::Scratch::new("sequential").context("cannot make a folder for temporary files")?;
    if !plan.job.record {
        let files = NodeFiles::new(scratch.path(), 0);
        let text = simulated(plan, model, &files, None)?;
        return show::say(&text);
    }
    let path =
        place::for_run(plan.common.out.as_deref(), &format!("{}-sequential", plan.job.model.name))?;
    let mut folder = RunFolder::create(&path, plan.info(None))?;
    let files = NodeFiles::new(&path, 0);
    let ran = simulated(plan, model, &files, Some(&mut folder));
    files.remove();
    let (text, failure) = match ran {
        Ok(text) => (text, None),
        Err(error) => (String::new(), Some(error)),
    };
    launching::close(folder, failure)?;
    match plan.is_for_scripts() {
        true => show::say(&text),
        false => {
            show::say(&format!("{text}run: {}   page: fourstamp report {0}\n", path.display()))
        }
    }
}

/// Run the sequential engine for comparison. Its course is kept here, if anywhere.
///
/// # Errors
/// What differs first.
pub fn check(
    plan: &Plan,
    model: &dyn AnyModel,
    ours: &Outcome,
    course: Option<PathBuf>,
) -> Result<Check> {
    let mut course = Looks::create(plan, course)?;
    let options = Options { causes: false, ..plan.job.engine.clone() };
    let mut look = |at, status: &Status| course.look(at, status);
    let (outcome, elapsed) =
        watched(plan, |meter| model.run_sequential(&options, meter, &mut look))?;
    course.finish()?;
    warp::compare(model.objects(), ours, &outcome)?;
    let mut audited = None;
    if model.says_what_must_hold() {
        watched(plan, |meter| model.audit(plan.job.engine.cutoff, meter, &mut audited))?;
    }
    Ok(Check { elapsed, audited })
}

/// Looks at a sequential run, kept where it is recorded: those for which it is time, and the last
/// one.
struct Looks {
    samples: Option<Samples>,
    /// The latest that was not kept.
    latest: Option<Sample>,
}

impl Looks {
    fn create(plan: &Plan, path: Option<PathBuf>) -> Result<Looks> {
        let every = plan.job.sample_every();
        let samples =
            path.zip(every).map(|(path, every)| Samples::create(path, every)).transpose()?;
        Ok(Looks { samples, latest: None })
    }

    fn look(&mut self, seconds: f64, status: &Status) {
        let Some(samples) = &mut self.samples else { return };
        let sample = Sample { seconds, local_time: status.gvt.simtime(), status: *status };
        match samples.is_due((seconds * 1e9) as u64) {
            true => {
                samples.add(&sample);
                self.latest = None;
            }
            false => self.latest = Some(sample),
        }
    }

    fn finish(mut self) -> Result<()> {
        let Some(mut samples) = self.samples.take() else { return Ok(()) };
        self.latest.iter().for_each(|latest| samples.add(latest));
        samples.failure().map_or(Ok(()), |failure| Err(failure.into()))
    }
}

fn simulated(
    plan: &Plan,
    model: &dyn AnyModel,
    files: &NodeFiles,
    mut folder: Option<&mut RunFolder>,
) -> Result<String> {
    files.prepare()?;
    let rows = folder.as_deref().map(|folder| rows(plan, folder)).transpose()?;
    let recording = rows.is_some();
    let mut watch = Recorded::new(rows, plan.job.trace.then(|| files.trace()), files.lines());
    if plan.job.engine.causes {
        watch = watch.with_links(files.links());
    }
    let mut course = Looks::create(plan, recording.then(|| files.samples_path()))?;
    let options = &plan.job.engine;
    let mut look = |at, status: &Status| course.look(at, status);
    let ran = match recording || plan.job.trace || options.causes {
        true => watched(plan, |meter| {
            model.run_sequential_recorded(options, &mut watch, meter, &mut look)
        }),
        false => watched(plan, |meter| model.run_sequential(options, meter, &mut look)),
    };
    course.finish()?;
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
    let mut results = Results {
        plan,
        model,
        outcome: &outcome,
        summary: &summary,
        files: &files,
        pinned: &[],
        path: None,
    };
    results.print_lines()?;
    results.write_tables(&|_| 0)?;
    results.find_critical_path()?;
    if let Some(folder) = &mut folder {
        results.keep(folder, &|_| 0)?;
    }
    Ok(table::text(&results, None))
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
    run: impl FnOnce(Meter<'_>) -> Result<(Outcome, Drive), WarpError>,
) -> Result<(Outcome, Duration)> {
    let (gauge, over) = (Gauge::default(), AtomicBool::new(false));
    let mut bar = SimulationBar::new(&format!("{}, in order", plan.job.model.name), plan.job.end());
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
        ran
    });
    let (outcome, drive) = ran?;
    if drive.ending != Ending::Finished {
        bail!(
            "stopped at virtual time {} in the sequential run; there is no result",
            outcome.final_time
        );
    }
    Ok((outcome, Duration::from_nanos(drive.elapsed_ns)))
}
