//! Why there is no connection to a page server, or no longer one.

use crate::wire::WireError;
use crate::wire::channel::Broken;
use fabric::HandshakeError;

/// A connection that failed. All that its server held is lost to this client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// Nobody listens there, or the name means nothing.
    #[error(
        "cannot reach the page server {address}: {source}; start it with `fourstamp pager serve`, \
         or name another"
    )]
    Unreachable {
        /// As given.
        address: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is none of ours.
    #[error(transparent)]
    Handshake(#[from] HandshakeError),
    /// It is ours, and does not want us.
    #[error("the page server {address} refuses this client: {reason}")]
    Refused {
        /// Its address.
        address: String,
        /// Why, and what to do.
        reason: &'static str,
    },
    /// It did not answer in time.
    #[error(
        "the page server {address} did not answer within {waited_ms} ms; is it stopped, or \
        overloaded?"
    )]
    Timeout {
        /// Its address.
        address: String,
        /// How long we waited.
        waited_ms: u64,
    },
    /// It ended, or was ended.
    #[error("the page server {address} closed the connection; it ended or was killed")]
    Closed {
        /// Its address.
        address: String,
    },
    /// The connection broke.
    #[error("the connection to the page server {address} failed: {source}")]
    Io {
        /// Its address.
        address: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// It sent what makes no sense.
    #[error("the page server {address} sent {fault}; the connection was closed")]
    Nonsense {
        /// Its address.
        address: String,
        /// What.
        fault: WireError,
    },
}

impl LinkError {
    /// What happened to the connection to `address`.
    pub(crate) fn of(broken: Broken, address: &str) -> LinkError {
        let address = address.to_owned();
        match broken {
            Broken::End => LinkError::Closed { address },
            Broken::Io(source) => LinkError::Io { address, source },
            Broken::Wire(fault) => LinkError::Nonsense { address, fault },
        }
    }
}
