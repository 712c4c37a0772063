//! Test programs, two at a time: most of a test's time is waiting, for a deadline, a process, a
//! disk. The longest begin first, so that none of them goes on when all others have ended. Those
//! that measure have the machine to themselves.

use super::built::TestProgram;
use super::reading::Reading;
use super::tally::Tally;
use crate::process::read_lines;
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How many run at a time.
pub const LANES: usize = 2;

/// Longest that one may take: the slowest on two cores, three times over.
const LIMIT: Duration = Duration::from_secs(1200);

/// What these test is time itself: rates, shares of a core, when something was seen.
const ALONE: &[&str] =
    &["fourstamp-cli/explain", "fourstamp-cli/mpi_losses", "fourstamp-cli/predict"];

/// The longest: they run one job after the other, or hundreds of tests.
const FIRST: &[&str] = &[
    "fourstamp-rmem-preload/paged",
    "fourstamp-cli/runs",
    "fourstamp-cli/pager",
    "fourstamp-cli/mpi",
    "fourstamp-mpitrace/traced",
    "fourstamp-stats/analyses",
    "fourstamp-cli/warp",
    "fourstamp-fabric/conformance",
    "fourstamp-rmem/memory",
];

/// A test program that ran.
pub struct Ran<'a> {
    pub program: &'a TestProgram,
    pub time: Duration,
    /// All that it printed.
    pub lines: Vec<String>,
    /// Those of them that are worth reading.
    pub shown: Vec<String>,
    pub reading: Reading,
    pub tally: Tally,
    pub ended: Result<()>,
}

/// Whether time itself is what a program tests.
pub fn measures(program: &TestProgram) -> bool {
    ALONE.contains(&program.name.as_str())
}

/// Runs each with these arguments for the harness, and gives each to `done` as it ends.
///
/// # Errors
/// A lane has no folder for temporary files. A program that fails is no error here.
pub fn run<'a>(
    programs: &'a [TestProgram],
    arguments: &[&str],
    mut done: impl FnMut(Ran<'a>),
) -> Result<()> {
    let (alone, mut together): (Vec<_>, Vec<_>) =
        programs.iter().partition(|program| measures(program));
    together.sort_by_key(|program| turn(program));
    run_in(LANES, together, arguments, &mut done)?;
    run_in(1, alone, arguments, &mut done)
}

/// Its place among the longest, or behind them all.
fn turn(program: &TestProgram) -> usize {
    FIRST.iter().position(|name| *name == program.name).unwrap_or(FIRST.len())
}

/// Runs one with nothing beside it.
///
/// # Errors
/// As [`run`].
pub fn run_alone<'a>(program: &'a TestProgram, arguments: &[&str]) -> Result<Ran<'a>> {
    let mut ran = None;
    run_in(1, vec![program], arguments, &mut |one| ran = Some(one))?;
    ran.context("its lane ended before it")
}

fn run_in<'a>(
    lanes: usize,
    programs: Vec<&'a TestProgram>,
    arguments: &[&str],
    done: &mut impl FnMut(Ran<'a>),
) -> Result<()> {
    let run = |program: &'a TestProgram, folder: &Path| {
        run_one(program, program.command(arguments).env("TMPDIR", folder))
    };
    each(lanes, programs, run, done)
}

/// Does `work` with each of `all`, so many at a time and in their order, and gives what comes of it
/// to `done` as it ends. A lane has a folder for temporary files of its own: two mpiruns of Open
/// MPI 4 that begin at once in one folder do not both begin.
///
/// # Errors
/// There is no folder.
pub fn each<T: Send, R: Send>(
    lanes: usize,
    all: Vec<T>,
    work: impl Fn(T, &Path) -> R + Sync,
    done: &mut impl FnMut(R),
) -> Result<()> {
    let folder = || tempfile::Builder::new().prefix("lane").tempdir();
    let folders: Vec<TempDir> = (0..lanes)
        .map(|_| folder())
        .collect::<Result<_, _>>()
        .context("no folder for temporary files")?;
    let waiting = Mutex::new(all.into_iter());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
    let (ended, results) = mpsc::channel();
    thread::scope(|threads| {
        for folder in &folders {
            let (ended, next, work) = (ended.clone(), &next, &work);
            threads.spawn(move || {
                while let Some(one) = next() {
                    if ended.send(work(one, folder.path())).is_err() {
                        return;
                    }
                }
            });
        }
        drop(ended);
        results.iter().for_each(done);
    });
    Ok(())
}

fn run_one<'a>(program: &'a TestProgram, command: &mut Command) -> Ran<'a> {
    let started = Instant::now();
    let (mut lines, mut shown) = (Vec::new(), Vec::new());
    let (mut reading, mut tally) = (Reading::default(), Tally::default());
    let ended = read_lines(command, LIMIT, |line| {
        tally.line(line);
        if reading.line(line) {
            shown.push(line.to_owned());
        }
        lines.push(line.to_owned());
    });
    tally.failures.clone_from(&reading.failed);
    Ran { program, time: started.elapsed(), lines, shown, reading, tally, ended }
}
