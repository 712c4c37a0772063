//! One file a command.

mod bench;
mod doctor;
mod launch;
mod node;
mod place;
mod report;
mod tour;
mod warp;

use crate::args::{Cli, Command};

/// Do what the command line asks.
pub fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        Command::Tour(args) => tour::run(&args),
        Command::Bench(args) => bench::run(&args.workload, crate::launching::Nodes::Here),
        Command::Warp(args) => warp::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Doctor => doctor::run(),
        Command::Launch(args) => launch::run(&args),
        Command::Node(args) => node::run(&args),
    }
}
