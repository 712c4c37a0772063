//! Arguments of `fourstamp warp`.

use super::engine::EngineArgs;
use super::quantity;
use super::{RecordTo, Topology, Transport, WhenFull};
use clap::{Args, Subcommand};
use models::Undoing;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// `fourstamp warp`.
#[derive(Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Results never depend on the number of nodes, on what carries the messages, or on how the engine
works: --check proves it by running the sequential engine too.

Examples:
  fourstamp warp phold --check                 two threads, then the sequential engine
  fourstamp warp phold --nodes 4 --transport shm --out runs/p
  mpirun -n 4 fourstamp warp phold --transport mpi --out runs/q
  fourstamp report runs/p                      where the time of that run's messages went
  fourstamp warp warpnet --data DIR --counts counts.csv --trace trace.csv
  fourstamp warp ping --seq                    the sequential engine alone

`fourstamp warp phold --help` lists everything that can be set."
)]
pub struct WarpArgs {
    /// Which model.
    #[command(subcommand)]
    pub model: ModelArgs,
}

/// Which model.
#[derive(Subcommand)]
pub enum ModelArgs {
    /// Two objects that return one message to each other: the cost of a message and an event
    Ping {
        /// Simtime from which an event sends nothing
        #[arg(long, default_value_t = 2500.0, help_heading = "Model")]
        stop: f64,
        #[command(flatten)]
        common: WarpCommon,
    },
    /// PHOLD, the synthetic load with which simulation engines are compared
    Phold {
        #[command(flatten)]
        phold: PholdArgs,
        #[command(flatten)]
        common: WarpCommon,
    },
    /// A packet-switched network whose nodes each have their own, possibly stale, picture of it
    Warpnet {
        #[command(flatten)]
        warpnet: WarpnetArgs,
        #[command(flatten)]
        common: WarpCommon,
    },
    /// An object that runs ahead, is called off, and has a message wait while that is cancelled: for `fourstamp story`
    Diary {
        #[command(flatten)]
        diary: DiaryArgs,
        #[command(flatten)]
        common: WarpCommon,
    },
    /// Whatever else was written: named in an error.
    #[command(external_subcommand)]
    Unknown(Vec<OsString>),
}

/// Parameters of PHOLD.
#[derive(Args)]
#[command(next_help_heading = "Model")]
pub struct PholdArgs {
    /// Objects
    #[arg(long, default_value_t = 2048)]
    pub objects: u32,
    /// Messages that each object begins with
    #[arg(long, default_value_t = 1)]
    pub start: u32,
    /// Probability that a message goes to another group, 0 to 1
    #[arg(long, default_value_t = 0.25)]
    pub remote: f64,
    /// Mean of the exponential part of a delay, simtime
    #[arg(long, default_value_t = 0.9)]
    pub mean: f64,
    /// Least delay, simtime
    #[arg(long, default_value_t = 0.1)]
    pub lookahead: f64,
    /// Groups of neighbours; with one, a remote message goes to any other object
    #[arg(long, default_value_t = 1)]
    pub groups: u32,
    /// Work in each event, µs on this machine (measured at the start; the number of steps is in the run's parameters)
    #[arg(long, value_name = "US", default_value_t = 0.0, conflicts_with = "work_steps")]
    pub work: f64,
    /// The same as steps of a loop: the same work on every machine
    #[arg(long, value_name = "STEPS", default_value_t = 0)]
    pub work_steps: u32,
    /// How an object's past is kept: copy, records, snapshots:K
    #[arg(long, default_value = "copy", value_parser = undoing)]
    pub undo: Undoing,
    /// Seed of every random number
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Parameters of Diary.
#[derive(Args)]
#[command(next_help_heading = "Model")]
pub struct DiaryArgs {
    /// Days that the diary runs ahead before it is called off
    #[arg(long, default_value_t = 64)]
    pub days: u32,
    /// Notes that the caller sends it afterwards
    #[arg(long, default_value_t = 1)]
    pub notes: u32,
    /// Work to write a page, and to take it back, µs on this machine
    #[arg(long, value_name = "US", default_value_t = 6000.0, conflicts_with = "work_steps")]
    pub work: f64,
    /// The same as steps of a loop: the same work on every machine
    #[arg(long, value_name = "STEPS")]
    pub work_steps: Option<u32>,
}

/// Parameters of Warpnet.
#[derive(Args)]
#[command(next_help_heading = "Model")]
pub struct WarpnetArgs {
    /// Folder with warpnet_nodes.csv and warpnet_lines.csv  [default: a network drawn from the seed]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Packets that each network node creates
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub packets_per_node: u32,
    /// Network nodes that an update describes
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub update_nodes: u32,
    /// Size of the network drawn
    #[arg(long, value_name = "N", default_value_t = 137, conflicts_with = "data")]
    pub network_nodes: u32,
    /// Seed of the network drawn
    #[arg(long, default_value_t = 1, conflicts_with = "data")]
    pub seed: u64,
}

/// What every model takes.
#[derive(Args, Clone)]
#[command(next_help_heading = "Run")]
pub struct WarpCommon {
    /// Nodes  [default: 2; in a job of mpirun or srun its ranks]
    #[arg(short = 'n', long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub nodes: Option<u16>,
    /// What carries the messages  [default: thread; in a job of mpirun or srun mpi if built in, else tcp]
    #[arg(long, value_enum)]
    pub transport: Option<Transport>,
    /// Who is linked with whom
    #[arg(long, value_enum, default_value_t = Topology::Mesh)]
    pub topology: Topology,
    /// Largest packet on a hypercube
    #[arg(long, default_value = "1K", value_name = "BYTES", value_parser = quantity::bytes)]
    pub packet: usize,
    /// Run the sequential engine alone
    #[arg(long, conflicts_with_all = ["check", "nodes", "transport", "topology"])]
    pub seq: bool,
    /// Run the sequential engine too and compare
    #[arg(long)]
    pub check: bool,
    /// Simtime beyond which nothing is sent  [default: none; phold 1000]
    #[arg(long, value_name = "T", value_parser = simtime, allow_negative_numbers = true)]
    pub cutoff: Option<f64>,
    /// Write committed counts per object here, as CSV
    #[arg(long, value_name = "FILE")]
    pub counts: Option<PathBuf>,
    /// Write all committed events here, as CSV
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Print the result as CSV, a line of names and a line of values
    #[arg(long)]
    pub csv: bool,
    /// Record every message, rollback and GVT round into this run folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The same into runs/MODEL-TRANSPORT-1, -2, ...
    #[arg(long)]
    pub record: bool,
    /// Keep rows in memory and write them afterwards, or stream them to disk
    #[arg(long, value_enum, default_value_t = RecordTo::Stream)]
    pub record_to: RecordTo,
    /// What happens when a record buffer is full: wait until there is room, or drop rows and count them
    #[arg(long, value_enum, default_value_t = WhenFull::Block)]
    pub when_full: WhenFull,
    /// Pin nodes to cores
    #[arg(long)]
    pub pin: bool,
    /// A peer that says nothing for so long is given up
    #[arg(long, default_value = "10s", value_name = "TIME", value_parser = quantity::duration)]
    pub peer_timeout: Duration,
    #[command(flatten)]
    pub engine: EngineArgs,
}

fn undoing(text: &str) -> Result<Undoing, String> {
    text.parse().map_err(|error: models::ModelError| error.to_string())
}

fn simtime(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(time) if time.is_finite() => Ok(time),
        _ => Err("write a number, as 250 or 0.5".into()),
    }
}
