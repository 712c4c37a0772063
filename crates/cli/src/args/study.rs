//! Arguments of `fourstamp mpi study`.

use super::quantity;
use crate::show::ShowArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// `fourstamp mpi study`.
#[derive(Args)]
#[command(after_help = "\
`pingpong` makes the trials alone, `packets` the sizes alone, each size in every trial; without \
either a few trials and one pass over the sizes.

A trial is one ping-pong of 2 integers (8 bytes) within one box and one between two, in turn. \
After the trials the size grows to --integers, 4 bytes each: powers of two, sizes half-way \
between them, and those where the time jumps, found by bisection.

The two boxes are two hosts (--hosts a,b: mpirun starts the nodes and must reach both; the first \
must see --out), or else two network namespaces on this machine, joined by a link of --rate and \
--latency. Only root can make namespaces; without them only the part within one box is measured. \
They are removed when the study ends; if it is killed, the next study removes them.

Messages go over MPI, whose library and mpirun must be installed, both within one box and between \
two; over TCP with --transport tcp; in simulated time with --on MACHINE, whose two nodes are two \
boxes.

Examples:
  fourstamp mpi study                        one box, and two at 100 Mbit/s
  fourstamp mpi study --quick --rate 1gbit   a first look
  fourstamp mpi study pingpong               2 integers, three trials
  fourstamp mpi study packets --every 1      every size to 10,000 integers
  fourstamp mpi study packets --on gigabit-2017
  fourstamp mpi study --hosts node1,node2    two hosts")]
pub struct StudyArgs {
    /// Measure this part alone  [default: both, with one pass over the sizes]
    #[arg(value_enum, value_name = "PART")]
    pub part: Option<StudyPart>,
    /// Folder for the runs, the tables and the page; must not exist yet [default: runs/study-1, -2,
    /// ...]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Trials, each within one box and between two  [default: 5; pingpong 3; packets 4; with
    /// --quick 2]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub trials: Option<u32>,
    /// Round trips in a trial, with packets of each size  [default: 10000; with --quick 500;
    /// packets 50, with --quick 10]
    #[arg(long, value_parser = clap::value_parser!(u64).range(2..))]
    pub count: Option<u64>,
    /// Largest message of the sweep, in integers of 4 bytes
    #[arg(
        long,
        default_value_t = 10_000,
        value_parser = clap::value_parser!(u32).range(2..=4_000_000)
    )]
    pub integers: u32,
    /// Every multiple of so many integers, instead of powers of two, the sizes half-way, and
    /// those that bisection finds
    #[arg(
        long,
        value_name = "INTEGERS",
        value_parser = clap::value_parser!(u32).range(1..=4_000_000),
    )]
    pub every: Option<u32>,
    /// Rate of the link between the two namespaces, e.g. 100mbit or 1gbit
    #[arg(
        long,
        default_value = "100mbit",
        value_name = "RATE",
        value_parser = rate,
        conflicts_with = "hosts"
    )]
    pub rate: u64,
    /// Delay that the link between the two namespaces adds in each direction, e.g. 1ms (needs the
    /// kernel's netem)
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, conflicts_with = "hosts")]
    pub latency: Option<Duration>,
    /// The two hosts to use as boxes
    #[arg(long, value_name = "HOST,HOST", value_delimiter = ',')]
    pub hosts: Vec<String>,
    /// What carries the messages
    #[arg(long, value_enum, default_value_t = StudyTransport::Mpi)]
    pub transport: StudyTransport,
    /// Two nodes of this machine, in simulated time: a name of `fourstamp machine list`, or a file
    #[arg(
        long,
        value_name = "MACHINE",
        conflicts_with_all = ["transport", "hosts", "rate", "latency"]
    )]
    pub on: Option<String>,
    /// Few and short measurements, for a quick look
    #[arg(long)]
    pub quick: bool,
    /// Seed of every random choice
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How it is shown: with --csv alone, the table of trials.
    #[command(flatten)]
    pub show: ShowArgs,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StudyPart {
    /// Many round trips of 2 integers: table 1.1
    Pingpong,
    /// Round trips of all sizes: graph 2.1
    Packets,
}

/// What can carry messages within a box and between two alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StudyTransport {
    /// MPI messages, over the library whose mpirun is found
    Mpi,
    /// TCP connections
    Tcp,
}

/// Bits a second: `100mbit`, `1gbit`, `500kbit`; powers of 1000, as links are sold.
pub fn rate(text: &str) -> Result<u64, String> {
    let remedy = || "write a number with kbit, mbit or gbit, e.g. 100mbit".to_string();
    let end = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(remedy)?;
    let scale = match text[end..].to_ascii_lowercase().as_str() {
        "kbit" => 1_000,
        "mbit" => 1_000_000,
        "gbit" => 1_000_000_000,
        _ => return Err(remedy()),
    };
    let number: u64 = text[..end].parse().map_err(|_| remedy())?;
    match number.checked_mul(scale) {
        Some(bits @ 10_000..=100_000_000_000) => Ok(bits),
        _ => Err("the rate of a link must be between 10kbit and 100gbit".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates() {
        assert_eq!(rate("100mbit"), Ok(100_000_000));
        assert_eq!(rate("1Gbit"), Ok(1_000_000_000));
        for wrong in [
            "100",
            "mbit",
            "fast",
            "1kbit",
            "999gbit",
            "-1mbit",
            "1.5gbit",
            "99999999999999999999gbit",
        ] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
    }
}
