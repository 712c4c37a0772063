//! The run folder while a run goes on: who may record into it, and when it may be closed.
//!
//! Everybody who records holds a shared lock on `live/lock`; closing takes it alone. The system
//! drops a lock with its process, so a run that was cut is told from one that goes on without a
//! process id or a time-out.

use crate::anchoring::Anchorings;
use crate::close::{self, Closing};
use crate::{Domain, buffer, clock_log, input, leftover};
use crate::{NodeSheet, RecordError, Recorder, RecorderOptions, RunId, RunInfo, Schema, State};
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A run folder that is being written.
pub struct RunFolder {
    path: PathBuf,
    info: RunInfo,
    anchorings: Anchorings,
    lock: FolderLock,
}

/// Says that somebody records; gone with its process at the latest.
pub(crate) struct FolderLock(File);

/// How long closing waits for nodes in other processes to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a process that was killed may take to let its locks go: the system gives its memory
/// back first.
const DYING: Duration = Duration::from_secs(1);

impl RunFolder {
    /// Make a run folder.
    ///
    /// # Errors
    /// When the folder exists and is not empty, or cannot be written.
    pub fn create(path: impl AsRef<Path>, mut info: RunInfo) -> Result<RunFolder, RecordError> {
        let path = path.as_ref().to_path_buf();
        refuse_contents(&path)?;
        leftover::sweep();
        std::fs::create_dir_all(&path)
            .map_err(|error| RecordError::file("create", &path, error))?;
        for folder in [live(&path), messages(&path)] {
            std::fs::create_dir(&folder).map_err(|error| match error.kind() {
                // Of two that find the folder empty at once, one makes this.
                std::io::ErrorKind::AlreadyExists => RecordError::NotEmpty { path: path.clone() },
                _ => RecordError::file("create", &folder, error),
            })?;
        }
        let lock = FolderLock::shared(&path)?;
        info.state = State::Open;
        info.save(&run_json(&path))?;
        Ok(RunFolder { path, info, anchorings: Anchorings::default(), lock })
    }

    /// Record into a folder that another process has made and not closed yet.
    ///
    /// # Errors
    /// When there is no run, or it has ended.
    pub fn join(path: impl AsRef<Path>) -> Result<RunFolder, RecordError> {
        let path = path.as_ref().to_path_buf();
        let info = read_info(&path)?;
        if info.state != State::Open {
            return Err(RecordError::Ended { path });
        }
        let lock = FolderLock::shared(&path)?;
        Ok(RunFolder { path, info, anchorings: Anchorings::default(), lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What `run.json` will say.
    pub fn info(&self) -> &RunInfo {
        &self.info
    }

    /// Add what only the end knows: notes, failures, the clocks' synchronisations. Written by
    /// [`RunFolder::close`].
    pub fn info_mut(&mut self) -> &mut RunInfo {
        &mut self.info
    }

    /// Where nodes keep their logs while the run goes on.
    pub fn live(&self) -> PathBuf {
        live(&self.path)
    }

    /// Write down what was learned of a clock (its new anchors and offsets alone), so that a run
    /// that is cut knows it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn log_clock(&self, news: &Domain) -> Result<(), RecordError> {
        clock_log::append(&live(&self.path), news)
    }

    /// A recorder for the node of `sheet`. Its rows fill the columns of `schema`.
    ///
    /// # Errors
    /// When the node is recorded already, memory is short, or the folder cannot be written.
    pub fn recorder(
        &self,
        sheet: NodeSheet,
        schema: &Schema,
        options: RecorderOptions,
    ) -> Result<Recorder, RecordError> {
        let run = self.info.id.map(|id| (id, &*self.path));
        let lock = FolderLock::shared(&self.path)?;
        Recorder::begin(&live(&self.path), run, sheet, schema, options, &self.anchorings, lock)
    }

    /// This folder will not be read: remove what its nodes left in memory.
    pub fn abandon(self) {
        let RunFolder { path, info, .. } = self;
        if let Some(id) = info.id {
            buffer::remove_all(id, &path);
        }
    }

    /// The run has ended: put all stamps on the timeline, write the messages files and `run.json`,
    /// and remove the live logs. Waits some seconds for nodes in other processes to finish.
    ///
    /// # Errors
    /// When nodes still record, or something cannot be written. Nothing is lost then:
    /// [`Run::open`](crate::Run::open) closes the run later.
    pub fn close(self) -> Result<RunInfo, RecordError> {
        self.begin_closing()?.close_recorded()
    }

    /// The run has ended, and its producer closes it itself. Waits some seconds for nodes in other
    /// processes to finish.
    ///
    /// # Errors
    /// When nodes still record.
    pub fn begin_closing(self) -> Result<Closing, RecordError> {
        let deadline = Instant::now() + PATIENCE;
        while !self.lock.alone()? {
            if Instant::now() > deadline {
                return Err(RecordError::GoingOn { path: self.path });
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        // The lock is let go for a moment while it is upgraded: a reader may have come in between.
        match read_info(&self.path)?.state {
            State::Open => Ok(Closing::new(self.path, self.info, State::Closed, self.lock)),
            _ => Err(RecordError::Ended { path: self.path }),
        }
    }
}

impl Closing {
    /// Begin to close a run whose writers have gone, as its first reader. `None` when it is closed
    /// already.
    ///
    /// # Errors
    /// When it still goes on, or is no run.
    pub fn of_cut(path: &Path) -> Result<Option<Closing>, RecordError> {
        if read_info(path)?.state != State::Open {
            if lock_file(path).exists() {
                sweep(path);
            }
            return Ok(None);
        }
        input::refuse_links(path, &["live", "messages", "causes", "mpi"])?;
        let lock = FolderLock::open(path)?;
        let deadline = Instant::now() + DYING;
        while !lock.alone()? {
            if Instant::now() > deadline {
                return Err(RecordError::GoingOn { path: path.to_path_buf() });
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        // Somebody else may have closed it between the reading and the lock.
        let info = read_info(path)?;
        let open = info.state == State::Open;
        Ok(open.then(|| Closing::new(path.to_path_buf(), info, State::Cut, lock)))
    }
}

/// Remove what a closing that was killed at its very end left behind. Whoever may not write leaves
/// it.
fn sweep(path: &Path) {
    if let Ok(lock) = FolderLock::open(path)
        && lock.alone().unwrap_or(false)
    {
        close::remove_live(path);
    }
}

/// What became of the run that was recorded into a folder.
pub(crate) enum Found {
    State(State),
    /// The folder, or that run in it, is not there any more.
    Gone,
    Unreadable(String),
}

/// The run `id` in the folder at `path`.
pub(crate) fn find(path: &Path, id: RunId) -> Found {
    match read_info(path) {
        Ok(info) if info.id == Some(id) => Found::State(info.state),
        Ok(_) | Err(RecordError::NotARun { .. }) => Found::Gone,
        Err(error) => Found::Unreadable(error.to_string()),
    }
}

/// How far the run `id` is, if it is what the folder at `path` holds.
pub(crate) fn state_of(path: &Path, id: RunId) -> Option<State> {
    match find(path, id) {
        Found::State(state) => Some(state),
        // What cannot be read may be what was there.
        Found::Unreadable(_) => Some(State::Open),
        Found::Gone => None,
    }
}

/// Read `run.json` of the folder at `path`.
pub(crate) fn read_info(path: &Path) -> Result<RunInfo, RecordError> {
    let file = run_json(path);
    let text = input::read_input(&file).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
            RecordError::NotARun { path: path.to_path_buf() }
        }
        _ => RecordError::file("read", &file, error),
    })?;
    RunInfo::parse(&text, &file)
}

pub(crate) fn run_json(path: &Path) -> PathBuf {
    path.join("run.json")
}

pub(crate) fn live(path: &Path) -> PathBuf {
    path.join("live")
}

pub(crate) fn messages(path: &Path) -> PathBuf {
    path.join("messages")
}

fn lock_file(path: &Path) -> PathBuf {
    live(path).join("lock")
}

fn refuse_contents(path: &Path) -> Result<(), RecordError> {
    match std::fs::read_dir(path).map(|mut entries| entries.next().is_some()) {
        Ok(true) => Err(RecordError::NotEmpty { path: path.to_path_buf() }),
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(RecordError::file("read", path, error))
        }
        _ => Ok(()),
    }
}

impl FolderLock {
    fn open(run: &Path) -> Result<FolderLock, RecordError> {
        let path = lock_file(run);
        input::open_lock(&path)
            .map(FolderLock)
            .map_err(|error| RecordError::file("open", &path, error))
    }

    fn shared(run: &Path) -> Result<FolderLock, RecordError> {
        let lock = FolderLock::open(run)?;
        match lock.try_take(FlockOperation::NonBlockingLockShared)? {
            true => Ok(lock),
            // Somebody closes the run at this moment.
            false => Err(RecordError::Ended { path: run.to_path_buf() }),
        }
    }

    /// Try to be the only one who holds it; otherwise hold it shared.
    fn alone(&self) -> Result<bool, RecordError> {
        let alone = self.try_take(FlockOperation::NonBlockingLockExclusive)?;
        if !alone {
            // An upgrade that fails has let the shared lock go.
            self.try_take(FlockOperation::NonBlockingLockShared)?;
        }
        Ok(alone)
    }

    fn try_take(&self, operation: FlockOperation) -> Result<bool, RecordError> {
        match flock(&self.0, operation) {
            Ok(()) => Ok(true),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
            Err(error) => Err(RecordError::file("lock", Path::new("live/lock"), error)),
        }
    }
}
