//! Arguments of `fourstamp warp`.

use super::engine::EngineArgs;
use super::quantity;
use super::transport::{Transport, transport};
use super::warp_study::WarpStudyArgs;
use super::{RecordTo, Topology, WhenFull};
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
  fourstamp warp slooow --config 1988.cfg      options from a configuration file
  fourstamp warp study phold --nodes 1,2,4     how run time and speed-up go with the nodes

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
    /// Discs that collide on a table: short events that predict, and call off what they predicted
    Pucks {
        #[command(flatten)]
        pucks: PucksArgs,
        #[command(flatten)]
        common: WarpCommon,
    },
    /// A battle along a front: two sides' corps and divisions meet, fight on and report
    Stb88 {
        #[command(flatten)]
        stb88: Stb88Args,
        #[command(flatten)]
        common: WarpCommon,
    },
    /// CTLS-like, our reconstruction: the rules of stb88 with 960 divisions, for 32 nodes on a
    /// hypercube
    #[command(after_help = "\
Of CTLS little is known but its size: over 65,000 messages on 32 nodes, over 50,000 between nodes,
and an object red_div22. This is a reconstruction of ours on the rules of stb88, not the program of
1988; its results are its own.

The pair of runs of 1988:
  fourstamp warp ctls --nodes 32 --topology hypercube --placement round-robin --max-acks 20 \\
    --plimit 50 --reward 1 --penalty 2 --out runs/ctls-20
  fourstamp warp ctls --nodes 32 --topology hypercube --placement round-robin --max-acks 2 \\
    --out runs/ctls-2
  fourstamp compare runs/ctls-20 runs/ctls-2")]
    Ctls {
        #[command(flatten)]
        ctls: CtlsArgs,
        #[command(flatten)]
        common: WarpCommon,
    },
    /// Slooow-like, a reconstruction of ours of a benchmark of 1988: an object a node with much for
    /// GVT to collect
    Slooow {
        #[command(flatten)]
        slooow: SlooowArgs,
        #[command(flatten)]
        common: WarpCommon,
    },
    /// An object that runs ahead, is called off, and has a message wait while that is cancelled:
    /// for `fourstamp story`
    Diary {
        #[command(flatten)]
        diary: DiaryArgs,
        #[command(flatten)]
        common: WarpCommon,
    },
    /// Measure a model in order and on several numbers of nodes: run time, speed-up, efficiency
    Study(WarpStudyArgs),
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
    /// Work in each event, µs on this machine (measured at the start; the number of steps is in the
    /// run's parameters)
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

/// Parameters of Slooow.
#[derive(Args)]
#[command(next_help_heading = "Model (all that is known of the original is one sentence)")]
pub struct SlooowArgs {
    /// Objects  [default: one a node]
    #[arg(long, value_name = "N")]
    pub objects: Option<u32>,
    /// Simtime from which an event sends nothing: events of an object, less one
    #[arg(long, default_value_t = 30_000, value_name = "T")]
    pub stop: u32,
    /// Work in each event, µs on this machine
    #[arg(long, value_name = "US", default_value_t = 1000.0, conflicts_with = "work_steps")]
    pub work: f64,
    /// The same as steps of a loop: the same work on every machine
    #[arg(long, value_name = "STEPS")]
    pub work_steps: Option<u32>,
}

/// Parameters of Warpnet.
#[derive(Args)]
#[command(next_help_heading = "Model")]
pub struct WarpnetArgs {
    /// Folder with warpnet_nodes.csv and warpnet_lines.csv [default: a network drawn from the seed]
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

/// Parameters of STB88.
#[derive(Args)]
#[command(next_help_heading = "Model")]
pub struct Stb88Args {
    /// Folder with stb88_objects.csv, stb88_corps.csv and so on [default: orders of battle drawn
    /// from the seed]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Corps a side, of the battle drawn
    #[arg(long, value_name = "N", default_value_t = 18, conflicts_with = "data")]
    pub corps: u32,
    /// Divisions of a blue corps, 2 to 10
    #[arg(long, value_name = "N", default_value_t = 7, conflicts_with = "data")]
    pub blue_divisions: u32,
    /// Divisions of a red corps at most, 2 to 10
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "data")]
    pub red_divisions: u32,
    /// Seed of the battle drawn
    #[arg(long, default_value_t = 1, conflicts_with = "data")]
    pub seed: u64,
}

/// Parameters of Pucks.
#[derive(Args)]
#[command(next_help_heading = "Model")]
pub struct PucksArgs {
    /// Folder with pucks_objects.csv and pucks_initial_messages.csv [default: a table drawn from
    /// the seed]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Rows of sectors of the table drawn
    #[arg(long, value_name = "N", default_value_t = 8, conflicts_with = "data")]
    pub rows: u32,
    /// Columns of sectors of the table drawn
    #[arg(long, value_name = "N", default_value_t = 16, conflicts_with = "data")]
    pub columns: u32,
    /// Width of its sectors
    #[arg(long, value_name = "LENGTH", default_value_t = 128, conflicts_with = "data")]
    pub sector_width: u32,
    /// Height of its sectors
    #[arg(long, value_name = "LENGTH", default_value_t = 256, conflicts_with = "data")]
    pub sector_height: u32,
    /// Pucks on it
    #[arg(long, value_name = "N", default_value_t = 128, conflicts_with = "data")]
    pub pucks: u32,
    /// Radius of a puck
    #[arg(long, value_name = "LENGTH", default_value_t = 6, conflicts_with = "data")]
    pub radius: u32,
    /// Seed of the table drawn
    #[arg(long, default_value_t = 1, conflicts_with = "data")]
    pub seed: u64,
}

/// Parameters of CTLS.
#[derive(Args)]
#[command(next_help_heading = "Model")]
pub struct CtlsArgs {
    /// Corps a side, 3 to 99; each has ten divisions
    #[arg(long, value_name = "N", default_value_t = 48)]
    pub corps: u32,
    /// Seed of how much of the weapons works at the beginning
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// What every model takes.
#[derive(Args, Clone)]
#[command(next_help_heading = "Run")]
pub struct WarpCommon {
    /// Nodes  [default: 2; in a job of mpirun or srun its ranks]
    #[arg(short = 'n', long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub nodes: Option<u16>,
    /// What carries the messages [default: thread; in a job of mpirun or srun mpi if built in, else
    /// tcp]
    #[arg(long, value_parser = transport())]
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
    /// Run the sequential engine too and compare; look at what the model says must hold throughout
    #[arg(long)]
    pub check: bool,
    /// Write committed counts per object here, as CSV
    #[arg(long, value_name = "FILE")]
    pub counts: Option<PathBuf>,
    /// Write all committed events here, as CSV
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Write what each object did here, as CSV: the statistics of the Time Warp Operating System
    #[arg(long, value_name = "FILE")]
    pub xl_stats: Option<PathBuf>,
    /// Take options and placement from a configuration file of the Time Warp Operating System;
    /// options given here come first
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
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
    /// What happens when a record buffer is full: wait until there is room, or drop rows and count
    /// them
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
