//! Arguments of `fourstamp predict`.

use super::machine::boxed_machine;
use super::quantity;
use crate::show::ShowArgs;
use clap::Args;
use fabric::Machine;
use std::path::PathBuf;

/// `fourstamp predict`.
#[derive(Args)]
#[command(after_help = "\
The machine it was recorded on is predicted first. Where the measured time is not
what comes out, nothing is predicted: exit code 3, or --anyway.

Examples:
  fourstamp machine calibrate runs/a runs/b --out here.toml
  fourstamp predict runs/lmp --from here.toml --on gigabit-2017
  fourstamp predict runs/lmp --from here.toml --bandwidth 10x --latency 0.5x
  fourstamp predict runs/phold --from here.toml --nodes 1,2,4,8")]
pub struct PredictArgs {
    /// Run folder
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// The machine to predict it on: a file, or one of `fourstamp machine list`
    #[arg(long, value_name = "MACHINE", value_parser = boxed_machine)]
    pub on: Option<Box<Machine>>,
    /// The machine that it was recorded on, as `fourstamp machine calibrate` makes it; of a run in
    /// simulated time it is known
    #[arg(long, value_name = "MACHINE", value_parser = boxed_machine)]
    pub from: Option<Box<Machine>>,
    /// Numbers of nodes, of a simulation [default: 1, 2, 4, 8 as far as it goes, and the recorded]
    #[arg(short = 'n', long, value_name = "N,...", value_delimiter = ',',
        value_parser = quantity::nodes)]
    pub nodes: Vec<u16>,
    /// What is to be another than the machine's.
    #[command(flatten)]
    pub changes: ChangeArgs,
    /// Predict even where the recorded machine itself is not predicted well
    #[arg(long)]
    pub anyway: bool,
    /// Seed of the network's chances and of the intervals
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Write the page, with the curves, to this file
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,
    /// As data.
    #[command(flatten)]
    pub show: ShowArgs,
}

/// What is to be another than the machine's: of the one of --on, or of the one recorded on.
#[derive(Args)]
pub struct ChangeArgs {
    /// The network's bandwidth, as a multiple: 10x, 0.1x
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    pub bandwidth: Option<f64>,
    /// The network's latency, as a multiple
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    pub latency: Option<f64>,
    /// The processors' speed, as a multiple
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    pub cpu: Option<f64>,
}

impl ChangeArgs {
    /// Whether anything is.
    pub fn any(&self) -> bool {
        self.bandwidth.or(self.latency).or(self.cpu).is_some()
    }
}

fn factor(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('x').unwrap_or(text).parse::<f64>();
    let allowed = |factor: &f64| (1e-6..=1e6).contains(factor);
    number.ok().filter(allowed).ok_or_else(|| {
        "a multiple between 0.000001x and 1000000x is expected, such as 10x or 0.5x".into()
    })
}
