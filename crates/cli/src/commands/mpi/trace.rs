//! `fourstamp mpi trace`: run a program with the tracer loaded before it, close the run, show it.
//!
//! The program's standard output is its own: everything of ours goes to standard error.

mod closing;

use crate::args::TraceArgs;
use crate::child;
use crate::commands::place;
use crate::preload::{self, TRACER};
use anyhow::{Context, Result};
use mpi_job::Job;
use record::{RunFolder, RunInfo};
use std::process::ExitCode;

/// Run, close, show.
pub fn run(args: &TraceArgs) -> Result<ExitCode> {
    let library = TRACER.find()?;
    let job = Job::of(&args.program)?;
    let program = job.program();
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
    let ended = match child::run(&mut job.command(&library, &path), |_| false) {
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
