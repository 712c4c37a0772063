//! Arguments of `fourstamp machine`.

use crate::show::ShowArgs;
use clap::{Args, Subcommand};
use fabric::Machine;

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
    /// Print a shipped machine's file, to change it
    Print {
        /// One of `fourstamp machine list`
        #[arg(value_name = "NAME")]
        name: String,
    },
}

/// A machine by its file or name; boxed, as it is large.
pub(super) fn boxed_machine(asked: &str) -> Result<Box<Machine>, String> {
    fabric::find_machine(asked).map(Box::new)
}
