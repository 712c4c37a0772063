//! `fourstamp mpi study`: the ping-pong of document 003 within a box and between two, its table 1.1
//! and its times by size.
//!
//! Every measurement is a `fourstamp bench` in a process of its own, so that it can be put into a
//! network namespace or under mpirun (`measurement.rs`), and so that nothing of one is left in the
//! next.

mod child;
mod measurement;

use crate::analyse::{Analysed, analyse, tell_apart};
use crate::args::{StudyArgs, StudyPart, StudyTransport};
use crate::commands::place;
use crate::commands::shaped::link::Link;
use crate::commands::shaped::namespaces;
use crate::interrupt;
use crate::job::{LaunchedJob, Mpirun};
use crate::show::StudyFolder;
use crate::studying::study;
use anyhow::{Context, Error, Result, bail};
use fabric::mpi_library;
use measurement::{Boxes, Carrier, Measurement};
use mpi_lens::{BoxStudy, INTEGER_BYTES, Sweep, TRIAL_BYTES, Trial};
use report::{Entry, Page};
use stats::Filter;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;
use study::{Contestant, Ended, Turn};

/// The study's tables and their files: of the trials, and of the sizes.
type Tables = [(&'static str, Option<&'static str>)];
const OF_TRIALS: &Tables = &[("trials", Some("table.csv"))];
const OF_SIZES: &Tables = &[
    ("sizes", Some("sizes.csv")),
    ("knees", Some("knees.csv")),
    ("packets", Some("packets.csv")),
    ("medians", None),
];

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
        let analysis = &self.run.analysis;
        let fit = analysis.sweep.as_ref();
        Sweep { boxes: self.boxes, trial: self.trial, sizes: &analysis.sizes, fit }
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
    StudyFolder::check(&tables(args), &args.show)?;
    check(args)?;
    let carrier = carrier(args)?;
    // From here on Ctrl-C only sets a flag: what was made is removed.
    let stop = interrupt::flag();
    let link = Link { latency: args.latency, ..Link::of_rate(args.rate) };
    let (boxes, remark) = boxes(args, &carrier, &link)?;
    let folder = place::for_runs(args.out.as_deref(), "study")?;
    let measured = measure(args, &carrier, &boxes, &folder);
    drop(boxes);
    let mut findings = measured.inspect_err(|_| {
        // Fails, as it should, when something was measured.
        let _ = std::fs::remove_dir(&folder);
    })?;
    let mut remarks: Vec<String> = remark.into_iter().collect();
    if stop.load(Ordering::Relaxed) {
        remarks.push("ended early by Ctrl-C".into());
    }
    let is_shaped = args.hosts.is_empty() && args.on.is_none();
    let link = is_shaped.then_some(&link);
    show(&mut findings, args, &carrier, (link, remarks), &folder)?;
    Ok(ExitCode::SUCCESS)
}

/// What the study will have; the first is what `--csv` alone means.
fn tables(args: &StudyArgs) -> Vec<(&'static str, Option<&'static str>)> {
    match args.part {
        None => [OF_TRIALS, OF_SIZES].concat(),
        Some(StudyPart::Pingpong) => OF_TRIALS.to_vec(),
        Some(StudyPart::Packets) => OF_SIZES.to_vec(),
    }
}

fn check(args: &StudyArgs) -> Result<()> {
    if LaunchedJob::here().is_some() {
        bail!("the study starts its own nodes: run it without mpirun or srun");
    }
    if !matches!(args.hosts.len(), 0 | 2) || args.hosts.iter().any(String::is_empty) {
        bail!("--hosts must name two boxes, e.g. --hosts a,b; it names {}", args.hosts.len());
    }
    if args.every.is_some_and(|every| every > args.integers) {
        bail!("--every must not be above --integers, {}", args.integers);
    }
    if args.every.is_some() && args.part == Some(StudyPart::Pingpong) {
        bail!("--every is about sizes, of which pingpong has one: give packets");
    }
    Ok(())
}

fn carrier(args: &StudyArgs) -> Result<Carrier> {
    if let Some(machine) = &args.on {
        fabric::find_machine(machine).map_err(Error::msg)?;
        return Ok(Carrier::Machine(machine.clone()));
    }
    match args.transport {
        StudyTransport::Tcp => Ok(Carrier::Tcp),
        StudyTransport::Mpi => mpi_over().map(|_| Carrier::Mpi),
    }
}

/// The MPI library whose mpirun starts the ranks.
fn mpi_over() -> Result<&'static str> {
    let Some(mpirun) = Mpirun::find()? else {
        bail!(
            "no mpirun of Open MPI or MPICH is on PATH: install one (packages openmpi-bin or \
            mpich), or give --transport tcp"
        );
    };
    Ok(mpi_library(Some(mpirun.family))?.name)
}

/// One box, and two where there can be two; a remark where there cannot.
fn boxes(args: &StudyArgs, carrier: &Carrier, link: &Link) -> Result<(Vec<Boxes>, Option<String>)> {
    if let Carrier::Machine(machine) = carrier {
        let remark = format!(
            "two boxes are two nodes of {machine}, in simulated time; within one of them no \
            messages are simulated"
        );
        return Ok((vec![Boxes::Simulated], Some(remark)));
    }
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
    carrier: &Carrier,
    boxes: &[Boxes],
    folder: &Path,
) -> Result<Findings> {
    let of = Measuring { args, carrier, boxes, folder };
    let [trials, sweeps] = launches(args);
    let steps = (trials + sweeps) as usize * boxes.len();
    let trials = of.all(trials, Part::Trials, steps)?;
    let before = trials.len();
    let sweeps = match interrupt::flag().load(Ordering::Relaxed) {
        true => Vec::new(),
        false => of.all(sweeps, Part::Sweeps { before, alone: sweeps == 1 }, steps)?,
    };
    if trials.is_empty() && sweeps.is_empty() {
        bail!("stopped before anything was measured");
    }
    Ok(Findings { trials, sweeps })
}

/// Trials, and passes over the sizes.
fn launches(args: &StudyArgs) -> [u32; 2] {
    let usual = |usual| match (args.trials, args.quick, &args.on) {
        (Some(given), ..) => given,
        // The same to the last stamp each time, but for packets that a machine loses.
        (None, _, Some(_)) => 1,
        (None, true, None) => 2,
        (None, false, None) => usual,
    };
    match args.part {
        None => [usual(5), 1],
        Some(StudyPart::Pingpong) => [usual(3), 0],
        Some(StudyPart::Packets) => [0, usual(4)],
    }
}

/// What is launched in turn in each of the boxes.
#[derive(Clone, Copy)]
enum Part {
    Trials,
    /// After so many trials.
    Sweeps {
        before: usize,
        /// There is one in each of the boxes.
        alone: bool,
    },
}

struct Measuring<'a> {
    args: &'a StudyArgs,
    carrier: &'a Carrier,
    boxes: &'a [Boxes],
    folder: &'a Path,
}

impl Measuring<'_> {
    /// All launches of a part, of `steps` in the whole study, by their rounds.
    fn all(&self, launches: u32, part: Part, steps: usize) -> Result<Vec<Measured>> {
        let before = if let Part::Sweeps { before, .. } = part { before } else { 0 };
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
            Part::Sweeps { alone, .. } => {
                let boxes = self.boxes[turn.contestant].folder_name();
                if alone {
                    format!("{boxes}-sweep")
                } else {
                    format!("{boxes}-sweep-{}", turn.round)
                }
            }
        }
    }

    fn one(&self, part: Part, turn: &Turn, name: &str) -> Result<Measured> {
        let (args, boxes) = (self.args, &self.boxes[turn.contestant]);
        let (words, trips) = match part {
            Part::Trials => (trial_words(args), count(args)),
            Part::Sweeps { .. } => (sweep_words(args), 1),
        };
        let (carrier, out, trial) = (self.carrier, self.folder.join(name), turn.round);
        let (seed, limit) = (args.seed, turn.limit);
        Measurement { carrier, boxes, words, seed, trial, trips, out: &out, limit }.run()?;
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
    let (repeats, refine) = if args.quick { (1, 8) } else { (3, 32) };
    let usual = if args.quick { 10 } else { 50 };
    let count = match args.part {
        Some(StudyPart::Packets) => args.count.unwrap_or(usual),
        _ => usual,
    };
    let sizes = match args.every {
        Some(every) => format!("--every {} --repeats 1", u64::from(every) * INTEGER_BYTES),
        None => format!("--repeats {repeats} --refine {refine}"),
    };
    words(&format!("sweep --largest {largest} {sizes} --count {count} --warm-up 2"))
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_string).collect()
}

fn show(
    findings: &mut Findings,
    args: &StudyArgs,
    carrier: &Carrier,
    (link, remarks): (Option<&Link>, Vec<String>),
    folder: &Path,
) -> Result<()> {
    tell_apart(
        findings.trials.iter_mut().chain(&mut findings.sweeps).map(|measured| &mut measured.run),
    );
    let over = match carrier {
        Carrier::Mpi => mpi_over()?,
        Carrier::Tcp => "TCP",
        Carrier::Machine(machine) => machine,
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
    // Ctrl-C may have left out the sizes.
    let tables = match study.sweeps.is_empty() {
        true => OF_TRIALS.to_vec(),
        false => tables(args),
    };
    let left = StudyFolder { folder, tables: &tables, besides };
    left.show(&study.document(), &study.page(runs), &args.show)
}
