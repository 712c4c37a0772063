//! `cargo xtask bench latency`, `warp`, `mpi`, `sockets` and `pager`: Fourstamp against the
//! plainest programs that do the same job; `replay`, `stamps`: by itself; `aa`: against itself.
//!
//! The launch is the unit of replication: consecutive launches of one program differ by a factor of
//! three, for reasons that last as long as the process. So every contestant runs in a fresh process
//! once a round, in an order drawn anew each round, and intervals come from drawing whole rounds
//! again.

mod alarms;
mod competition;
mod contest;
mod contestants;
mod delay_line;
mod estimate;
mod figures;
mod output;
mod paging;
mod peers;
mod prediction;
mod replaying;
mod serving;
mod simulation;
mod sockets;
mod stamps;
mod tables;
mod tracing;

use crate::workspace::Workspace;
use anyhow::{Result, ensure};
use clap::{Args, Subcommand};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What to measure.
#[derive(Subcommand, Debug)]
pub enum Bench {
    /// Message times: the first table of docs/SPECIFICATION.md.
    Latency(Options),
    /// The simulation engine: its table there.
    Warp(simulation::Options),
    /// Tracing MPI programs, and our own transport over MPI: their table there.
    Mpi(tracing::Options),
    /// Tracing programs that talk over sockets: docs/TRACE.md.
    Sockets(sockets::Options),
    /// A call of the stamper in C and in Python: docs/LIBRARY.md.
    Stamps(stamps::Options),
    /// Paging to memory servers: its table there.
    Pager(paging::Options),
    /// `fourstamp predict` over links of other rates, measured there: docs/PREDICTION.md.
    Prediction(prediction::Options),
    /// `fourstamp predict` of servers that were traced on this host, measured on a wire of another
    /// length: docs/PREDICTION.md.
    Serving(serving::Options),
    /// Playing programs on machines, as `fourstamp predict` does: docs/PREDICTION.md.
    Replay(replaying::Options),
    /// `fourstamp compare` on real runs that do not differ: its false alarms.
    Aa(alarms::Options),
}

/// How to measure.
#[derive(Args, Debug)]
pub struct Options {
    /// Rounds: fresh processes of each contestant.
    #[arg(long, default_value_t = 10)]
    launches: usize,
    /// Orders the contestants within each round and draws the intervals.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Messages (round trips for ping-pong) a launch; a tenth of it over TCP.
    #[arg(long, default_value_t = 200_000)]
    count: u64,
    /// Messages in the run that the report and DuckDB read; 0 leaves that comparison out.
    #[arg(long, default_value_t = 100_000_000)]
    messages: u64,
    /// Only these figures, by name.
    #[arg(long, value_name = "FIGURE", value_delimiter = ',')]
    only: Vec<String>,
    /// A `fourstamp` to measure instead of this checkout's release build.
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Print every launch as CSV instead of the tables.
    #[arg(long, conflicts_with = "markdown")]
    csv: bool,
    /// Print the tables as Markdown.
    #[arg(long)]
    markdown: bool,
}

/// Runs a benchmark and prints its tables.
pub fn run(workspace: &Workspace, bench: Bench) -> Result<()> {
    match bench {
        Bench::Latency(options) => latency(workspace, &options),
        Bench::Warp(options) => simulation::run(workspace, &options),
        Bench::Mpi(options) => tracing::run(workspace, &options),
        Bench::Sockets(options) => sockets::run(workspace, &options),
        Bench::Stamps(options) => stamps::run(workspace, &options),
        Bench::Pager(options) => paging::run(workspace, &options),
        Bench::Prediction(options) => prediction::run(workspace, &options),
        Bench::Serving(options) => serving::run(workspace, &options),
        Bench::Replay(options) => replaying::run(workspace, &options),
        Bench::Aa(options) => alarms::run(workspace, &options),
    }
}

fn latency(workspace: &Workspace, options: &Options) -> Result<()> {
    ensure!(options.launches > 0, "--launches wants at least one");
    let figures = figures::choose(&options.only, options.messages > 0)?;
    let wanted: BTreeSet<&str> =
        figures.iter().flat_map(|figure| [figure.ours, figure.peer]).collect();
    let (contestants, skipped) = contestants::prepare(workspace, options, &wanted)?;
    let results = contest::run(&contestants, options.launches, options.seed);
    let style = tables::Style { csv: options.csv, markdown: options.markdown };
    print!("{}", tables::contestants(&results, &skipped, style));
    if !options.csv {
        print!("\n{}", tables::figures(&figures, &results, options.seed, style));
    }
    Ok(())
}
