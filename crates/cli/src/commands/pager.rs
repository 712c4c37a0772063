//! `fourstamp pager`: one file a command.

mod arithmetic;
mod run;
mod serve;
mod study;
mod swap;

use crate::args::{PagerArgs, PagerCommand};
use anyhow::Result;
use std::process::ExitCode;

/// Do what is asked.
pub fn run(args: &PagerArgs) -> Result<ExitCode> {
    match &args.command {
        PagerCommand::Run(args) => run::run(args),
        PagerCommand::Serve(args) => serve::run(args).map(|()| ExitCode::SUCCESS),
        PagerCommand::Key(args) => serve::key(args).map(|()| ExitCode::SUCCESS),
        PagerCommand::Study(args) => study::run(args).map(|()| ExitCode::SUCCESS),
        PagerCommand::Arithmetic(args) => arithmetic::run(args).map(|()| ExitCode::SUCCESS),
        PagerCommand::Swap(args) => swap::run(args),
    }
}
