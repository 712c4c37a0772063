//! Why a page server does not run.

/// A server that cannot start or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The address is not to be had.
    #[error(
        "cannot listen on {address}: {source}; name a free port (port 0 takes any) and an address \
        of this machine"
    )]
    Listen {
        /// As given.
        address: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Less than a page.
    #[error(
        "a page server needs memory for at least one page of 4096 bytes; give a larger \
        --memory"
    )]
    NoMemory,
    /// The listening socket failed.
    #[error("the page server can no longer accept connections: {source}")]
    Accept {
        /// What the system said.
        source: std::io::Error,
    },
}
