//! Whose turn it is to measure what an idle core loses.
//!
//! A thread that spins measures every other thread of its core, so nodes that share cores take
//! turns: no more of them spin at once than there are cores, and none before all of them have done
//! what precedes it and sleep. They may be threads of one process or processes, which start at
//! their own pace, so files are locked: the system drops the lock of whoever ends, in whatever way.

use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Nodes that are not ready by then are not waited for; then nothing is measured.
const PATIENCE: Duration = Duration::from_secs(10);
/// Who waits for the others looks so often. Who is the first on its core waits twice as long, so
/// that the others have seen that all are ready, too, and sleep.
const LOOK: Duration = Duration::from_millis(10);

/// A node's place among those that measure. While it is held, nobody spins.
#[derive(Debug)]
pub struct Turn {
    ready: PathBuf,
    core: PathBuf,
    preparing: File,
}

/// This thread may spin while it holds this.
#[derive(Debug)]
pub struct Taken {
    _core: File,
}

/// How nodes share the cores of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// Nodes in all.
    pub nodes: usize,
    /// Cores that they may use.
    pub cores: usize,
}

impl Sharing {
    /// How many may spin at once.
    pub fn at_once(self) -> usize {
        self.nodes.min(self.cores).max(1)
    }

    /// How long each spins so that a core is measured for `whole`.
    pub fn each(self, whole: Duration) -> Duration {
        let in_turn = self.nodes.div_ceil(self.at_once()).max(1);
        whole / u32::try_from(in_turn).unwrap_or(u32::MAX)
    }
}

impl Turn {
    /// A place for `node` among those that lock hidden files of `folder` with `name` in their
    /// names. To be made before the node gets to work.
    ///
    /// # Errors
    /// When the files cannot be made or locked.
    pub fn new(folder: &Path, name: &str, node: usize, sharing: Sharing) -> io::Result<Turn> {
        let ready = folder.join(format!(".{name}-idle.lock"));
        let core = folder.join(format!(".{name}-idle-{}.lock", node % sharing.at_once()));
        let preparing = open(&ready)?;
        flock(&preparing, FlockOperation::LockShared)?;
        Ok(Turn { ready, core, preparing })
    }

    /// This node is ready: wait until all others are, and for those before it on its core. `None`:
    /// somebody never was.
    ///
    /// # Errors
    /// When a file cannot be locked.
    pub fn take(self) -> io::Result<Option<Taken>> {
        let Turn { ready, core, preparing } = self;
        drop(preparing);
        let begun = Instant::now();
        while !is_free(&ready)? {
            if begun.elapsed() > PATIENCE {
                return Ok(None);
            }
            std::thread::sleep(LOOK);
        }
        let core = open(&core)?;
        match flock(&core, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => std::thread::sleep(2 * LOOK),
            Err(_) => flock(&core, FlockOperation::LockExclusive)?,
        }
        Ok(Some(Taken { _core: core }))
    }
}

fn open(path: &Path) -> io::Result<File> {
    File::options().create(true).truncate(false).write(true).open(path)
}

fn is_free(path: &Path) -> io::Result<bool> {
    match flock(&open(path)?, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_core_is_measured_as_long_whoever_shares_it() {
        let (alone, shared) = (Sharing { nodes: 2, cores: 4 }, Sharing { nodes: 32, cores: 2 });
        let whole = Duration::from_millis(48);
        assert_eq!((alone.at_once(), alone.each(whole)), (2, whole));
        assert_eq!((shared.at_once(), shared.each(whole)), (2, Duration::from_millis(3)));
    }

    #[test]
    fn no_more_spin_at_once_than_there_are_cores_and_none_before_all_are_ready() {
        let folder = tempfile::tempdir().unwrap();
        let sharing = Sharing { nodes: 7, cores: 2 };
        let turns: Vec<Turn> = (0..7)
            .map(|node| Turn::new(folder.path(), "launch-0", node, sharing).unwrap())
            .collect();
        let (ready, spinning, most) =
            (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for turn in turns {
                scope.spawn(|| {
                    ready.fetch_add(1, Ordering::SeqCst);
                    let taken = turn.take().unwrap().expect("all become ready");
                    assert_eq!(ready.load(Ordering::SeqCst), 7);
                    most.fetch_max(spinning.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    spinning.fetch_sub(1, Ordering::SeqCst);
                    drop(taken);
                });
            }
        });
        assert!(most.load(Ordering::SeqCst) <= 2);
    }

    #[test]
    fn a_node_that_fails_before_its_turn_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        let sharing = Sharing { nodes: 2, cores: 1 };
        let turn = |node| Turn::new(folder.path(), "launch-0", node, sharing).unwrap();
        let (first, second) = (turn(0), turn(1));
        drop(first);
        assert!(second.take().unwrap().is_some());
    }
}
