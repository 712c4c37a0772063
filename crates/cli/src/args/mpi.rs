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
    /// Run an unmodified MPI program and record the four stamps of each message
    Trace(TraceArgs),
    /// Ping-pong within one box and between two: a table of trials, and times by size
    Study(StudyArgs),
}

/// `fourstamp mpi trace`.
#[derive(Args)]
#[command(after_help = "\
The program needs no change and no rebuilding: a library is loaded before it (LD_PRELOAD), which \
sees its MPI calls. C, C++, Fortran and Python (mpi4py) programs work, with Open MPI and with \
MPICH. Use the mpirun of the MPI library that the program was built with.

The program keeps its input, output, signals and exit code; the report goes to standard error. \
The log is written while the program runs, so a run that aborts, crashes or is killed can be read \
too.

Examples:
  fourstamp mpi trace -- mpirun -n 4 ./app input.txt
  fourstamp mpi trace --out runs/big -- srun -n 64 ./app
  fourstamp report runs/app-mpi-1               its page

Ranks whose host does not see the run's folder keep their logs there until `fourstamp collect` \
fetches them.

The library is part of fourstamp and is written to ~/.cache/fourstamp (XDG_CACHE_HOME) when it is \
used. The hosts of the ranks must see it there. If they share no home folder, copy its files \
beside fourstamp or into ../lib, or set the environment variable FOURSTAMP_MPITRACE to the path \
of libmpitrace.so.")]
pub struct TraceArgs {
    /// Folder for the run; must not exist yet  [default: runs/PROGRAM-mpi-1, -2, ...]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Do not print the report at the end
    #[arg(long)]
    pub no_report: bool,
    /// Leave the ranks' logs as they are, for a job of its own to match: see
    /// `fourstamp report --shards`
    #[arg(long, conflicts_with = "no_report")]
    pub logs_only: bool,
    /// The command that starts the program, with its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub program: Vec<OsString>,
}
