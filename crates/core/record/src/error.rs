//! What can go wrong with a run folder: what happened, to which file, and what to do about it.

use std::path::{Path, PathBuf};

/// Why a run could not be written, closed or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The system refused to do something with a file.
    #[error("cannot {action} {}: {source}{}", path.display(), remedy(source))]
    File {
        /// What was being done, as `write`, `create`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The folder for a new run has something in it.
    #[error("{} is not empty; name a folder that does not exist yet, or remove what is in \
    it", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// There is no run there.
    #[error("{} is not a run: it has no run.json; name the folder that a run was written \
    to{}", path.display(), such_as(inside.as_deref()))]
    NotARun {
        /// The folder.
        path: PathBuf,
        /// A run that lies in it, as in the folder of a tour or a study.
        inside: Option<PathBuf>,
    },
    /// A file that the run should have is not there.
    #[error("messages are missing, {} does not exist: an unfinished copy?", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The run has been closed, so nothing can be recorded into it any more.
    #[error("the run {} has ended; nothing more can be recorded into it", path.display())]
    Ended {
        /// The folder.
        path: PathBuf,
    },
    /// Some process still records into the run.
    #[error("the run {} is still in progress; wait until it has ended, or stop it", path.display())]
    GoingOn {
        /// The folder.
        path: PathBuf,
    },
    /// The run's producer keeps logs of its own, and must close the run itself.
    #[error("{} is a log that only its producer can close; open the run with `fourstamp \
    report`", path.display())]
    OtherLogs {
        /// The log.
        path: PathBuf,
    },
    /// This node records into the run already.
    #[error(
        "launch {launch} already has a node {node} in {}; give each node its own number",
        path.display()
    )]
    NodeTaken {
        /// The launch, from 0.
        launch: u32,
        /// The node's number.
        node: u32,
        /// The folder.
        path: PathBuf,
    },
    /// A record buffer could not be had.
    #[error("cannot set up the record buffer of node {node}: {source}")]
    Buffer {
        /// The node's number.
        node: u32,
        /// Why not.
        source: memory::RegionError,
    },
    /// The options make no sense.
    #[error(
        "a record buffer of {rows} rows is not possible; ask for 1 to {MAX_CAPACITY_ROWS} \
        rows"
    )]
    Capacity {
        /// Rows asked for.
        rows: u64,
    },
    /// A thread that writes files has panicked.
    #[error(
        "a thread that writes the run's files has ended unexpectedly; this is a bug in fourstamp: \
        please report it"
    )]
    WriterGone,
    /// A file is not what it should be.
    #[error("{} {what}; the file is damaged, cut short, or not a file of a run", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// One column of a messages file cannot be read.
    #[error("{}, column {column}: {what}; the file is damaged, cut short, or not a file of a \
    run", path.display())]
    Column {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// What is wrong with it.
        what: String,
    },
    /// A newer program wrote the file.
    #[error(
        "{} has format {found}, but this program reads formats up to {}; read it with a newer \
        fourstamp",
        path.display(), crate::FORMAT
    )]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u64,
    },
}

/// Most rows that a record buffer may hold: 2^40 bytes' worth, more than any machine can reserve.
pub const MAX_CAPACITY_ROWS: u64 = 1 << 34;

impl RecordError {
    pub(crate) fn file(
        action: &'static str,
        path: &Path,
        source: impl Into<std::io::Error>,
    ) -> RecordError {
        RecordError::File { action, path: path.to_path_buf(), source: source.into() }
    }

    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> RecordError {
        RecordError::Damaged { path: path.to_path_buf(), what: what.into() }
    }

    pub(crate) fn column(path: &Path, column: &str, what: impl Into<String>) -> RecordError {
        RecordError::Column { path: path.to_path_buf(), column: column.into(), what: what.into() }
    }

    /// Whether there was no room left on the disk.
    pub fn is_disk_full(&self) -> bool {
        matches!(self, RecordError::File { source, .. } if is_full(source))
    }
}

fn is_full(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded)
}

fn such_as(run: Option<&Path>) -> String {
    run.map_or_else(String::new, |run| format!(", such as {}", run.display()))
}

fn remedy(error: &std::io::Error) -> &'static str {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "; free some space (what was recorded so far is kept, and opening the run again \
            closes it)"
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "; choose a folder that you may write to, or copy the run to one"
        }
        ErrorKind::NotFound => "; check the name",
        _ => "",
    }
}
