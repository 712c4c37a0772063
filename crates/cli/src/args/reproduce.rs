//! Arguments of `fourstamp reproduce`.

use super::machine::boxed_machine;
use crate::show::ShowArgs;
use clap::Args;
use fabric::Machine;
use reproduce::Scale;
use std::path::PathBuf;

/// `fourstamp reproduce`.
#[derive(Args)]
#[command(after_help = "\
The five documents that Fourstamp comes from: 000 Time Warp messages on a
hypercube (1988), 001 Time Warp on Suns (1991), 002 Myrinet (2003), 003 MPI
ping-pong (2017), 004 a remote-memory pager (1996).

Examples:
  fourstamp reproduce --list            what there is, its time and needs
  fourstamp reproduce 000/A-1           one figure, with the runs it needs
  fourstamp reproduce 000 --both        a document, here and on its machine
  fourstamp reproduce --quick           all of it in two minutes
  fourstamp reproduce --from runs/reproduce-1 --csv=verdicts
  fourstamp reproduce --strict          for scripts: does anything not hold?

Exit code with --strict: 1 when a statement does not hold, else 3 when one is
undecided. A statement is decided by the 99 % interval between launches.")]
pub struct ReproduceArgs {
    /// Documents (000) or their figures, tables and claims (000/A-1) [default: all]
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// List what there is instead, with its runs, their time and what they need
    #[arg(long)]
    pub list: bool,
    /// Sizes for a look, two minutes for all: most statements stay undecided
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// Sizes and launches as in the documents
    #[arg(long)]
    pub full: bool,
    /// Measure on this machine only
    #[arg(long, conflicts_with_all = ["on", "both"])]
    pub here: bool,
    /// Simulate this machine only, instead of the document's: a file, or one of `fourstamp machine
    /// list`
    #[arg(long, value_name = "MACHINE", value_parser = named_machine, conflicts_with = "both")]
    pub on: Option<String>,
    /// Measure here and simulate the document's machine (the default)
    #[arg(long)]
    pub both: bool,
    /// Launches of each run on this machine [default: as the run needs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub launches: Option<u32>,
    /// Folder for runs, figures and the page; must not exist yet [default: runs/reproduce-1, -2,
    /// ...]
    #[arg(long, value_name = "DIR", conflicts_with = "from")]
    pub out: Option<PathBuf>,
    /// Judge the runs of this folder again, and make none
    #[arg(long, value_name = "DIR", conflicts_with_all = ["quick", "full", "here", "on", "both",
        "launches", "data"])]
    pub from: Option<PathBuf>,
    /// The models' original data, which do not come with Fourstamp
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Exit with 1 when a statement does not hold, with 3 when one is undecided
    #[arg(long)]
    pub strict: bool,
    /// In which form.
    #[command(flatten)]
    pub show: ShowArgs,
}

impl ReproduceArgs {
    /// How much is measured.
    pub fn scale(&self) -> Scale {
        match (self.quick, self.full) {
            (true, _) => Scale::Quick,
            (_, true) => Scale::Full,
            _ => Scale::Usual,
        }
    }
}

/// The name of a machine that there is.
fn named_machine(text: &str) -> Result<String, String> {
    boxed_machine(text).map(|_: Box<Machine>| text.to_owned())
}
