//! What can go wrong when the logs of a run become its messages.

use std::path::{Path, PathBuf};

/// Closing a run failed. Nothing of `live/` is removed then: it can be tried again.
#[derive(Debug, thiserror::Error)]
pub enum CloseError {
    /// A log cannot be read.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Writing the run failed.
    #[error(transparent)]
    Record(#[from] record::RecordError),
    /// A log is none, or of another run or version.
    #[error("{}: {what}; nothing was changed", path.display())]
    Foreign {
        /// The log.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        what: &'static str,
    },
}

impl CloseError {
    pub(crate) fn file(action: &'static str, path: &Path, source: std::io::Error) -> CloseError {
        CloseError::File { action, path: path.to_path_buf(), source }
    }
}
