//! One file a command.

mod bench;
mod collect;
mod compare;
mod completions;
mod doctor;
mod explain;
mod export;
mod figure;
mod launch;
mod machine;
mod man;
mod mpi;
pub mod node;
mod pager;
mod place;
mod predict;
mod report;
mod reproduce;
mod shaped;
mod story;
mod tour;
mod trace;
mod warp;

use crate::args::{Cli, Command};
use std::process::ExitCode;

/// Do what the command line asks; the exit code is the traced program's where there is one, and a
/// comparison's answer.
pub fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    match cli.command {
        Command::Mpi(args) => return mpi::run(&args),
        Command::Trace(args) => return trace::run(&args),
        Command::Compare(args) => return compare::run(&args),
        Command::Pager(args) => return pager::run(&args),
        Command::Predict(args) => return predict::run(&args),
        Command::Reproduce(args) => return reproduce::run(&args),
        Command::Tour(args) => tour::run(&args),
        Command::Bench(args) => bench::run(&args.workload),
        Command::Warp(args) => warp::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Story(args) => story::run(&args),
        Command::Collect(args) => collect::run(&args),
        Command::Machine(args) => machine::run(&args),
        Command::Figure(args) => figure::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Launch(args) => launch::run(&args),
        Command::Node(args) => node::run(&args),
        Command::Completions(args) => completions::run(args.shell),
        Command::Man(args) => man::run(&args.folder),
    }?;
    Ok(ExitCode::SUCCESS)
}
