//! `fourstamp mpi trace`: run a program with the tracer loaded before it, close the run, show it.
//!
//! The program's standard output is its own: everything of ours goes to standard error.

mod closing;
mod started;

use crate::args::TraceArgs;
use crate::child;
use crate::commands::place;
use crate::job::LaunchedJob;
use crate::preload::{self, TRACER};
use anyhow::{Context, Result, bail};
use mpi_job::Job;
use record::{RunFolder, RunInfo};
use started::Started;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Run, close, show.
pub fn run(args: &TraceArgs) -> Result<ExitCode> {
    let library = TRACER.find()?;
    let job = Job::of(&args.program)?;
    let program = job.program();
    let launcher = launcher(program.as_deref(), &args.program);
    if let (None, Some(rank)) = (&launcher, LaunchedJob::here()) {
        return inside_out(&rank, &args.program);
    }
    if let Some(program) = &program {
        preload::check(program)?;
    }
    let name = preload::name(program.as_deref(), &args.program);
    let path = place::for_run(args.out.as_deref(), &format!("{name}-mpi"))?;
    let mut info = RunInfo::new(&name);
    info.transport = "mpi".into();
    let command: Vec<_> =
        args.program.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    info.parameters.insert("program".into(), command.into());
    let id = info.id.unwrap_or_default();
    info.id = Some(id);
    let folder = RunFolder::create(&path, info)?;
    let path = std::path::absolute(&path).context("cannot find the current folder")?;
    let started = Started::watch(program.as_deref());
    let ended = match child::run(&mut job.command(&library, &path, id), |_| false) {
        Ok(ended) => ended,
        Err(error) => {
            drop(folder);
            place::remove_empty(&path);
            let what = format!("cannot start {}", args.program[0].to_string_lossy());
            return Err(error).context(what);
        }
    };
    let failed = launcher.filter(|_| !ended.success() && started.never());
    if args.logs_only {
        return closing::leave(folder, &ended, failed.as_deref());
    }
    closing::close_and_show(folder, &ended, failed.as_deref(), args.no_report)
}

/// The name of the launcher, where the command is one: the ranks then run another program.
fn launcher(program: Option<&Path>, words: &[OsString]) -> Option<String> {
    let first = Path::new(words.first()?).file_name()?;
    let is_launcher = program?.file_name() != Some(first);
    is_launcher.then(|| first.to_string_lossy().into_owned())
}

/// The launcher has started us instead of the program: every rank would trace a job of its own.
/// Rank 0 says it; the others end well, so that no launcher kills rank 0 before.
fn inside_out(job: &LaunchedJob, program: &[OsString]) -> Result<ExitCode> {
    if job.rank > 0 {
        return Ok(ExitCode::SUCCESS);
    }
    let program: Vec<_> = program.iter().map(|word| word.to_string_lossy()).collect();
    bail!(
        "the launcher started {} copies of fourstamp mpi trace; trace the launcher instead: \
        fourstamp mpi trace -- mpirun -n {} {} (or srun, with the options that you gave it)",
        job.ranks,
        job.ranks,
        program.join(" ")
    )
}
