//! What can go wrong when the tables of a run are read.

use std::path::PathBuf;

/// Tables of an MPI run cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LensError {
    /// A table of calls cannot be read.
    #[error(transparent)]
    Record(#[from] record::RecordError),
    /// The places in the program cannot be read.
    #[error("cannot read {}: it is not a table of places", path.display())]
    Sites {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: csv::Error,
    },
    /// The communicators cannot be read.
    #[error("cannot read {}: it is not a table of communicators", path.display())]
    Communicators {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: csv::Error,
    },
    /// A bug.
    #[error("a reading thread panicked")]
    Panicked,
}
