//! Who is at a run folder.
//!
//! Everybody who records holds a shared lock on `live/lock`; closing takes it alone. The system
//! drops a lock with its process, so a run that was cut is told from one that goes on without a
//! process id or a time-out.

use crate::run_files::lock_file;
use crate::{RecordError, input};
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::path::Path;

/// Says that somebody records; gone with its process at the latest.
pub(crate) struct FolderLock(File);

impl FolderLock {
    pub fn open(run: &Path) -> Result<FolderLock, RecordError> {
        let path = lock_file(run);
        input::open_lock(&path)
            .map(FolderLock)
            .map_err(|error| RecordError::file("open", &path, error))
    }

    pub fn shared(run: &Path) -> Result<FolderLock, RecordError> {
        let lock = FolderLock::open(run)?;
        match lock.try_take(FlockOperation::NonBlockingLockShared)? {
            true => Ok(lock),
            // Somebody closes the run at this moment.
            false => Err(RecordError::Ended { path: run.to_path_buf() }),
        }
    }

    /// Try to be the only one who holds it. Otherwise hold nothing: of two who wait to be alone,
    /// neither would ever be, if each held it shared meanwhile.
    pub fn alone(&self) -> Result<bool, RecordError> {
        self.try_take(FlockOperation::NonBlockingLockExclusive)
    }

    /// The same for one who records, and holds it shared otherwise.
    pub fn alone_or_shared(&self) -> Result<bool, RecordError> {
        let alone = self.alone()?;
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
