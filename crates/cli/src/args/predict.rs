//! Arguments of `fourstamp predict`.

use super::machine::boxed_machine;
use super::quantity;
use crate::show::ShowArgs;
use clap::Args;
use fabric::{Machine, MachineUnit};
use std::path::PathBuf;

/// `fourstamp predict`.
#[derive(Args)]
#[command(after_help = "\
The machine it was recorded on is predicted first. Where the measured time is
not what comes out, nothing is predicted: exit code 3, or --anyway.

Examples:
  fourstamp machine calibrate runs/sweep --out here.toml
  fourstamp predict runs/lmp --from here.toml --on gigabit-2017
  fourstamp predict runs/lmp-* --from here.toml --bandwidth 10x --latency 0.5x
  fourstamp predict runs/lmp --from here.toml --latency +5ms
  fourstamp predict runs/lmp --from a.toml --on b.toml --measured runs/lmp-b
  fourstamp predict runs/phold --from here.toml --nodes 1,2,4,8
  fourstamp predict runs/app-pager-1 --bandwidth 10x
  fourstamp predict runs/redis --on gigabit-2017

Of an MPI program, receives for any source or tag take what comes first there.
If the program then answers a rank that has not asked, or waits for ever, the
run is predicted as with --as-recorded, and a line says so.

Of programs that `fourstamp trace` recorded, --from may be left out: their
network is what their messages took. Programs that ran on one host get a host
each, with what they forked; --same-host keeps some of them together.

Of a run of `fourstamp pager run`, --from may be left out: its network is the
rate that was measured. The pager decides anew what it reads ahead and evicts,
unless that predicts the recorded run itself worse.")]
pub struct PredictArgs {
    /// Run folder; several are launches of one program
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// The machine to predict it on: a file, or one of `fourstamp machine list`
    #[arg(long, value_name = "MACHINE", value_parser = boxed_machine)]
    pub on: Option<Box<Machine>>,
    /// The machine that it was recorded on, as `fourstamp machine calibrate` makes it; of a run in
    /// simulated time it is known
    #[arg(long, value_name = "MACHINE", value_parser = boxed_machine)]
    pub from: Option<Box<Machine>>,
    /// A run of the same program that was measured on the machine to predict it on, to see beside
    /// what is predicted; more with further --measured
    #[arg(long, value_name = "RUN")]
    pub measured: Vec<PathBuf>,
    /// Numbers of nodes, of a simulation [default: 1, 2, 4, 8 as far as it goes, and the recorded];
    /// those of --measured as well
    #[arg(short = 'n', long, value_name = "N,...", value_delimiter = ',',
        value_parser = quantity::nodes)]
    pub nodes: Vec<u16>,
    /// What is to be another than the machine's.
    #[command(flatten)]
    pub changes: ChangeArgs,
    /// Predict a curve as well: a figure, and from which multiple to which: bandwidth=0.1x..100x;
    /// also latency, cpu
    #[arg(long, value_name = "FIGURE=FROM..TO", value_parser = curve)]
    pub curve: Option<Curve>,
    /// Write a page of it, too
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,
    /// Predict even where the recorded machine itself is not predicted well
    #[arg(long)]
    pub anyway: bool,
    /// Of an MPI program: receives for any source or tag take the messages that they took when
    /// recorded
    #[arg(long)]
    pub as_recorded: bool,
    /// Of programs traced at their sockets: nodes, by the report's numbers, that stay on one host;
    /// more with further --same-host. Where all were recorded on one, each other program is on a
    /// host of its own
    #[arg(long, value_name = "NODE,...", value_parser = nodes)]
    pub same_host: Vec<Nodes>,
    /// Seed of the network's chances and of the intervals
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
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
    /// The network's latency, as a multiple, or how much more: 0.5x, +1ms
    #[arg(long, value_name = "FACTOR|+TIME", value_parser = latency)]
    pub latency: Option<Latency>,
    /// The processors' speed, as a multiple
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    pub cpu: Option<f64>,
}

impl ChangeArgs {
    /// Each option's name with its multiple.
    pub fn named(&self) -> [(&'static str, Option<f64>); 3] {
        let latency = self.latency.and_then(|latency| match latency {
            Latency::Times(factor) => Some(factor),
            Latency::Plus { .. } => None,
        });
        let given = [self.bandwidth, latency, self.cpu];
        std::array::from_fn(|at| (CHANGEABLE[at].0, given[at]))
    }

    /// Each constant with its multiple.
    pub fn all(&self) -> [(&'static str, Option<f64>); 3] {
        std::array::from_fn(|at| (CHANGEABLE[at].1, self.named()[at].1))
    }

    /// Whether anything is.
    pub fn any(&self) -> bool {
        self.latency.is_some() || self.all().iter().any(|(_, factor)| factor.is_some())
    }
}

/// What becomes of the network's latency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Latency {
    Times(f64),
    Plus { ns: f64 },
}

/// What a curve goes along.
#[derive(Clone, Copy)]
pub struct Curve {
    /// The constant of the machine.
    pub constant: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// The least and the greatest multiple.
    pub ends: (f64, f64),
}

/// What may be changed: the option's name, and the constant's.
pub const CHANGEABLE: [(&str, &str); 3] = [
    ("bandwidth", "network.bandwidth"),
    ("latency", "network.latency"),
    ("cpu", "processor.speed"),
];

/// Nodes of a run.
#[derive(Clone)]
pub struct Nodes(pub Vec<u16>);

fn nodes(text: &str) -> Result<Nodes, String> {
    let all: Result<Vec<u16>, _> = text.split(',').map(|node| node.trim().parse()).collect();
    all.map(Nodes).map_err(|_| "numbers of nodes are expected: 0,2".into())
}

fn curve(text: &str) -> Result<Curve, String> {
    let expected = || "a figure and two multiples are expected: bandwidth=0.1x..100x".to_string();
    let (name, ends) = text.split_once('=').ok_or_else(expected)?;
    let (from, to) = ends.split_once("..").ok_or_else(expected)?;
    let ends = (factor(from)?, factor(to)?);
    let found = CHANGEABLE.into_iter().find(|(known, _)| *known == name);
    let (name, constant) = found.ok_or("the figure is bandwidth, latency or cpu")?;
    if ends.0 >= ends.1 {
        return Err("the first multiple must be the smaller one: bandwidth=0.1x..100x".into());
    }
    Ok(Curve { constant, name, ends })
}

fn latency(text: &str) -> Result<Latency, String> {
    let Some(more) = text.strip_prefix('+') else { return factor(text).map(Latency::Times) };
    let ns = MachineUnit::Time.read(more).ok().filter(|ns| (0.0..=3600e9).contains(ns));
    let expected = "a multiple or a time more is expected, such as 0.5x or +1ms";
    ns.map(|ns| Latency::Plus { ns }).ok_or_else(|| expected.into())
}

fn factor(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('x').unwrap_or(text).parse::<f64>();
    let allowed = |factor: &f64| (1e-6..=1e6).contains(factor);
    number.ok().filter(allowed).ok_or_else(|| {
        "a multiple between 0.000001x and 1000000x is expected, such as 10x or 0.5x".into()
    })
}
