//! What can go wrong.

use std::io;
use std::path::PathBuf;

/// Why something could not be done around a paged program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DriveError {
    /// A file or folder.
    #[error("cannot {action} {}: {source}{advice}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
        /// What to do, after a semicolon; may be empty.
        advice: &'static str,
    },
    /// A program could not be started.
    #[error("cannot start {program}: {source}{advice}")]
    Start {
        /// Which.
        program: &'static str,
        /// What the system says.
        source: io::Error,
        /// What to do, after a semicolon; may be empty.
        advice: &'static str,
    },
    /// A program refused.
    #[error("{program}: {said}{advice}")]
    Refused {
        /// Which.
        program: &'static str,
        /// What it said.
        said: String,
        /// What to do, after a semicolon; may be empty.
        advice: &'static str,
    },
    /// A page server does not listen.
    #[error("a page server on this machine did not start: {0}")]
    Server(String),
    /// No cgroup can be made.
    #[error("no memory cgroup (version 1 or 2) can be written to")]
    NoCgroup,
    /// A cgroup was made and is of no use.
    #[error("the cgroup {} accepts no processes", .0.display())]
    IdleCgroup(PathBuf),
    /// A run is none, or none of a paged program.
    #[error("{} records no paging; name the run of a paged program", .0.display())]
    NotPaged(PathBuf),
}

impl DriveError {
    /// For `map_err`: what was tried with which file.
    pub(crate) fn file(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> DriveError {
        let path = path.into();
        move |source| DriveError::File { action, path, source, advice: "" }
    }
}
