//! What can go wrong.

use std::io;

/// Why there is no such network.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShapedError {
    /// This machine or this user cannot have it.
    #[error("{0}")]
    Lacking(String),
    /// A program of iproute2 could not be started.
    #[error("cannot start {program}: {source}")]
    Start {
        /// Which.
        program: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// A program of iproute2 refused.
    #[error("{program} {words}: {said}")]
    Refused {
        /// Which.
        program: &'static str,
        /// What it was told.
        words: String,
        /// What it said.
        said: String,
    },
    /// The kernel lacks a part.
    #[error("{advice} ({source})")]
    Kernel {
        /// What to do.
        advice: &'static str,
        /// What was refused.
        source: Box<ShapedError>,
    },
    /// A file could not be read or written.
    #[error("cannot {action}: {source}")]
    File {
        /// What was tried.
        action: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// The link's counters are no number.
    #[error("cannot read the link's counters")]
    Counters,
}
