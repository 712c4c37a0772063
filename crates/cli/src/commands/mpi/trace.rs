//! `fourstamp mpi trace`: run a program with the tracer loaded before it, close the run, show it.
//!
//! The program's standard output is its own: everything of ours goes to standard error.

mod closing;
mod launcher;
mod program;

use crate::args::TraceArgs;
use crate::child;
use crate::commands::place;
use crate::preload::{self, TRACER};
use anyhow::{Context, Result};
use launcher::Launcher;
use record::{Machine, RunFolder, RunInfo};
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Run, close, show.
pub fn run(args: &TraceArgs) -> Result<ExitCode> {
    let library = TRACER.find()?;
    let launcher = Launcher::of(&args.program)?;
    let program = program::find(&args.program, &launcher);
    if let Some(program) = &program {
        preload::check(program)?;
    }
    let name = preload::name(program.as_deref(), &args.program);
    let path = place::for_run(args.out.as_deref(), &format!("{name}-mpi"))?;
    let mut info = RunInfo::new(&name);
    info.transport = "mpi".into();
    info.topology = "full-mesh".into();
    let command: Vec<_> =
        args.program.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    info.parameters.insert("program".into(), command.into());
    let folder = RunFolder::create(&path, info)?;
    let path = std::path::absolute(&path).context("cannot find the current folder")?;
    let ended =
        match child::run(&mut command_of(&launcher, &args.program, &library, &path)?, |_| false) {
            Ok(ended) => ended,
            Err(error) => {
                drop(folder);
                place::remove_empty(&path);
                let what = format!("cannot start {}", args.program[0].to_string_lossy());
                return Err(error).context(what);
            }
        };
    closing::close_and_show(folder, &ended, args.no_report)
}

/// The command with everything that the tracer needs.
fn command_of(
    launcher: &Launcher,
    words: &[OsString],
    library: &Path,
    run: &Path,
) -> Result<Command> {
    let arguments = launcher.arguments(words, library);
    let mut command = Command::new(&words[0]);
    command
        .args(arguments)
        .env("FOURSTAMP_MPI_RUN", run)
        .env("FOURSTAMP_MPI_CLOCK", clock_facts()?);
    if launcher.preloads_by_environment(words) {
        command.env("LD_PRELOAD", launcher.preload(library));
    }
    Ok(command)
}

/// What our clock is good for: ranks on this machine need not measure it again.
fn clock_facts() -> Result<String> {
    let quality = clock::measure(&clock::Clock::best());
    let facts = serde_json::json!({ "boot_id": Machine::here().boot_id, "quality": quality });
    Ok(serde_json::to_string(&facts)?)
}
