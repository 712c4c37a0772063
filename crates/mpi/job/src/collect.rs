//! Fetching the logs that ranks have left on their hosts, because those did not see the run's
//! folder.
//!
//! A host sends its folder as a tar archive over whatever runs commands there (`reach`). What comes
//! is unpacked beside the run (`stage`), looked at, and then moved into it, so that a fetch which
//! is cut leaves nothing half-written. The folder on the host stays.

mod incoming;
mod reach;
mod source;
mod stage;

pub use reach::Reach;
pub use source::Source;
pub use stage::unpack;

use mpi_facts::Elsewhere;
use record::{RecordError, RunFolder, RunId};
use stage::Stage;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

/// Why the logs of a host could not be fetched. Nothing of it is in the run then.
#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    /// No command could be started.
    #[error(
        "cannot start {command}: {source}; install it, or say with --with how to run commands \
    on the host"
    )]
    NotStarted {
        /// The first word.
        command: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The command on the host, or the way there, has failed.
    #[error("{from}: {command} failed with {status}: {said}")]
    Failed {
        /// Where from.
        from: String,
        /// The first word.
        command: String,
        /// How it ended.
        status: std::process::ExitStatus,
        /// What it wrote to standard error.
        said: String,
    },
    /// Nothing came for a long time.
    #[error(
        "{from}: nothing has come for {seconds} s; is the host up, and does the command ask \
    for a password?"
    )]
    Stalled {
        /// Where from.
        from: String,
        /// How long was waited.
        seconds: u64,
    },
    /// What came cannot be read or kept.
    #[error("{from}: cannot {action}: {source}")]
    File {
        /// Where from.
        from: String,
        /// What was tried.
        action: &'static str,
        /// What the system, or the reader of the archive, said.
        source: std::io::Error,
    },
    /// What came is not part of this run.
    #[error("{from} {what}")]
    Foreign {
        /// Where from.
        from: String,
        /// What it is instead, and what to do.
        what: String,
    },
    /// A folder cannot be named to a command that is not ssh.
    #[error("the folder {folder} has characters that a shell reads differently: rename it there")]
    Unspeakable {
        /// The folder.
        folder: String,
    },
    /// The run cannot be written.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// What came from a host.
#[derive(Debug, Default)]
pub struct Fetched {
    /// Ranks whose logs came, in order.
    pub ranks: Vec<u32>,
    /// Those of them that had not ended.
    pub unfinished: Vec<u32>,
    /// Where other logs are, if this host knows it.
    pub elsewhere: Option<Elsewhere>,
    /// What its ranks could not do.
    pub trouble: Vec<String>,
}

/// Fetches logs for a run.
pub struct Collector<'a> {
    /// The run's folder.
    pub run: &'a Path,
    /// How commands are run on hosts.
    pub reach: &'a Reach,
    /// Counts bytes as they come.
    pub bytes: &'a AtomicU64,
}

impl Collector<'_> {
    /// Fetch the first logs of a run that has no folder here, and make it.
    ///
    /// # Errors
    /// When they cannot be fetched, or the folder not be made.
    pub fn begin(&self, source: &Source) -> Result<(RunFolder, Fetched), CollectError> {
        let stage = self.stage(source, None)?;
        let folder = RunFolder::create(self.run, stage.info().clone())?;
        let fetched = stage.move_into(&folder.live())?;
        Ok((folder, fetched))
    }

    /// Fetch more logs for the run with this id. Logs that came before are replaced by what is
    /// there now.
    ///
    /// # Errors
    /// When they cannot be fetched, or are another run's.
    pub fn add(&self, source: &Source, id: Option<RunId>) -> Result<Fetched, CollectError> {
        self.stage(source, id)?.move_into(&self.run.join("live"))
    }

    fn stage(&self, source: &Source, id: Option<RunId>) -> Result<Stage, CollectError> {
        let beside = match self.run.is_dir() {
            true => self.run.join("live"),
            false => record::folder_of(self.run).to_path_buf(),
        };
        let incoming = incoming::Incoming::of(self.reach, source)?;
        let stage = Stage::fill(&beside, source, incoming, self.bytes)?;
        stage.check(id)?;
        Ok(stage)
    }

    /// Remove the folder on its host.
    ///
    /// # Errors
    /// When it cannot be, or is not one of ours by its name.
    pub fn remove(&self, source: &Source) -> Result<(), CollectError> {
        let name = PathBuf::from(&source.folder);
        let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.starts_with(mpi_facts::FOLDER_START) {
            let what = "is not a folder that the tracer has made: remove it yourself".to_owned();
            return Err(CollectError::Foreign { from: source.to_string(), what });
        }
        let mut incoming =
            incoming::Incoming::run(self.reach, source, &["rm", "-r", &source.folder])?;
        incoming.finish()
    }
}
