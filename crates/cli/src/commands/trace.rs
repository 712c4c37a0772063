//! `fourstamp trace`: run a program with the tracer of sockets loaded before it, close the run,
//! show it.
//!
//! The program's standard output is its own: everything of ours goes to standard error.

mod anchors;
mod closing;
mod merge;
mod program;
mod rings;

use crate::args::SocketTraceArgs;
use crate::child;
use crate::commands::place;
use crate::preload::{self, SOCKETS};
use anchors::Anchors;
use anyhow::{Context, Result};
use clock::{Clock, Quality};
use record::{Machine, RunFolder, RunInfo};
use rings::Rings;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use streams::framing::Rules;
use streams::variables::{CLOCK, CommandClock, FRAMES, PARENT, PIPES, RUN};
use streams::{FRAMING_KEY, PIPES_KEY};

/// The parameter of a run whose logs its commands leave as they are.
const LOGS_ONLY: &str = "logs_only";

/// Run, close, show.
pub fn run(args: &SocketTraceArgs) -> Result<ExitCode> {
    if !args.merge.is_empty() {
        return merge::run(args);
    }
    let program = program(&args.program)?;
    let library = SOCKETS.find()?;
    let (path, folder) = match &args.join {
        Some(run) => (run.clone(), RunFolder::join(run)?),
        None => begin(args, &program)?,
    };
    let rules = streams::close::rules(folder.info()).with_context(|| {
        format!("cannot use the rules of ports (parameters.frames) in {}/run.json", path.display())
    })?;
    let path = std::path::absolute(&path).context("cannot find the current folder")?;
    let clock = Clock::best();
    let quality = clock::measure(&clock);
    let anchors = Anchors::begin(&path, clock, quality)?;
    let rings = Rings::begin(&path);
    let has_pipes = folder.info().parameters.contains_key(PIPES_KEY);
    let wanted = Wanted { rules, follows: args.follow || has_pipes, has_pipes };
    let mut command = command(&args.program, (&library, quality), &path, &wanted);
    let ended = child::run(&mut command, |_| false);
    drop((anchors, rings));
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) => {
            drop(folder);
            if args.join.is_none() {
                place::remove_empty(&path);
            }
            let what = format!("cannot start {}", args.program[0].to_string_lossy());
            return Err(error).context(what);
        }
    };
    closing::close_and_show(folder, &ended, args)
}

/// The program that these words run, which can be traced: behind `env`, `timeout` and their like.
fn program(words: &[OsString]) -> Result<PathBuf> {
    let given = program::find(&words[0])?;
    preload::check(&given)?;
    let behind = &words[mpi_job::behind_wrappers(words)];
    let Ok(program) = program::find(behind) else { return Ok(given) };
    preload::check(&program)?;
    program::refuse_go(&program)?;
    Ok(program)
}

/// A new run.
fn begin(args: &SocketTraceArgs, program: &Path) -> Result<(PathBuf, RunFolder)> {
    let name = preload::name(Some(program), &[]);
    let rules = Rules::new(args.frame.clone())?;
    let path = place::for_run(args.out.as_deref(), &format!("{name}-trace"))?;
    let mut info = RunInfo::new(&name);
    info.transport = if args.pipes { "sockets and pipes" } else { "sockets" }.into();
    let words: Vec<_> =
        args.program.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    info.parameters.insert("program".into(), words.into());
    if args.logs_only {
        info.parameters.insert(LOGS_ONLY.into(), true.into());
    }
    if !rules.is_empty() {
        info.parameters.insert(FRAMING_KEY.into(), rules.to_string().into());
    }
    if args.pipes {
        info.parameters.insert(PIPES_KEY.into(), true.into());
    }
    let folder = RunFolder::create(&path, info)?;
    Ok((path, folder))
}

/// What the tracer is to look at.
struct Wanted {
    rules: Rules,
    /// All descendants of the program.
    follows: bool,
    has_pipes: bool,
}

/// The program with all that makes the tracer log into `run`.
fn command(
    program: &[OsString],
    (library, quality): (&Path, Quality),
    run: &Path,
    wanted: &Wanted,
) -> Command {
    let clock = CommandClock { boot_id: Machine::boot_id_here(), quality };
    let clock = serde_json::to_string(&clock).expect("plain data is JSON");
    let parent = if wanted.follows { String::new() } else { std::process::id().to_string() };
    let mut command = Command::new(&program[0]);
    match wanted.rules.is_empty() {
        true => command.env_remove(FRAMES),
        false => command.env(FRAMES, wanted.rules.to_string()),
    };
    match wanted.has_pipes {
        true => command.env(PIPES, "1"),
        false => command.env_remove(PIPES),
    };
    command
        .args(&program[1..])
        .env(RUN, run)
        .env(CLOCK, clock)
        .env(PARENT, parent)
        .env("LD_PRELOAD", preload::list(library));
    command
}
