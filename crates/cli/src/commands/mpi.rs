//! `fourstamp mpi`: one file a command.

mod study;
mod trace;

use crate::args::{MpiArgs, MpiCommand};
use anyhow::Result;
use std::process::ExitCode;

/// Do what is asked.
pub fn run(args: &MpiArgs) -> Result<ExitCode> {
    match &args.command {
        MpiCommand::Trace(args) => trace::run(args),
        MpiCommand::Study(args) => study::run(args),
    }
}
