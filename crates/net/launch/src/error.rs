//! Why a launch failed, and whose fault it was.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a launch failed. Whatever nodes had recorded is in the run folder all the same.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The coordinator's port could not be had.
    #[error("cannot listen on {address}: {source}; choose another address or port")]
    Listen {
        /// Asked for.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// What was asked for cannot work.
    #[error("{reason}")]
    Options {
        /// Why, and what could.
        reason: String,
    },
    /// A node's process could not be started.
    #[error("cannot start node {node} ({what}): {reason}")]
    Start {
        /// Which.
        node: u16,
        /// The program.
        what: String,
        /// Why.
        reason: String,
    },
    /// Too few nodes joined in time.
    #[error("{joined} of {processes} node processes joined within {} s{hint}", seconds(*waited_ms))]
    TooFewJoined {
        /// How many did.
        joined: usize,
        /// How many were to.
        processes: u16,
        /// How long we waited.
        waited_ms: u64,
        /// What was seen of the others.
        hint: String,
    },
    /// The user stopped it before the nodes had begun.
    #[error("stopped before the nodes had started")]
    Stopped,
    /// One or more nodes failed: the first cause, and what followed from it.
    #[error("{first}{}", also(others))]
    Nodes {
        /// The first cause.
        first: Failure,
        /// Other nodes' failures, most of them consequences.
        others: Vec<Failure>,
    },
    /// The fabric could not be prepared.
    #[error(transparent)]
    Fabric(#[from] fabric::FabricError),
    /// The run folder could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Folder {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// What happened to one node's process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The node, the first one if its process holds several.
    pub node: u16,
    /// Its process.
    pub pid: u32,
    /// Its host.
    pub host: String,
    /// What happened.
    pub cause: Cause,
    /// The last line that it wrote, if we see its output.
    pub last_line: Option<String>,
}

/// What can happen to a node's process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It ended.
    Died {
        /// How: an exit code, a signal.
        how: String,
    },
    /// Its connection was lost, and we do not see its process.
    Lost {
        /// How.
        how: String,
    },
    /// Its process does not answer: stopped, or its machine is overloaded.
    Silent {
        /// For how long.
        waited_ms: u64,
    },
    /// Its process was stopped: by SIGSTOP, a debugger, or Ctrl-Z.
    Stopped {
        /// For how long it has not answered.
        waited_ms: u64,
    },
    /// It answers, but does not get on.
    Stuck {
        /// At what.
        doing: &'static str,
        /// For how long.
        waited_ms: u64,
    },
    /// It broke the protocol.
    Broken {
        /// How.
        how: String,
    },
    /// What it records cannot be kept here.
    Unkept {
        /// Why.
        how: String,
    },
    /// Its work says that it failed.
    Failed {
        /// Why.
        reason: String,
    },
}

impl Cause {
    /// Whether there is no process any more, or none that we can talk to.
    pub(crate) fn is_loss(&self) -> bool {
        matches!(self, Cause::Died { .. } | Cause::Lost { .. })
    }

    /// Which of several failures explains the others, lowest first; among equals the earliest. A
    /// node whose peer died or froze often says so before we have noticed the peer itself.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Cause::Died { .. }
            | Cause::Lost { .. }
            | Cause::Broken { .. }
            | Cause::Unkept { .. }
            | Cause::Stopped { .. } => 0,
            Cause::Silent { .. } => 1,
            Cause::Failed { .. } | Cause::Stuck { .. } => 2,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "node {} (process {} on {}) ", self.node, self.pid, self.host)?;
        match &self.cause {
            Cause::Died { how } => write!(out, "{how}"),
            Cause::Lost { how } => write!(out, "was lost: {how}"),
            Cause::Silent { waited_ms } => {
                write!(
                    out,
                    "has not answered for {waited_ms} ms; is it stopped, or is its machine \
                    overloaded?"
                )
            }
            Cause::Stopped { waited_ms } => {
                write!(
                    out,
                    "was stopped (by SIGSTOP or a debugger), did not answer for {waited_ms} ms, \
                    and was killed"
                )
            }
            Cause::Stuck { doing, waited_ms } => {
                write!(out, "hangs: no progress for {waited_ms} ms while {doing}")
            }
            Cause::Broken { how } => write!(out, "broke the control protocol: {how}"),
            Cause::Unkept { how } => {
                write!(out, "was given up, because its record cannot be kept: {how}")
            }
            Cause::Failed { reason } => write!(out, "failed: {reason}"),
        }?;
        match &self.last_line {
            Some(line) => write!(out, "; its last line: {line}"),
            None => Ok(()),
        }
    }
}

fn seconds(ms: u64) -> f64 {
    ms as f64 / 1e3
}

fn also(others: &[Failure]) -> String {
    others.iter().map(|failure| format!("; then {failure}")).collect()
}
