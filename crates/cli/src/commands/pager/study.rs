//! `fourstamp pager study`: the figure of document 004 on this machine. One program with all its
//! data in memory, under the kernel's swap, and paged to the disk, to memory servers, and to memory
//! servers behind links of given rates; with each time's parts, and what is predicted from one rate
//! for the others.
//!
//! Every launch is a fresh process with fresh servers; one launch of each alternative in turn.

mod launch;
mod paged;
mod program;

use crate::args::{PagerStudyArgs, StudyAlternative};
use crate::commands::place;
use crate::commands::shaped::link::Link;
use crate::commands::shaped::namespaces::{self, Namespaces};
use crate::interrupt;
use crate::show::StudyFolder;
use crate::studying::{kept, study, why_nothing};
use anyhow::{Context, Result, bail};
use launch::LIMIT;
use pager_drive::swap::{Cgroup, SwapFile, lacking};
use pager_lens::{Alternative, PagedLaunch, PagingStudy, StudyRow};
use program::Program;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::Ordering;
use study::process::Times;
use study::{Contestant, Turn};

/// The study's tables and their files.
const TABLES: &[(&str, Option<&str>)] = &[
    ("alternatives", None),
    ("parts", None),
    ("launches", Some("study.csv")),
    ("predictions", Some("predictions.csv")),
    ("crossings", Some("crossings.csv")),
];

/// Alternatives that need no network, with the names by which they are asked for.
const SIMPLE: [(StudyAlternative, Alternative); 5] = [
    (StudyAlternative::AllMemory, Alternative::AllMemory),
    (StudyAlternative::Swap, Alternative::Swap),
    (StudyAlternative::Disk, Alternative::Disk),
    (StudyAlternative::NoParity, Alternative::NoParity),
    (StudyAlternative::ParityLog, Alternative::ParityLog),
];

/// What is measured, and with what.
struct Study<'a> {
    args: &'a PagerStudyArgs,
    program: PathBuf,
    folder: PathBuf,
    alternatives: Vec<Alternative>,
    namespaces: Option<Namespaces>,
}

/// Measure, then show.
pub fn run(args: &PagerStudyArgs) -> Result<()> {
    StudyFolder::check(TABLES, &args.show)?;
    let program = Program::find(args)?;
    // From here on Ctrl-C only sets a flag: what was made is removed.
    let stop = interrupt::flag();
    let (alternatives, namespaces, mut remarks) = possible(args);
    if alternatives.is_empty() {
        bail!("nothing to measure: {}", remarks.join("; "));
    }
    let folder = place::for_runs(args.out.as_deref(), "study")?;
    let undo = |folder: &PathBuf| {
        // Fails, as it should, when something was measured.
        let _ = std::fs::remove_dir(folder);
    };
    let program = program.file(&folder).inspect_err(|_| undo(&folder))?;
    let study = Study { args, program, folder, alternatives, namespaces };
    let rows = study.measure().inspect_err(|_| undo(&study.folder))?;
    if stop.load(Ordering::Relaxed) {
        remarks.push("ended early by Ctrl-C".into());
    }
    study.show(rows, remarks)
}

/// The alternatives that are asked for and possible here, what they need, and why the others are
/// not.
fn possible(args: &PagerStudyArgs) -> (Vec<Alternative>, Option<Namespaces>, Vec<String>) {
    let mut remarks = Vec::new();
    let asked = |kind| args.only.is_empty() || args.only.contains(&kind);
    let mut alternatives: Vec<Alternative> =
        SIMPLE.into_iter().filter(|(kind, _)| asked(*kind)).map(|(_, it)| it).collect();
    if let Some(lacking) = lacking().filter(|_| asked(StudyAlternative::Swap)) {
        alternatives.retain(|alternative| *alternative != Alternative::Swap);
        remarks.push(format!("kernel swap is left out: {lacking}"));
    }
    let mut made = None;
    if asked(StudyAlternative::Networks) && !args.networks.is_empty() {
        match joined(args.networks[0]) {
            Ok(namespaces) => {
                made = Some(namespaces);
                alternatives.extend(args.networks.iter().map(|rate| Alternative::Network(*rate)));
            }
            Err(lacking) => remarks.push(format!("--networks is left out: {lacking}")),
        }
    }
    (alternatives, made, remarks)
}

fn joined(rate_bits: u64) -> Result<Namespaces, String> {
    let namespaces = namespaces::two()?;
    let joined = namespaces.join(&Link::of_rate(rate_bits));
    joined.map(|()| namespaces).map_err(|error| error.to_string())
}

impl Study<'_> {
    fn measure(&self) -> Result<Vec<StudyRow>> {
        let mut rows = self.rows();
        let contestants: Vec<Contestant> =
            rows.iter().map(|row| Contestant { key: row.key(), limit: LIMIT }).collect();
        let begins = |turn: &Turn| eprintln!("[{}/{}] {}", turn.done + 1, turn.all, turn.name);
        let results = study(self.args.launches, &contestants, begins, |turn| {
            self.launch(&rows[turn.contestant], &turn.name).map_err(|why| kept(&why))
        })?;
        rows.iter_mut().zip(results).for_each(|(row, results)| row.results = results);
        if rows.iter().all(|row| row.results.launches.is_empty()) {
            bail!("nothing was measured: {}", why_nothing(rows.iter().map(|row| &row.results)));
        }
        Ok(rows)
    }

    fn rows(&self) -> Vec<StudyRow> {
        let of_size = |size: &usize| {
            let local = self.args.local.unwrap_or(size / 4);
            self.alternatives
                .iter()
                .map(move |it| StudyRow::new(*it, *size as u64, local as u64))
                .collect::<Vec<_>>()
        };
        self.args.sizes.iter().flat_map(of_size).collect()
    }

    fn launch(&self, row: &StudyRow, name: &str) -> Result<PagedLaunch> {
        let mut alone = Command::new(&self.program);
        alone.args(["--size", &row.size_bytes.to_string()]);
        if self.args.slow > 1 {
            alone.args(["--slow", &self.args.slow.to_string()]);
        }
        match row.alternative {
            Alternative::AllMemory => launch::run(alone).map(unpaged),
            Alternative::Swap => self.swapping(row, &alone).map(unpaged),
            Alternative::Network(rate_bits) => {
                let boxes = self.namespaces.as_ref().context("no namespaces")?;
                boxes.reshape(&Link::of_rate(rate_bits))?;
                self.paged(row, name, &alone, Some(boxes))
            }
            Alternative::Disk | Alternative::NoParity | Alternative::ParityLog => {
                self.paged(row, name, &alone, None)
            }
        }
    }

    fn swapping(&self, row: &StudyRow, alone: &Command) -> Result<Times> {
        let _file = SwapFile::make(&self.folder, 2 * row.size_bytes, tell)?;
        let group = Cgroup::make(row.local_bytes, tell)?;
        launch::run(group.within(alone))
    }

    fn paged(
        &self,
        row: &StudyRow,
        name: &str,
        alone: &Command,
        boxes: Option<&Namespaces>,
    ) -> Result<PagedLaunch> {
        let out = self.folder.join(name);
        paged::run(&paged::Plan { row, out: &out, alone, servers: self.args.servers, boxes })
    }

    fn show(&self, rows: Vec<StudyRow>, remarks: Vec<String>) -> Result<()> {
        let program = self.args.program.name().to_owned();
        let slow = self.args.slow;
        let document = PagingStudy { program, slow, rows, remarks }.document();
        let besides = format!("runs: {}/*   (one: fourstamp report RUN)", self.folder.display());
        let left = StudyFolder { folder: &self.folder, tables: TABLES, besides };
        left.show(&document, &document, &self.args.show)
    }
}

/// A launch of which only the kernel counted the time.
fn unpaged(times: Times) -> PagedLaunch {
    PagedLaunch::alone(times, 1.0 / rustix::param::clock_ticks_per_second() as f64)
}

/// What could not be removed.
pub fn tell(line: &str) {
    eprintln!("{line}");
}

/// `program`, here or in one of the boxes.
fn command_in(boxes: Option<(&Namespaces, usize)>, program: &OsStr) -> Command {
    boxes.map_or_else(|| Command::new(program), |(boxes, place)| boxes.within(place, program))
}
