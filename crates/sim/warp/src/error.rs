//! Why a run has no result.

use fabric::FabricError;
use std::path::{Path, PathBuf};
use timewarp::RunError;

/// Why a run has no result. What was recorded until then is kept.
#[derive(Debug, thiserror::Error)]
pub enum WarpError {
    /// The model broke a rule, memory does not suffice, a node sent nonsense.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Another node is lost or takes nothing.
    #[error(transparent)]
    Fabric(#[from] FabricError),
    /// Another node says nothing.
    #[error(
        "node {node} has not answered for {waited_ms} ms; is it stopped? If its events take that \
        long, give a longer --peer-timeout"
    )]
    Silent {
        /// Which.
        node: u16,
        /// How long we waited.
        waited_ms: u64,
    },
    /// The model's parameters, or its files.
    #[error("{reason}")]
    Model {
        /// What is wrong, and how to put it right.
        reason: String,
    },
    /// A configuration file that makes no sense.
    #[error(transparent)]
    Config(#[from] crate::config::ConfigError),
    /// A file that is part of the result could not be written or read.
    #[error(
        "cannot {doing} {}: {source}; is there space, and is the folder writable?",
        path.display()
    )]
    File {
        /// What we wanted to do.
        doing: &'static str,
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Two engines that must agree do not.
    #[error("the result differs from the sequential run: {what}")]
    Differs {
        /// What differs first.
        what: String,
    },
}

impl WarpError {
    pub(crate) fn file(
        doing: &'static str,
        path: &Path,
    ) -> impl FnOnce(std::io::Error) -> WarpError {
        let path = path.to_path_buf();
        move |source| WarpError::File { doing, path, source }
    }
}
