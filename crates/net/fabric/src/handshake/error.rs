//! Why a peer was not let in.

use super::Purpose;

/// Why a handshake failed. Every variant names the peer's address; none is fatal to the one who
/// refuses.
#[derive(Debug, thiserror::Error)]
pub enum HandshakeError {
    /// The two ends do not hold the same run key.
    #[error(
        "{peer} does not hold the same run key; give it the key of this run (its key file, or \
        FOURSTAMP_RUN_KEY)"
    )]
    WrongKey {
        /// Address.
        peer: String,
    },
    /// Something else talks there: a browser, a port scan, another service.
    #[error(
        "{peer} does not use Fourstamp's protocol: it began with \"{seen}\"; check the host and \
        port"
    )]
    Foreign {
        /// Address.
        peer: String,
        /// Its first bytes, escaped.
        seen: String,
    },
    /// Another version of Fourstamp.
    #[error(
        "{peer} uses version {theirs} of the handshake, not {ours}; install the same Fourstamp on \
        both machines"
    )]
    OtherVersion {
        /// Address.
        peer: String,
        /// Our version.
        ours: u16,
        /// Its version.
        theirs: u16,
    },
    /// A hello that is longer or shorter than this version's.
    #[error("{peer} announced a hello of {claimed_bytes} bytes where it must be {bytes}; refused")]
    BadLength {
        /// Address.
        peer: String,
        /// As announced.
        claimed_bytes: usize,
        /// As it must be.
        bytes: usize,
    },
    /// A hello with a code that does not exist.
    #[error("{peer} sent a hello with an unknown {what}; refused")]
    Malformed {
        /// Address.
        peer: String,
        /// Which field.
        what: &'static str,
    },
    /// It answers with our own words, or plays the same role.
    #[error(
        "{peer} has the same role as this node, or returns what it receives; check the host and \
        port"
    )]
    Reflected {
        /// Address.
        peer: String,
    },
    /// A node's port was taken for the coordinator's, or the reverse.
    #[error("{peer} expects another kind of connection ({theirs:?}); check the host and port")]
    OtherPurpose {
        /// Address.
        peer: String,
        /// What it is for.
        theirs: Purpose,
    },
    /// It belongs to another launch or run.
    #[error("{peer} belongs to another launch or run; refused")]
    OtherSession {
        /// Address.
        peer: String,
    },
    /// It hung up in the middle.
    #[error(
        "{peer} closed the connection {missing_bytes} bytes before the end of a handshake message"
    )]
    Truncated {
        /// Address.
        peer: String,
        /// What was missing of the message that was due.
        missing_bytes: usize,
    },
    /// It hung up in the middle, each time.
    #[error(
        "{peer} closed the connection before the end of the handshake, {tries} times within \
        {waited_ms} ms; is it flooded with connections, or not a Fourstamp process?"
    )]
    TurnedAway {
        /// Address.
        peer: String,
        /// How often we tried.
        tries: u32,
        /// For how long.
        waited_ms: u64,
    },
    /// It was still in the middle when too many others had come.
    #[error(
        "{peer} was disconnected before the end of the handshake, to make room for later \
        connections"
    )]
    Crowded {
        /// Address.
        peer: String,
    },
    /// It took too long.
    #[error(
        "{peer} did not finish the handshake within {waited_ms} ms; is it stopped, or behind a \
        firewall?"
    )]
    Timeout {
        /// Address.
        peer: String,
        /// How long we waited.
        waited_ms: u64,
    },
    /// The connection failed.
    #[error("the connection to {peer} failed during the handshake: {source}")]
    Io {
        /// Address.
        peer: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The system gave no random bytes.
    #[error("the system gave no random bytes for a handshake: {reason}")]
    Random {
        /// What the system said.
        reason: String,
    },
}
