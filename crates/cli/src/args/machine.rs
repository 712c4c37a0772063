//! Arguments of `fourstamp machine`.

use crate::show::ShowArgs;
use clap::{Args, Subcommand};
use fabric::Machine;
use std::path::PathBuf;

/// `fourstamp machine`.
#[derive(Args)]
#[command(after_help = "\
A machine is a file: nodes, how they are linked, and what each step costs. With
--on, programs of bench and warp run on it in simulated time, the same to the
last stamp each time.

Examples:
  fourstamp machine list                  those that come with Fourstamp
  fourstamp machine show mark3            its figures, and how each is known
  fourstamp machine show my.toml          the same of a file, or what is wrong
  fourstamp machine calibrate runs/*      a file of this machine, from its runs
  fourstamp machine check my.toml runs/a  simulated beside measured
  fourstamp bench pingpong --on mark3     round trips of 1988
  fourstamp warp phold -n 16 --on mark3   a speed-up of 1988")]
pub struct MachineArgs {
    /// What of machines.
    #[command(subcommand)]
    pub command: MachineCommand,
}

/// What of machines.
#[derive(Subcommand)]
pub enum MachineCommand {
    /// Name the machines that come with Fourstamp
    List {
        #[command(flatten)]
        show: ShowArgs,
    },
    /// Show what a machine's file says, and how each figure is known
    Show {
        /// A file, or one of `fourstamp machine list`
        #[arg(value_name = "MACHINE", value_parser = boxed_machine)]
        machine: Box<Machine>,
        #[command(flatten)]
        show: ShowArgs,
    },
    /// Make a machine's file from recorded benchmarks
    Calibrate(CalibrateArgs),
    /// Run recorded benchmarks on a machine in simulated time, and compare
    Check(MachineCheckArgs),
    /// Print a shipped machine's file, to change it
    Print {
        /// One of `fourstamp machine list`
        #[arg(value_name = "NAME")]
        name: String,
    },
}

/// `fourstamp machine calibrate`.
#[derive(Args)]
#[command(after_help = "\
Round trips come first: half of each, by size, is what all parts add up to.
A sweep gives them; a burst or a stream tells sending from latency. Each figure
has its interval and says of what it was taken; what the runs cannot tell is
said, with the benchmark that would.

Examples:
  fourstamp bench sweep --transport tcp --out runs/sweep
  fourstamp bench stream --transport tcp --out runs/stream
  fourstamp machine calibrate runs/sweep runs/stream --out here.toml
  fourstamp bench relay --on here.toml")]
pub struct CalibrateArgs {
    /// Runs of `fourstamp bench` sweep, pingpong, stream, burst or relay, over one transport
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// File to write; it must not exist [default: print it]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// What to call it [default: by its transport]
    #[arg(long)]
    pub name: Option<String>,
    /// Seed of the resamples that intervals come from
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// `fourstamp machine check`.
#[derive(Args)]
#[command(after_help = "\
Runs that the machine was not made of say most: another size, a relay.

Example:
  fourstamp machine check here.toml runs/pingpong-tcp-1 runs/relay-tcp-1")]
pub struct MachineCheckArgs {
    /// A file, or one of `fourstamp machine list`
    #[arg(value_name = "MACHINE", value_parser = boxed_machine)]
    pub machine: Box<Machine>,
    /// Runs of `fourstamp bench`
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    #[command(flatten)]
    pub show: ShowArgs,
}

/// A machine by its file or name; boxed, as it is large.
pub(super) fn boxed_machine(asked: &str) -> Result<Box<Machine>, String> {
    fabric::find_machine(asked).map(Box::new)
}
