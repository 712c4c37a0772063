//! What can go wrong when the logs of a run become its messages.

use record::RunId;
use std::path::{Path, PathBuf};

/// Closing a run of MPI ranks failed. Nothing of `live/` is removed then: it can be tried again.
#[derive(Debug, thiserror::Error)]
pub enum CloseError {
    /// A log cannot be read, or a file beside the messages cannot be written.
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
    /// Some logs are still on the hosts of their ranks.
    #[error(
        "{which}: fetch what is there with fourstamp collect {run}, or do without one of the hosts \
        with fourstamp collect {run} --without HOST", run = run.display()
    )]
    Awaited {
        /// The run.
        run: PathBuf,
        /// Which logs, and where they are.
        which: String,
    },
    /// A log is of another run: it was copied here, or its folder's name was used again.
    #[error(
        "{} is a log of another run ({found}; this one is {expected}): take it and the other files \
        of that name away, or bring back the right ones; nothing was changed", path.display()
    )]
    OtherRun {
        /// The log.
        path: PathBuf,
        /// Whose it is.
        found: RunId,
        /// Which run this is.
        expected: RunId,
    },
    /// A log was written by a newer version.
    #[error(
        "{} was written by a newer version of fourstamp (format {found}; this one reads up to \
        {known}): close the run with that version; nothing was changed", path.display()
    )]
    Newer {
        /// The log.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest that can be read.
        known: u32,
    },
    /// One of the processes that close the run together has ended.
    #[error(
        "the process with share {at} of {of} has ended before the run was closed; what it said \
        tells why. Nothing is lost: close the run again, with as many processes as you like"
    )]
    ShareGone {
        /// Which, from 0.
        at: u32,
        /// Of how many.
        of: u32,
    },
    /// One of them has never come.
    #[error(
        "the process with share {at} of {of} has not come within 60 s: start as many processes as \
        there are shares, on hosts that all see the run's folder"
    )]
    ShareAbsent {
        /// Which, from 0.
        at: u32,
        /// Of how many.
        of: u32,
    },
    /// Two of them have the same number.
    #[error("share {at} is closed by another process already: give each process its own number")]
    ShareTwice {
        /// Which, from 0.
        at: u32,
    },
    /// A thread that reads logs ended by itself.
    #[error(
        "a thread that reads the run's logs has ended unexpectedly; this is a bug in fourstamp: \
        please report it"
    )]
    ReaderGone,
}

impl CloseError {
    pub(crate) fn file(action: &'static str, path: &Path, source: std::io::Error) -> CloseError {
        CloseError::File { action, path: path.to_path_buf(), source }
    }
}
