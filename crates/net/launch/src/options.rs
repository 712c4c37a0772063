//! What a launch is told.

use fabric::{NodePlace, Spec};
use record::RecorderOptions;
use std::path::PathBuf;
use std::time::Duration;

/// One launch: a fresh set of node processes and one job for each.
#[derive(Clone, Debug)]
pub struct LaunchOptions {
    /// Launch, counted from 0.
    pub launch: u32,
    /// Another launch follows on the same coordinator.
    pub more: bool,
    /// Whether every node is a process of its own.
    pub hosting: Hosting,
    /// Who starts the processes.
    pub starter: Starter,
    /// What connects the nodes, and how many they are. Where they are found (addresses, the
    /// segment's path) is filled in here.
    pub fabric: Spec,
    /// How they record.
    pub recorder: RecorderOptions,
    /// What the work of a node leaves in the run folder besides its logs: files, named from there,
    /// that only grow. They come here from a node that does not see this folder.
    pub leaves: fn(u16) -> Vec<String>,
    /// How long to wait for what.
    pub deadlines: Deadlines,
    /// How clocks of other domains are brought together with this one.
    pub synchronising: Synchronising,
}

/// How nodes lie in processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hosting {
    /// All nodes in one process: transport `thread`.
    OneProcess,
    /// A process for each node.
    ProcessEach,
}

/// Who starts the node processes.
#[derive(Clone, Debug)]
pub enum Starter {
    /// We do, on this machine. Their output goes to files in the run folder.
    Local(NodeCommand),
    /// Nobody: the user starts them with `fourstamp node --join`.
    External,
    /// We do, over ssh, round robin over the hosts. The coordinator must listen on an address that
    /// they reach.
    Ssh {
        /// The ssh program: `ssh`.
        program: PathBuf,
        /// Where to.
        hosts: Vec<String>,
        /// What to run there.
        command: NodeCommand,
    },
    /// We do, on this machine, each in a pane of one tmux window.
    Tmux {
        /// Name of the tmux session, to attach to.
        session: String,
        /// Name of the tmux server (`tmux -L`); the user's usual one when absent.
        server: Option<String>,
        /// What to run in a pane.
        command: NodeCommand,
    },
}

/// A program that calls [`serve`](crate::serve) with
/// [`NodeOptions::from_env`](crate::NodeOptions::from_env): it is told everything through its
/// environment, because arguments can be read by every user of a machine.
#[derive(Clone, Debug)]
pub struct NodeCommand {
    /// The program.
    pub program: PathBuf,
    /// Its arguments, as `node`.
    pub arguments: Vec<String>,
    /// More environment.
    pub environment: Vec<(String, String)>,
}

/// How long the coordinator waits before it names who hangs.
#[derive(Clone, Copy, Debug)]
pub struct Deadlines {
    /// For all nodes to join.
    pub join: Duration,
    /// For all nodes to be ready once they are assigned.
    pub ready: Duration,
    /// For a node's process to answer while it works.
    pub answer: Duration,
    /// For a node with a goal to make progress; `None` to wait for ever.
    pub progress: Option<Duration>,
    /// For all nodes to end once they are told to stop.
    pub stop: Duration,
}

/// How often clocks are compared. Only nodes in other clock domains are asked.
#[derive(Clone, Copy, Debug)]
pub struct Synchronising {
    /// Exchanges each time; the one with the shortest round trip counts.
    pub exchanges: u32,
    /// How often while nodes work; besides at their start and end.
    pub every: Duration,
}

impl Default for Deadlines {
    fn default() -> Deadlines {
        Deadlines {
            join: Duration::from_secs(30),
            ready: Duration::from_secs(60),
            answer: Duration::from_secs(15),
            progress: Some(Duration::from_secs(60)),
            stop: Duration::from_secs(30),
        }
    }
}

impl Default for Synchronising {
    fn default() -> Synchronising {
        Synchronising { exchanges: 64, every: Duration::from_secs(5) }
    }
}

impl LaunchOptions {
    /// A launch with the usual recorder, deadlines and clock comparisons.
    pub fn new(launch: u32, fabric: Spec, hosting: Hosting, starter: Starter) -> LaunchOptions {
        LaunchOptions {
            launch,
            more: false,
            hosting,
            starter,
            fabric,
            recorder: RecorderOptions::default(),
            leaves: |_| Vec::new(),
            deadlines: Deadlines::default(),
            synchronising: Synchronising::default(),
        }
    }

    /// Processes to wait for.
    pub(crate) fn processes(&self) -> u16 {
        match self.hosting {
            Hosting::OneProcess => 1,
            Hosting::ProcessEach => self.fabric.nodes,
        }
    }

    /// Nodes in each process.
    pub(crate) fn hosts(&self) -> u16 {
        match self.hosting {
            Hosting::OneProcess => self.fabric.nodes,
            Hosting::ProcessEach => 1,
        }
    }

    /// Find what cannot work before anything is started.
    pub(crate) fn check(&self) -> Result<(), String> {
        let (name, several) = (self.fabric.transport.name(), self.fabric.nodes > 1);
        match (self.fabric.transport.kind.nodes, self.hosting) {
            (NodePlace::OneProcess, Hosting::ProcessEach) if several => Err(format!(
                "transport {name} keeps all nodes in one process; to use several, choose shm or tcp"
            )),
            (NodePlace::Machines, Hosting::OneProcess) if several => Err(format!(
                "transport {name} needs a process for each node; to use one process, choose thread"
            )),
            (NodePlace::MpiJob, Hosting::OneProcess) if several => {
                Err(format!("transport {name} needs a process for each node: the ranks of a job"))
            }
            (NodePlace::MpiJob, _) if !matches!(self.starter, Starter::External) => Err(format!(
                "transport {name} needs nodes started by mpirun or srun, e.g. mpirun -n 2 \
                fourstamp …"
            )),
            _ => match &self.starter {
                Starter::Ssh { hosts, .. } if hosts.is_empty() => {
                    Err("--ssh needs host names, e.g. --ssh a,b".into())
                }
                _ => Ok(()),
            },
        }
    }
}
