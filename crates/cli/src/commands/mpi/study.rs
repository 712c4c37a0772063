//! `fourstamp mpi study`: the ping-pong of document 003 within a box and between two, its table 1.1
//! and its times by size.
//!
//! Every measurement is a `fourstamp bench` in a process of its own, so that it can be put into a
//! network namespace or under mpirun (`measurement.rs`), and so that nothing of one is left in the
//! next.

mod child;
mod measurement;

use crate::analyse::{Analysed, analyse, tell_apart};
use crate::args::{StudyArgs, StudyTransport};
use crate::commands::place;
use crate::commands::shaped::link::Link;
use crate::commands::shaped::namespaces;
use crate::interrupt;
use crate::job::{LaunchedJob, Mpirun};
use crate::show::{ShowArgs, StudyFolder};
use crate::studying::study;
use anyhow::{Context, Result, bail};
use fabric::mpi_library;
use measurement::{Boxes, Measurement};
use mpi_lens::{BoxStudy, INTEGER_BYTES, Sweep, TRIAL_BYTES, Trial};
use report::{Entry, Page};
use stats::Filter;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;
use study::{Contestant, Ended, Turn};

/// The study's tables and their files.
const TABLES: &[(&str, Option<&str>)] =
    &[("trials", Some("table.csv")), ("sizes", Some("sizes.csv")), ("medians", None)];

/// No measurement may take longer.
const LIMIT: Duration = Duration::from_secs(3600);

/// One thing measured.
struct Measured {
    boxes: &'static str,
    trial: u32,
    run: Analysed,
}

impl Measured {
    fn trial(&self) -> Option<Trial<'_>> {
        let cycles = &self.run.analysis.cycles.as_ref()?.summary;
        Some(Trial { boxes: self.boxes, trial: self.trial, cycles })
    }

    fn sweep(&self) -> Sweep<'_> {
        Sweep { boxes: self.boxes, sizes: &self.run.analysis.sizes }
    }
}

/// All of it, one box and two in turn.
#[derive(Default)]
struct Findings {
    trials: Vec<Measured>,
    sweeps: Vec<Measured>,
}

/// Measure, then show.
pub fn run(args: &StudyArgs) -> Result<ExitCode> {
    StudyFolder::check(TABLES, &args.show)?;
    let transport = transport(args)?;
    // From here on Ctrl-C only sets a flag: what was made is removed.
    let stop = interrupt::flag();
    let link = Link { latency: args.latency, ..Link::of_rate(args.rate) };
    let (boxes, remark) = boxes(args, &link)?;
    let folder = place::for_runs(args.out.as_deref(), "study")?;
    let measured = measure(args, transport, &boxes, &folder);
    drop(boxes);
    let mut findings = measured.inspect_err(|_| {
        // Fails, as it should, when something was measured.
        let _ = std::fs::remove_dir(&folder);
    })?;
    let mut remarks: Vec<String> = remark.into_iter().collect();
    if stop.load(Ordering::Relaxed) {
        remarks.push("ended early by Ctrl-C".into());
    }
    let link = args.hosts.is_empty().then_some(&link);
    show(&mut findings, transport, link, remarks, &folder, &args.show)?;
    Ok(ExitCode::SUCCESS)
}

fn transport(args: &StudyArgs) -> Result<StudyTransport> {
    if LaunchedJob::here().is_some() {
        bail!("the study starts its own nodes: run it without mpirun or srun");
    }
    if !matches!(args.hosts.len(), 0 | 2) || args.hosts.iter().any(String::is_empty) {
        bail!("--hosts must name two boxes, e.g. --hosts a,b; it names {}", args.hosts.len());
    }
    match args.transport {
        Some(StudyTransport::Tcp) => Ok(StudyTransport::Tcp),
        Some(StudyTransport::Mpi) => {
            mpi_over()?;
            Ok(StudyTransport::Mpi)
        }
        None if mpi_over().is_ok() => Ok(StudyTransport::Mpi),
        None => Ok(StudyTransport::Tcp),
    }
}

/// The MPI library whose mpirun starts the ranks.
fn mpi_over() -> Result<&'static str> {
    let Some(mpirun) = Mpirun::find()? else {
        bail!("no mpirun of Open MPI or MPICH is on PATH: install one, or give --transport tcp");
    };
    Ok(mpi_library(Some(mpirun.family))?.name)
}

/// One box, and two where there can be two; a remark where there cannot.
fn boxes(args: &StudyArgs, link: &Link) -> Result<(Vec<Boxes>, Option<String>)> {
    if let [first, second] = &args.hosts[..] {
        return Ok((vec![Boxes::One, Boxes::Hosts([first.clone(), second.clone()])], None));
    }
    match namespaces::two() {
        Ok(namespaces) => {
            namespaces.join(link).context("cannot connect two network namespaces by a link")?;
            Ok((vec![Boxes::One, Boxes::Joined(namespaces)], None))
        }
        Err(lacking) => {
            let remark = format!(
                "two boxes joined by a link of {} are not measured: {lacking}; or give --hosts a,b",
                link.text()
            );
            Ok((vec![Boxes::One], Some(remark)))
        }
    }
}

fn measure(
    args: &StudyArgs,
    transport: StudyTransport,
    boxes: &[Boxes],
    folder: &Path,
) -> Result<Findings> {
    let of = Measuring { args, transport, boxes, folder };
    let trials = args.trials.unwrap_or(if args.quick { 2 } else { 5 });
    let trials = of.all(trials, Part::Trials, (trials as usize + 1) * boxes.len())?;
    if trials.is_empty() {
        bail!("stopped before anything was measured");
    }
    if interrupt::flag().load(Ordering::Relaxed) {
        return Ok(Findings { trials, sweeps: Vec::new() });
    }
    let sweeps = of.all(1, Part::Sweeps { before: trials.len() }, trials.len() + boxes.len())?;
    Ok(Findings { trials, sweeps })
}

/// What is launched in turn in each of the boxes.
#[derive(Clone, Copy)]
enum Part {
    Trials,
    /// After so many trials.
    Sweeps {
        before: usize,
    },
}

struct Measuring<'a> {
    args: &'a StudyArgs,
    transport: StudyTransport,
    boxes: &'a [Boxes],
    folder: &'a Path,
}

impl Measuring<'_> {
    /// All launches of a part, of `steps` in the whole study, by their rounds.
    fn all(&self, launches: u32, part: Part, steps: usize) -> Result<Vec<Measured>> {
        let before = if let Part::Sweeps { before } = part { before } else { 0 };
        let contestants: Vec<Contestant> = self
            .boxes
            .iter()
            .map(|boxes| Contestant { key: boxes.folder_name(), limit: LIMIT })
            .collect();
        let begins = |turn: &Turn| {
            eprintln!("[{}/{steps}] {}", before + turn.done + 1, self.name(part, turn));
        };
        let results = study(launches, &contestants, begins, |turn| {
            let name = self.name(part, turn);
            let something = before + turn.done > 0;
            let failed = |why: anyhow::Error| why.context(failed(&name, something, self.folder));
            self.one(part, turn, &name).map_err(|why| Ended::Study(failed(why)))
        })?;
        let mut measured: Vec<Measured> =
            results.into_iter().flat_map(|of| of.launches).map(|launch| launch.outcome).collect();
        measured.sort_by_key(|measured| measured.trial);
        Ok(measured)
    }

    fn name(&self, part: Part, turn: &Turn) -> String {
        match part {
            Part::Trials => turn.name.clone(),
            Part::Sweeps { .. } => format!("{}-sweep", self.boxes[turn.contestant].folder_name()),
        }
    }

    fn one(&self, part: Part, turn: &Turn, name: &str) -> Result<Measured> {
        let (args, boxes) = (self.args, &self.boxes[turn.contestant]);
        let (words, trips, trial) = match part {
            Part::Trials => (trial_words(args), count(args), turn.round),
            Part::Sweeps { .. } => (sweep_words(args), 1, 0),
        };
        let (transport, out) = (self.transport, self.folder.join(name));
        let (seed, limit) = (args.seed, turn.limit);
        Measurement { transport, boxes, words, seed, trips, out: &out, limit }.run()?;
        let run = analyse(&out, args.seed, &Filter::default())?;
        Ok(Measured { boxes: boxes.name(), trial, run })
    }
}

/// What has failed, and where the rest is.
fn failed(name: &str, something: bool, folder: &Path) -> String {
    match something {
        false => name.into(),
        true => format!("{name} (what was measured before it is in {})", folder.display()),
    }
}

fn trial_words(args: &StudyArgs) -> Vec<String> {
    words(&format!("pingpong --size {TRIAL_BYTES} --count {}", count(args)))
}

/// Round trips of a trial.
fn count(args: &StudyArgs) -> u64 {
    args.count.unwrap_or(if args.quick { 500 } else { 10_000 })
}

fn sweep_words(args: &StudyArgs) -> Vec<String> {
    let largest = u64::from(args.integers) * INTEGER_BYTES;
    let (repeats, refine, count) = if args.quick { (1, 8, 10) } else { (3, 32, 50) };
    words(&format!(
        "sweep --largest {largest} --repeats {repeats} --refine {refine} --count {count} --warm-up \
        2"
    ))
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_string).collect()
}

fn show(
    findings: &mut Findings,
    transport: StudyTransport,
    link: Option<&Link>,
    remarks: Vec<String>,
    folder: &Path,
    show: &ShowArgs,
) -> Result<()> {
    tell_apart(
        findings.trials.iter_mut().chain(&mut findings.sweeps).map(|measured| &mut measured.run),
    );
    let over = match transport {
        StudyTransport::Mpi => mpi_over()?,
        StudyTransport::Tcp => "TCP",
    };
    let study = BoxStudy {
        over,
        link,
        trials: findings.trials.iter().filter_map(Measured::trial).collect(),
        sweeps: findings.sweeps.iter().map(Measured::sweep).collect(),
        remarks,
    };
    let all = findings.trials.iter().chain(&findings.sweeps);
    let runs: Vec<Entry<'_>> = all.map(|measured| measured.run.entry()).collect();
    let runs = Page { title: "The runs", runs: &runs, floors: &[], remarks: &[] }.document();
    let besides = format!("runs: {}/*   (one: fourstamp report RUN)", folder.display());
    let left = StudyFolder { folder, tables: TABLES, besides };
    left.show(&study.document(), &study.page(runs), show)
}
