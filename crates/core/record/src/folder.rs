//! The run folder while a run goes on: who may record into it, and when it may be closed.

use crate::anchoring::Anchorings;
use crate::close::{self, Closing};
use crate::folder_lock::FolderLock;
use crate::run_files::{ended_mark, live, lock_file, messages, read_info, run_json};
use crate::{Domain, buffer, clock_log, input, leftover};
use crate::{NodeSheet, RecordError, Recorder, RecorderOptions, RunInfo, Schema, State};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A run folder that is being written.
pub struct RunFolder {
    path: PathBuf,
    info: RunInfo,
    anchorings: Anchorings,
    lock: FolderLock,
}

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

    /// The run has ended, and somebody else closes it later: it is no cut run then.
    ///
    /// # Errors
    /// When what is known of it cannot be written.
    pub fn leave(self) -> Result<(), RecordError> {
        self.info.save(&run_json(&self.path))?;
        let mark = ended_mark(&self.path);
        std::fs::write(&mark, []).map_err(|error| RecordError::file("write", &mark, error))
    }

    /// The run has ended, and its producer closes it itself. Waits some seconds for nodes in other
    /// processes to finish.
    ///
    /// # Errors
    /// When nodes still record.
    pub fn begin_closing(self) -> Result<Closing, RecordError> {
        let deadline = Instant::now() + PATIENCE;
        while !self.lock.alone_or_shared()? {
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
        input::refuse_links(path)?;
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
        Ok(open.then(|| Closing::new(path.to_path_buf(), info, end_of(path), lock)))
    }

    /// Help another process, which closes the run: read what it reads, and write the files of some
    /// nodes. Only the other may [finish](Closing::finish). `None` when the run is closed already.
    ///
    /// # Errors
    /// When it is no run.
    pub fn beside(path: &Path) -> Result<Option<Closing>, RecordError> {
        let info = read_info(path)?;
        input::refuse_links(path)?;
        let open = info.state == State::Open;
        let lock = || FolderLock::open(path);
        open.then(|| Ok(Closing::new(path.to_path_buf(), info, end_of(path), lock()?))).transpose()
    }
}

/// How a run that nobody has closed has ended.
fn end_of(path: &Path) -> State {
    if ended_mark(path).exists() { State::Closed } else { State::Cut }
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

fn refuse_contents(path: &Path) -> Result<(), RecordError> {
    match std::fs::read_dir(path).map(|mut entries| entries.next().is_some()) {
        Ok(true) => Err(RecordError::NotEmpty { path: path.to_path_buf() }),
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(RecordError::file("read", path, error))
        }
        _ => Ok(()),
    }
}
