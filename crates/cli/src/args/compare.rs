//! Arguments of `fourstamp compare`.

use super::FilterArgs;
use crate::show::ShowArgs;
use clap::{Args, ValueEnum};
use stats::compare::{Condition, Figure, Measured};
use std::path::PathBuf;

/// `fourstamp compare`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  fourstamp compare runs/before runs/after
  fourstamp compare runs/before runs/after --fail-if 'p99 > +5%'     for CI
  fourstamp compare --a a1 --b b1 --a a2 --b b2    several runs of each, in turn
  fourstamp compare runs/tcp runs/shm runs/udp    which is fastest?
  fourstamp compare runs/* --reference runs/tcp   each with one of them
  fourstamp compare --trend runs                  a folder's runs by their start
  fourstamp compare --trend runs --fail-if 'p99 > +5%'   newest against earlier

Two runs or more are compared launch by launch: bench each with --launches 5 or
more. With --trend, the newest run is compared with earlier runs as these differ
from each other.

Exit codes: 0 compared, and no condition holds; 1 a condition holds; 2 bad
input; 3 with --strict, a condition that cannot be decided (otherwise that is a
warning).")]
pub struct CompareArgs {
    /// The runs: A, then B; or up to 20; with --trend, runs or folders of runs
    #[arg(
        value_name = "RUN",
        required_unless_present = "a",
        conflicts_with_all = ["a", "b"]
    )]
    pub runs: Vec<PathBuf>,
    /// Several runs.
    #[command(flatten)]
    pub many: ManyArgs,
    /// A run of A, when A is several
    #[arg(long, value_name = "RUN", requires = "b")]
    pub a: Vec<PathBuf>,
    /// A run of B, when B is several
    #[arg(long, value_name = "RUN", requires = "a")]
    pub b: Vec<PathBuf>,
    /// Fail if B differs from A in this way: p50, p99.9, ... or mean, > or <, a part or a time, as
    /// 'p99 > +5%'
    #[arg(long, value_name = "CONDITION", value_parser = Condition::parse)]
    pub fail_if: Vec<Condition>,
    /// Fail, with exit code 3, also when a condition cannot be decided
    #[arg(long, requires = "fail_if")]
    pub strict: bool,
    /// What to compare  [default: end-to-end; cycle where a run has nothing else]
    #[arg(long, value_enum)]
    pub stage: Option<StageArg>,
    /// Differences smaller than this do not matter
    #[arg(long, default_value = "2%", value_name = "PART", value_parser = percent)]
    pub least: f64,
    /// How sure a verdict must be, from 50% to 99.99%
    #[arg(long, default_value = "95%", value_name = "PART", value_parser = confidence)]
    pub confidence: f64,
    /// Write the comparison as a page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// How it is shown.
    #[command(flatten)]
    pub show: ShowArgs,
    /// Seed of the bootstrap
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Which messages.
    #[command(flatten)]
    pub messages: FilterArgs,
}

/// How more runs than two are compared.
#[derive(Args)]
pub struct ManyArgs {
    /// Take the runs as a series in the order of their starts: what changed, and since when?
    #[arg(long, conflicts_with_all = ["a", "b"])]
    pub trend: bool,
    /// With --trend: compare the newest run with so many before it
    #[arg(
        long,
        value_name = "N",
        requires = "trend",
        default_value_t = 10,
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    pub last: u16,
    /// The run that all others are compared with  [default: each with each; with --trend the first]
    #[arg(long, value_name = "RUN", conflicts_with_all = ["a", "b"])]
    pub reference: Option<PathBuf>,
    /// The figure that several runs are compared by: p50, p99.9, ... or mean  [default: p50]
    #[arg(
        long,
        value_name = "FIGURE",
        value_parser = Figure::parse,
        conflicts_with_all = ["a", "b"]
    )]
    pub figure: Option<Figure>,
}

/// What to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StageArg {
    /// From ready to taken
    EndToEnd,
    /// From ready to sent
    SendWait,
    /// From sent to arrived
    Transit,
    /// From arrived to taken
    ReceiveWait,
    /// Round trips, relay rounds
    Cycle,
}

impl From<StageArg> for Measured {
    fn from(stage: StageArg) -> Measured {
        match stage {
            StageArg::EndToEnd => Measured::EndToEnd,
            StageArg::SendWait => Measured::SendWait,
            StageArg::Transit => Measured::Transit,
            StageArg::ReceiveWait => Measured::ReceiveWait,
            StageArg::Cycle => Measured::Cycle,
        }
    }
}

/// `2%`, `0.5 %`; from 0 to 100.
fn percent(text: &str) -> Result<f64, String> {
    let number =
        text.trim().strip_suffix('%').and_then(|number| number.trim_end().parse::<f64>().ok());
    let number = number.filter(|percent| (0.0..=100.0).contains(percent));
    number
        .map(|percent| percent / 100.0)
        .ok_or_else(|| "write a share from 0% to 100%, e.g. 2%".to_owned())
}

fn confidence(text: &str) -> Result<f64, String> {
    let part = percent(text).ok().filter(|part| (0.5..=0.9999).contains(part));
    part.ok_or_else(|| "write a level from 50% to 99.99%, e.g. 95%".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        assert_eq!(percent("2%"), Ok(0.02));
        assert_eq!(percent("0.5 %"), Ok(0.005));
        for wrong in ["2", "%", "-1%", "101%", "NaN%"] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
        assert_eq!(confidence("99%"), Ok(0.99));
        assert!(confidence("100%").is_err() && confidence("20%").is_err());
    }
}
