//! Programs of which several threads call MPI at the same time, traced over both libraries. Others
//! take the cores meanwhile, and processes of the program are stopped and go on: a thread loses its
//! core in the middle of a call, and others use what it is about to give back.
//!
//! The program says how many messages it sent. Where each thread has a communicator or a tag of its
//! own, all are matched; where they share one, the order in which they took effect is known to
//! nobody, and such messages may be left out as a whole.

use super::Cases;
use super::each::each;
use super::kills::stop_and_go_on;
use crate::hog::Others;
use crate::mpi::{Library, all_matched, as_root_too};
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde_json::Value;
use std::fs::File;
use std::ops::AddAssign;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Cases in a round: some ten minutes.
pub const COUNT: u64 = 60;
/// The longest that a program may take.
const LIMIT: Duration = Duration::from_secs(300);
/// Then it has this long to end undisturbed, before it is taken to hang.
const ENDING: Duration = Duration::from_secs(60);

/// How the threads exchange messages, and rounds of it; see the program's text.
const WAYS: [(&str, u32); 3] = [("windows", 4000), ("handles", 1000), ("together", 8000)];

/// Runs the cases.
pub fn mpi_threads(workspace: &Workspace, cases: Cases) -> Result<()> {
    let fourstamp = workspace.soaked();
    let programs = [built(workspace, Library::OpenMpi)?, built(workspace, Library::Mpich)?];
    each("mpi-threads", cases, |number| {
        let case = Case::draw(number, &programs);
        case.run(&fourstamp).with_context(|| case.name())
    })
}

/// What cases came to.
#[derive(Debug, Default)]
struct Done {
    messages: u64,
    /// Left out, because threads share their communicator and tag.
    left_out: u64,
    stops: u64,
}

impl AddAssign for Done {
    fn add_assign(&mut self, other: Done) {
        self.messages += other.messages;
        self.left_out += other.left_out;
        self.stops += other.stops;
    }
}

/// The program, built for a library.
struct Program {
    library: Library,
    path: PathBuf,
}

fn built(workspace: &Workspace, library: Library) -> Result<Program> {
    let path = workspace.scratch("mpi-threads")?.join(library.name().replace(' ', ""));
    let source = workspace.root.join("crates/mpi/preload/tests/programs/threads.c");
    let mut compile = Command::new(library.program("mpicc")?);
    compile.args(["-O1", "-w", "-pthread", "-o"]).arg(&path).arg(source);
    process::capture_within(&mut compile, LIMIT)?;
    Ok(Program { library, path })
}

struct Case<'a> {
    program: &'a Program,
    way: (&'static str, u32),
    threads: u32,
    others: u64,
    random: Pcg64,
}

impl Case<'_> {
    fn draw(number: u64, programs: &[Program; 2]) -> Case<'_> {
        let mut random = Pcg64::seed_from_u64(number);
        Case {
            program: &programs[random.random_range(0..programs.len())],
            way: WAYS[random.random_range(0..WAYS.len())],
            threads: random.random_range(2..=8),
            others: random.random_range(0..3),
            random,
        }
    }

    fn name(&self) -> String {
        let Case { program, way: (way, _), threads, others, .. } = self;
        format!("{threads} threads, {way}, over {}, beside {others} others", program.library.name())
    }

    fn run(&self, fourstamp: &Path) -> Result<Done> {
        let home = tempfile::Builder::new().prefix("mpi-threads-").tempdir()?;
        let (way, rounds) = self.way;
        let mut command = Command::new(fourstamp);
        command.args(["mpi", "trace", "--no-report", "--out", "run", "--"]);
        command.args(self.program.library.run(2, &self.program.path)?);
        command.args([&self.threads.to_string(), &rounds.to_string(), way]);
        let file = |name| File::create(home.path().join(name));
        command.current_dir(home.path()).stdout(file("printed")?).stderr(file("errors")?);
        let _others = Others::start(self.others, LIMIT)?;
        let mut traced = process::start(as_root_too(&mut command))?;
        let mut random = self.random.clone();
        let (id, end) = (traced.id(), Instant::now() + LIMIT);
        let goes_on = || Instant::now() < end && matches!(traced.try_wait(), Ok(None));
        let stops = stop_and_go_on(id, &mut random, goes_on);
        let status = process::wait(&mut traced, ENDING)?;
        let text = |name| std::fs::read_to_string(home.path().join(name));
        ensure!(status.success(), "{status}: {}", text("errors")?.trim());
        let (printed, run) = (text("printed")?, home.path().join("run"));
        let sent = printed.trim().strip_prefix("messages ").and_then(|sent| sent.parse().ok());
        let sent: u64 = sent.with_context(|| format!("the program printed {printed:?}"))?;
        let left_out = if way == "together" { left_out(&run, sent)? } else { 0 };
        if left_out == 0 {
            let matched = all_matched(&run)?["matched"].as_u64();
            ensure!(matched == Some(sent), "{matched:?} of {sent} messages were matched");
        }
        Ok(Done { messages: sent, left_out, stops })
    }
}

/// Messages of channels that several threads share, and in which something cannot be: at most half,
/// for the others have a communicator for each thread.
fn left_out(run: &Path, sent: u64) -> Result<u64> {
    let info: Value = serde_json::from_slice(&std::fs::read(run.join("run.json"))?)?;
    let facts = &info["parameters"]["mpi"];
    let of = |name: &str| facts[name].as_u64().unwrap_or(0);
    let doubtful = of("doubtful_messages");
    ensure!(doubtful <= sent / 2, "{doubtful} of {sent} messages are doubtful: {facts}");
    ensure!(of("matched") + doubtful == sent, "of {sent} messages: {facts}");
    Ok(doubtful)
}
