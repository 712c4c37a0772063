//! `cargo xtask bench sockets`: what `fourstamp trace` adds to a program that talks over sockets.

use super::competition::{self, Terms};
use super::contest::Contestant;
use super::figures::{Bound, Compared, Figure, Number, figure};
use super::peers::{Compiler, build, build_library};
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How to measure.
#[derive(Args, Debug)]
pub struct Options {
    #[command(flatten)]
    terms: Terms,
}

const PLAIN: &str = "send and recv";
const TRACED: &str = "send and recv, traced";
const ADDED: &str = "what tracing adds, in turn";
const ALL_ADDED: &str = "what tracing adds, writing out too";
const FLOOR: &str = "what the least keeping adds";
const ALL_FLOOR: &str = "what the least keeping adds, writing out too";
const REDIS: &str = "redis GET, traced / not, in turn";
const PIPELINED: &str = "redis GET, 16 at once, traced / not, in turn";

const FORKS: &str = "server that forks, traced / not, in turn";

const FIGURES: &[Figure] = &[
    figure(
        "call",
        "added to a send and a receive, over recvmsg with the kernel's stamp",
        (ADDED, ADDED),
        (Number::CallNs, Compared::Ours),
        Bound::AtMost(150.0),
    ),
    figure(
        "call",
        "a send and a receive, traced / plain",
        (TRACED, PLAIN),
        (Number::CallNs, Compared::Ratio),
        Bound::AtMost(1.1),
    ),
    figure(
        "call-floor",
        "added to a send and a receive, ours / a library in C that keeps the least",
        (ADDED, FLOOR),
        (Number::CallNs, Compared::Ratio),
        Bound::AtMost(1.25),
    ),
    figure(
        "call-floor",
        "the same, with writing what was kept to its file",
        (ALL_ADDED, ALL_FLOOR),
        (Number::CallNs, Compared::Ratio),
        Bound::AtMost(1.25),
    ),
    figure(
        "redis",
        "redis-benchmark, 20 clients, requests a second, server traced / not",
        (REDIS, REDIS),
        (Number::Ratio, Compared::Ours),
        Bound::AtLeast(0.95),
    ),
    figure(
        "redis-pipelined",
        "the same, 16 requests at once",
        (PIPELINED, PIPELINED),
        (Number::Ratio, Compared::Ours),
        Bound::AtLeast(0.95),
    ),
    figure(
        "forks",
        "clients a second of a server in Python that forks for each, traced / not, run in memory",
        (FORKS, FORKS),
        (Number::Ratio, Compared::Ours),
        Bound::AtLeast(0.5),
    ),
];

/// Side by side with calls that no library sees.
const BESIDE: &[&str] = &["--beside"];
/// The same in blocks so long that in each one what was kept is written out twice.
const LONG_BLOCKS: &[&str] = &["--beside", "--block", "2048", "--count", "600000"];

/// Rounds of two short benchmarks in a launch.
const ROUNDS: &str = "10";

/// What a contestant is made with.
struct Bench<'a> {
    workspace: &'a Workspace,
    /// The release build.
    fourstamp: PathBuf,
}

/// Runs the benchmark and prints its tables.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let figures = options.terms.choose(FIGURES)?;
    let bench = Bench { workspace, fourstamp: competition::release_build(workspace)? };
    options.terms.hold(&figures, |name| bench.contestant(name))
}

impl Bench<'_> {
    fn contestant(&self, name: &'static str) -> Result<Contestant> {
        match name {
            PLAIN => self.to_itself(name, Vec::new(), &[]),
            TRACED => self.to_itself(name, self.tracer(name)?, &[]),
            ADDED => self.to_itself(name, self.tracer(name)?, BESIDE),
            ALL_ADDED => self.to_itself(name, self.tracer(name)?, LONG_BLOCKS),
            FLOOR => self.to_itself(name, self.floor(name)?, BESIDE),
            ALL_FLOOR => self.to_itself(name, self.floor(name)?, LONG_BLOCKS),
            REDIS => self.redis(name, 1),
            PIPELINED => self.redis(name, 16),
            FORKS => self.forks(name),
            other => {
                unreachable!("no contestant {other}: figures and contestants are written together")
            }
        }
    }

    /// A program that talks to itself, behind the words that make it seen.
    fn to_itself(
        &self,
        name: &'static str,
        mut words: Vec<String>,
        options: &[&str],
    ) -> Result<Contestant> {
        let program = build(self.workspace, "tcp_to_itself", Compiler::C)?;
        words.push(program.display().to_string());
        words.extend(options.iter().map(|option| (*option).to_owned()));
        self.of_words(name, words)
    }

    /// The beginning of a command line whose program has a library before it that does the least.
    fn floor(&self, name: &'static str) -> Result<Vec<String>> {
        let library = build_library(self.workspace, "sockets_floor", Compiler::C)?;
        let kept = self.folder(name)?.with_extension("calls");
        let file = format!("FLOOR_FILE={}", kept.display());
        Ok(vec!["env".into(), file, format!("LD_PRELOAD={}", library.display())])
    }

    fn redis(&self, name: &'static str, pipelined: u32) -> Result<Contestant> {
        for program in ["redis-server", "redis-benchmark"] {
            process::on_path(program).context("no Redis: apt install redis-server redis-tools")?;
        }
        let script = self.workspace.root.join("xtask/peers/redis_in_turn.sh");
        // About half a second of each.
        let requests = if pipelined > 1 { 300_000 } else { 30_000 };
        let mut words = vec!["sh".into(), script.display().to_string()];
        words.extend([requests.to_string(), pipelined.to_string(), ROUNDS.into()]);
        words.extend(self.tracer(name)?);
        self.of_words(name, words)
    }

    fn forks(&self, name: &'static str) -> Result<Contestant> {
        let python = process::python()?;
        let script = self.workspace.root.join("xtask/peers/forks_in_turn.py");
        let mut words = vec![python.display().to_string(), script.display().to_string()];
        // About half a second of each.
        words.extend(["300".into(), ROUNDS.into()]);
        let mut tracer = self.tracer(name)?;
        tracer.insert(2, "--follow".into());
        words.extend(tracer);
        self.of_words(name, words)
    }

    /// The beginning of a command line that is traced.
    fn tracer(&self, name: &'static str) -> Result<Vec<String>> {
        let run = self.folder(name)?;
        let words = ["trace", "--no-report", "--out"].map(str::to_owned);
        let mut all = vec![self.fourstamp.display().to_string()];
        all.extend(words);
        all.extend([run.display().to_string(), "--".into()]);
        Ok(all)
    }

    fn folder(&self, name: &'static str) -> Result<PathBuf> {
        let memory = Path::new("/dev/shm");
        // Each child makes files, and each launch deletes the run before: ext4 without a journal
        // passes over the numbers of files that were deleted in the last minute one by one.
        if name == FORKS && memory.is_dir() {
            return Ok(memory.join(format!("fourstamp-bench-{}", std::process::id())));
        }
        Ok(self.workspace.scratch("sockets")?.join(name.replace([',', ' ', '/'], "")))
    }

    fn of_words(&self, name: &'static str, words: Vec<String>) -> Result<Contestant> {
        let command = move || {
            let mut command = Command::new(&words[0]);
            command.args(&words[1..]);
            command
        };
        let leaves = Some(self.folder(name)?);
        Ok(Contestant { name, command: Box::new(command), afterwards: None, numbers: None, leaves })
    }
}
