//! Arguments of `fourstamp bench`.

use super::joining::JoiningArgs;
use super::quantity;
use super::transport::{Transport, TransportArgs, transport};
use clap::{Args, Subcommand, ValueEnum};
use fabric::Planting;
use std::path::PathBuf;
use std::time::Duration;

/// `fourstamp bench`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  fourstamp bench pingpong               8 bytes back and forth, shared memory
  fourstamp bench stream --transport tcp --rate 10000         open loop
  fourstamp bench pingpong --nodes 8 --topology hypercube
  fourstamp bench sweep --transport tcp --largest 128K
  fourstamp bench pingpong --transport udp --timer periodic   as on Myrinet
  mpirun -n 2 fourstamp bench pingpong --transport mpi   a node on each rank

Each ends with a report on the terminal; `fourstamp report DIR` makes a page of it.")]
pub struct BenchArgs {
    /// Which measurement.
    #[command(subcommand)]
    pub workload: WorkloadArgs,
}

/// Which measurement.
#[derive(Subcommand, Clone)]
pub enum WorkloadArgs {
    /// Round trips; each direction is measured separately
    Pingpong {
        #[command(flatten)]
        common: Common,
    },
    /// One way, as fast as possible or at a rate
    #[command(visible_alias = "spray")]
    Stream {
        /// Messages per second from each sender, stamped ready at their intended times (open loop)
        #[arg(long, value_name = "PER_S", value_parser = quantity::rate)]
        rate: Option<f64>,
        /// Messages handed over in one call
        #[arg(
            long,
            default_value_t = 1,
            value_parser = quantity::nodes,
            conflicts_with = "rate"
        )]
        batch: u16,
        /// Every node sends to every other, chosen at random, instead of the first half to the
        /// second
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        common: Common,
    },
    /// Bursts of messages with pauses between them, so that each burst meets empty buffers
    Burst {
        /// Messages in a burst
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
        messages: u32,
        /// Pause after each burst
        #[arg(long, default_value = "10ms", value_name = "TIME", value_parser = quantity::duration)]
        gap: Duration,
        /// Messages of a burst handed over in one call
        #[arg(long, default_value_t = 1, value_parser = quantity::nodes)]
        batch: u16,
        #[command(flatten)]
        common: Common,
    },
    /// Node 0 sends to 1 and to 2, 1 forwards to 2, 2 answers 0: the whole cycle and every leg
    #[command(visible_alias = "trigger")]
    Relay {
        #[command(flatten)]
        common: Common,
    },
    /// Ping-pong over many sizes in random order, with more sizes where the time jumps
    #[command(visible_alias = "packet-size")]
    Sweep {
        /// Largest size
        #[arg(long, default_value = "128K", value_parser = quantity::bytes)]
        largest: usize,
        /// Visits to each size
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
        repeats: u32,
        /// Further sizes, chosen one at a time where a jump is least certain  [default: 24; with
        /// --every 0]
        #[arg(long)]
        refine: Option<u32>,
        /// Every multiple of this size instead of powers of two and the sizes half-way
        #[arg(long, value_name = "BYTES", value_parser = quantity::bytes)]
        every: Option<usize>,
        #[command(flatten)]
        common: Common,
    },
}

/// What every measurement takes.
#[derive(Args, Clone)]
pub struct Common {
    /// What carries the messages [default: shm; in a job of mpirun or srun mpi, or tcp
    /// without an MPI library]
    #[arg(long, value_parser = transport())]
    pub transport: Option<Transport>,
    /// Which nodes are linked
    #[arg(long, value_enum, default_value_t = Topology::Mesh)]
    pub topology: Topology,
    /// Largest packet on a hypercube
    #[arg(long, default_value = "1K", value_name = "BYTES", value_parser = quantity::bytes)]
    pub packet: usize,
    /// Nodes  [default: 2; relay 3]
    #[arg(short = 'n', long, value_parser = quantity::nodes)]
    pub nodes: Option<u16>,
    /// Payload of each message
    #[arg(long, default_value = "8", value_name = "BYTES", value_parser = quantity::bytes)]
    pub size: usize,
    /// Round trips, or messages of each sender (sweep: round trips a visit)  [default: by workload]
    #[arg(long, conflicts_with = "duration")]
    pub count: Option<u64>,
    /// Run for this long instead of a number of messages, e.g. 10s
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    pub duration: Option<Duration>,
    /// How often to start all nodes afresh; one launch proves nothing
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub launches: u32,
    /// How nodes wait for a message [default: polling when every node can have a core, else
    /// blocking]
    #[arg(long, value_enum)]
    pub receive: Option<Receive>,
    /// Messages or round trips to leave out at the start  [default: a hundredth, at most 1000]
    #[arg(long)]
    pub warm_up: Option<u64>,
    /// Run folder to create  [default: runs/WORKLOAD-TRANSPORT-1, -2, ...]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print the quantiles of every stage as CSV instead of the report
    #[arg(long)]
    pub csv: bool,
    /// Keep rows in memory and write them at the end, or stream them to disk [default: memory for a
    /// short run, disk for a long one]
    #[arg(long, value_enum)]
    pub record: Option<RecordTo>,
    /// What happens when a record buffer is full: stop measuring until there is room, or drop rows
    /// and count them
    #[arg(long, value_enum, default_value_t = WhenFull::Block)]
    pub when_full: WhenFull,
    /// Record whole cycles only, no messages: a baseline for what recording costs
    #[arg(long)]
    pub no_record: bool,
    /// Do not pin nodes to cores
    #[arg(long)]
    pub no_pin: bool,
    /// Give nodes priority over everything else on their cores (SCHED_FIFO; needs root or an rtprio
    /// limit)
    #[arg(long)]
    pub real_time: bool,
    /// What the receiving node's processor does with each message before it answers or takes the
    /// next: a slow receiver, e.g. 20us
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    pub receiver_work: Option<Duration>,
    #[command(flatten)]
    pub background: BackgroundArgs,
    /// Measure a second time with one thing changed, launch by launch in turn, and say what became
    /// of each peak
    #[arg(long, value_enum, conflicts_with = "csv")]
    pub intervene: Option<Intervention>,
    /// Do not watch what else the machine does (`fourstamp explain` then finds no causes)
    #[arg(long)]
    pub no_watch: bool,
    /// Seed of every random choice
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Give up on a peer that accepts no message for this long
    #[arg(long, default_value = "10s", value_name = "TIME", value_parser = quantity::duration)]
    pub peer_timeout: Duration,
    /// Plant a delay, for testing and teaching: peak:mass=0.001,by=50us,
    /// every:messages=1000,by=50us, knee:at=4040,jump=3us, packets:payload=1448,each=5us (each with
    /// stage=send-wait, transit or receive-wait), pause:messages=1000,for=1ms
    #[arg(long, hide = true, value_name = "WHAT")]
    pub plant: Vec<Planting>,
    #[command(flatten)]
    pub joining: JoiningArgs,
    #[command(flatten)]
    pub of_transport: TransportArgs,
}

/// What the machine does beside the measurement, on purpose.
#[derive(Args, Clone, Debug, Default)]
pub struct BackgroundArgs {
    /// Threads that keep processors busy meanwhile, on the machine that starts the run
    #[arg(long, value_name = "THREADS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub background: Option<u16>,
    /// Traffic over loopback TCP meanwhile, on the machine that starts the run, e.g. 100mbit
    #[arg(long, value_name = "RATE", value_parser = super::study::rate)]
    pub background_traffic: Option<u64>,
}

/// What is changed to see whether a peak moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Intervention {
    /// Whether nodes have cores of their own
    Pin,
    /// Whether nodes have priority over everything else (--real-time)
    Priority,
    /// The retransmit timer of --transport udp
    Timer,
    /// How many messages of a stream or a burst are handed over in one call
    Batch,
}

/// Who is linked with whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Topology {
    /// Every node with every other
    Mesh,
    /// Neighbours only; nodes forward (1, 2, 4, 8, ... nodes)
    Hypercube,
}

/// How nodes wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Receive {
    /// Look without pause
    Polling,
    /// Sleep until woken
    Blocking,
}

/// Where rows go while the run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RecordTo {
    /// Memory; written at the end
    Memory,
    /// Disk; by a writer thread
    Stream,
}

/// What happens when a record buffer is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WhenFull {
    /// Stop measuring until there is room
    Block,
    /// Drop the row and count it
    Drop,
}

impl Common {
    /// The transport that is named, or that an option of its own means.
    pub fn asked_transport(&self) -> Option<Transport> {
        self.transport.or(self.of_transport.implied())
    }
}

impl WorkloadArgs {
    /// Nodes, when nobody says.
    pub fn usual_nodes(&self) -> u16 {
        if matches!(self, WorkloadArgs::Relay { .. }) { 3 } else { 2 }
    }

    /// What every measurement takes.
    pub fn common(&self) -> &Common {
        match self {
            WorkloadArgs::Pingpong { common }
            | WorkloadArgs::Stream { common, .. }
            | WorkloadArgs::Burst { common, .. }
            | WorkloadArgs::Relay { common }
            | WorkloadArgs::Sweep { common, .. } => common,
        }
    }

    /// The same, to be changed by a command that wraps this one.
    pub fn common_mut(&mut self) -> &mut Common {
        match self {
            WorkloadArgs::Pingpong { common }
            | WorkloadArgs::Stream { common, .. }
            | WorkloadArgs::Burst { common, .. }
            | WorkloadArgs::Relay { common }
            | WorkloadArgs::Sweep { common, .. } => common,
        }
    }
}
