//! Arguments of `fourstamp pager study`.

use crate::args::{quantity, study::rate};
use crate::show::ShowArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `fourstamp pager study`.
#[derive(Args)]
#[command(after_help = "\
The alternatives, each in fresh processes, one launch of each in turn:
  all memory     the program alone
  kernel swap    the program under a memory cgroup, swapping to a file made for
                 it (root)
  disk           paged to the local disk
  no parity      paged to memory servers on this machine, one copy of each page
  parity log     the same, with parity logging
  RATE           parity logging again, to servers in a network namespace behind
                 a link of that rate (root), beside what is predicted from
                 the run over the fastest link

What is not possible here is left out, and the study says why. Namespaces, cgroup and swap file \
are removed when the study ends; if it is killed, the next study removes them.

The programs are examples of this project. One that does not lie beside fourstamp is built with \
rustc, from sources that fourstamp carries.

Examples:
  fourstamp pager study fft          64 MiB of data, 16 MiB of it local
  fourstamp pager study fft --sizes 24M,64M --networks 10mbit,100mbit,1gbit
  fourstamp pager study gauss --sizes 32M --only all-memory,swap,parity-log")]
pub struct PagerStudyArgs {
    /// The program
    #[arg(value_enum)]
    pub program: StudyProgram,
    /// Folder for the runs, the tables and the page; must not exist yet [default: runs/study-1, -2,
    /// ...]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Bytes of data
    #[arg(
        long,
        value_name = "SIZE,...",
        value_delimiter = ',',
        default_value = "64M",
        value_parser = quantity::bytes
    )]
    pub sizes: Vec<usize>,
    /// Local memory for the program  [default: a quarter of its data]
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes)]
    pub local: Option<usize>,
    /// Rates of the links
    #[arg(
        long,
        value_name = "RATE,...",
        value_delimiter = ',',
        default_value = "100mbit,1gbit",
        value_parser = rate
    )]
    pub networks: Vec<u64>,
    /// Memory servers, besides the one for parity
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub servers: u32,
    /// Do each unit of computing so often, with the same result: a slower processor
    #[arg(
        long,
        value_name = "FACTOR",
        default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=10_000_000)
    )]
    pub slow: u32,
    /// Launches of each alternative
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub launches: u32,
    /// Only these alternatives
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_enum)]
    pub only: Vec<StudyAlternative>,
    /// The program's file  [default: beside fourstamp, or in the folder examples there; else it is
    /// built]
    #[arg(long, value_name = "FILE")]
    pub program_file: Option<PathBuf>,
    /// How it is shown: with --csv alone, the alternatives; parts, launches, predictions.
    #[command(flatten)]
    pub show: ShowArgs,
}

/// Programs that check their own results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StudyProgram {
    /// A Fourier transform there and back
    Fft,
    /// A matrix times vectors
    Mvec,
    /// Linear equations, solved by elimination
    Gauss,
    /// Keys sorted by quicksort
    Qsort,
    /// An image smoothed in two passes
    Filter,
}

impl StudyProgram {
    /// The name of its file.
    pub fn name(self) -> &'static str {
        match self {
            StudyProgram::Fft => "fft",
            StudyProgram::Mvec => "mvec",
            StudyProgram::Gauss => "gauss",
            StudyProgram::Qsort => "qsort",
            StudyProgram::Filter => "filter",
        }
    }
}

/// Kinds of alternatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StudyAlternative {
    /// The program alone
    AllMemory,
    /// The kernel's swap
    Swap,
    /// Paged to the local disk
    Disk,
    /// Memory servers, with one copy of each page
    NoParity,
    /// Memory servers, with parity logging
    ParityLog,
    /// The same over links of given rates
    Networks,
}
