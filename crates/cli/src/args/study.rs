//! Arguments of `fourstamp mpi study`.

use super::quantity;
use crate::show::ShowArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// `fourstamp mpi study`.
#[derive(Args)]
#[command(after_help = "\
A trial is one ping-pong of 2 integers (8 bytes) within one box and one between two, in turn. \
After the trials the size grows to --integers, 4 bytes each: powers of two, sizes half-way \
between them, and those where the time jumps, found by bisection.

The two boxes are two hosts (--hosts a,b: mpirun starts the nodes and must reach both; the first \
must see --out), or else two network namespaces on this machine, joined by a link of --rate and \
--latency. Only root can make namespaces; without them only the part within one box is measured. \
They are removed when the study ends; if it is killed, the next study removes them.

Messages go over MPI if its library and mpirun are installed, else over TCP, \
both within one box and between two.

Examples:
  fourstamp mpi study                        one box, and two at 100 Mbit/s
  fourstamp mpi study --quick --rate 1gbit   a first look
  fourstamp mpi study --hosts node1,node2    two hosts")]
pub struct StudyArgs {
    /// Folder for the runs, the tables and the page; must not exist yet [default: runs/study-1, -2,
    /// ...]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Trials, each within one box and between two  [default: 5; with --quick 2]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub trials: Option<u32>,
    /// Round trips in a trial  [default: 10000; with --quick 500]
    #[arg(long, value_parser = clap::value_parser!(u64).range(2..))]
    pub count: Option<u64>,
    /// Largest message of the sweep, in integers of 4 bytes
    #[arg(
        long,
        default_value_t = 10_000,
        value_parser = clap::value_parser!(u32).range(2..=4_000_000)
    )]
    pub integers: u32,
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
    /// What carries the messages  [default: mpi if installed, else tcp]
    #[arg(long, value_enum)]
    pub transport: Option<StudyTransport>,
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
