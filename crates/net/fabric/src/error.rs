//! What can go wrong between nodes.

use crate::spec::NodeId;
use std::path::PathBuf;

/// An error of the fabric. [`FabricError::PeerLost`] leaves the node usable for closing and for
/// what was received.
#[derive(Debug, thiserror::Error)]
pub enum FabricError {
    /// A peer is gone without saying good-bye.
    #[error("lost node {node}: {reason}; the messages recorded so far are kept")]
    PeerLost {
        /// Which.
        node: NodeId,
        /// How that was noticed.
        reason: String,
    },
    /// Everybody else has left and nothing more can come.
    #[error("all other nodes have left, so no message can arrive any more")]
    Closed,
    /// A send or a close did not get through in time.
    #[error(
        "node {node} has taken no message for {waited_ms} ms while {doing}; is it stopped or stuck?"
    )]
    Stalled {
        /// Who does not move.
        node: NodeId,
        /// How long.
        waited_ms: u64,
        /// What we were doing.
        doing: &'static str,
    },
    /// The fabric asked for cannot be.
    #[error("{reason}")]
    BadSpec {
        /// Why, and what could be.
        reason: String,
    },
    /// There is no such node, or no link to it.
    #[error("node {node} does not exist: nodes are numbered 0 to {last}")]
    NoSuchNode {
        /// Asked for.
        node: NodeId,
        /// Highest number.
        last: NodeId,
    },
    /// A message is larger than a record can say.
    #[error("a message of {bytes} bytes is too large: the limit is {limit} bytes")]
    TooLarge {
        /// Asked for.
        bytes: u64,
        /// Allowed.
        limit: u64,
    },
    /// What came from a peer is not our protocol.
    #[error("node {node} sent something that is not a Fourstamp message: {what}")]
    Garbage {
        /// From whom.
        node: NodeId,
        /// What was wrong.
        what: String,
    },
    /// The shared segment is not what this node expects.
    #[error("{} is not a segment of this run: {reason}", path.display())]
    BadSegment {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Memory for the paths could not be had.
    #[error(transparent)]
    Memory(#[from] memory::RegionError),
    /// A peer could not prove that it belongs to this run.
    #[error(transparent)]
    Handshake(#[from] crate::handshake::HandshakeError),
    /// The system refused.
    #[error("{doing}: {source}")]
    Io {
        /// What we were doing, to whom.
        doing: String,
        /// What the system said.
        source: std::io::Error,
    },
}

impl FabricError {
    /// Attach what was being done to a system error.
    pub(crate) fn io(doing: impl Into<String>) -> impl FnOnce(std::io::Error) -> FabricError {
        let doing = doing.into();
        move |source| FabricError::Io { doing, source }
    }
}
