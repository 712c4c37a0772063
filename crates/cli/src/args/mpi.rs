//! `fourstamp mpi`.

use super::StudyArgs;
use clap::{Args, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

/// `fourstamp mpi`.
#[derive(Args)]
#[command(arg_required_else_help = true)]
pub struct MpiArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: MpiCommand,
}

/// What to do with MPI.
#[derive(Subcommand)]
pub enum MpiCommand {
    /// Run an MPI program as it is and keep the four stamps of each of its messages
    Trace(TraceArgs),
    /// Ping-pong within a box and between two: the same table, trial by trial, and times by size
    Study(StudyArgs),
}

/// `fourstamp mpi trace`.
#[derive(Args)]
#[command(after_help = "\
The program needs no change and no rebuilding: a library is loaded before it (LD_PRELOAD), which
sees its MPI calls. C, C++, Fortran and Python (mpi4py) programs work, with Open MPI and with
MPICH. Use the mpirun of the MPI library that the program was built with.

The program keeps its input, output, signals and exit code; the report goes to standard error.
What is logged is written as the program runs: a run that aborts, crashes or is killed is readable
too.

Examples:
  fourstamp mpi trace -- mpirun -n 4 ./app input.txt
  fourstamp mpi trace --out runs/big -- srun -n 64 ./app
  fourstamp report runs/app-mpi-1               its page

The library travels inside fourstamp and is written to ~/.cache/fourstamp (XDG_CACHE_HOME) when it
is used. The ranks' hosts must see it there: where they share no home, copy its files beside
fourstamp or into ../lib, or let the environment variable FOURSTAMP_MPITRACE name libmpitrace.so.")]
pub struct TraceArgs {
    /// Folder for the run; must not exist yet  [default: runs/PROGRAM-mpi-1, -2, ...]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Do not print the report at the end
    #[arg(long)]
    pub no_report: bool,
    /// The command that starts the program, with its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub program: Vec<OsString>,
}
