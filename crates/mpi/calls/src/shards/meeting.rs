//! How processes that close a run together find each other: in a folder beside the logs.
//!
//! The first of them holds the run's lock and makes the folder; each has a lock of its own there
//! for as long as it lives, so that nobody waits for one that has died. What a share has written
//! it says in a file, which appears whole; all read all of them and come to the same conclusion.

use super::Part;
use crate::CloseError;
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long the others may take to come.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often is looked.
const LOOK: Duration = Duration::from_millis(20);

/// One of the processes, and where it meets the others.
pub(crate) struct Meeting {
    run: PathBuf,
    folder: PathBuf,
    at: u32,
    of: u32,
    begun: Instant,
    _lock: File,
}

#[derive(PartialEq, Eq)]
enum Presence {
    NotYet,
    Here,
    Gone,
}

impl Meeting {
    /// The first of them calls the others together. It holds the run's lock.
    pub fn call(run: &Path, of: u32) -> Result<Meeting, CloseError> {
        let live = &run.join(LIVE);
        let folder = folder_of(run, of);
        let draft = live.join(".meeting");
        let failed = |error| CloseError::file("make", &folder, error);
        for old in std::fs::read_dir(live).map_err(failed)?.flatten() {
            // One that was killed has left it.
            let name = old.file_name();
            if name.to_string_lossy().starts_with(NAME) || name == ".meeting" {
                std::fs::remove_dir_all(old.path()).map_err(failed)?;
            }
        }
        std::fs::create_dir(&draft).map_err(failed)?;
        let lock = take_lock(&draft, 0)?;
        std::fs::rename(&draft, &folder).map_err(failed)?;
        Ok(Meeting::begin(run, folder, (0, of), lock))
    }

    /// Another comes, as soon as the first one is there. `None` when the run is closed already.
    pub fn join(run: &Path, at: u32, of: u32) -> Result<Option<Meeting>, CloseError> {
        let (folder, begun) = (folder_of(run, of), Instant::now());
        while presence(&folder, 0)? != Presence::Here {
            if !record::is_open(run)? {
                return Ok(None);
            }
            if begun.elapsed() > PATIENCE {
                return Err(CloseError::ShareAbsent { at: 0, of });
            }
            std::thread::sleep(LOOK);
        }
        let lock = take_lock(&folder, at)?;
        Ok(Some(Meeting::begin(run, folder, (at, of), lock)))
    }

    fn begin(run: &Path, folder: PathBuf, (at, of): (u32, u32), lock: File) -> Meeting {
        let run = run.to_path_buf();
        Meeting { run, folder, at, of, begun: Instant::now(), _lock: lock }
    }

    /// Say what this share has written, and hear it of all. `None` when the run has been closed
    /// meanwhile: the first one has heard all, and nobody had anything to say against it.
    pub fn exchange(&self, round: u32, part: &Part) -> Result<Option<Vec<Part>>, CloseError> {
        let path = self.file(round, self.at);
        let text = serde_json::to_vec(part).expect("plain data is JSON");
        record::write_whole(&path, |file| file.write_all(&text))
            .map_err(|error| CloseError::file("write", &path, error))?;
        (0..self.of).map(|at| self.hear(round, at)).collect()
    }

    /// Wait until the first one has closed the run.
    pub fn wait_for_the_end(&self) -> Result<(), CloseError> {
        loop {
            // In this order: the first one may end between the two.
            let there = presence(&self.folder, 0)? == Presence::Here;
            if !record::is_open(&self.run)? {
                return Ok(());
            }
            if !there {
                return Err(CloseError::ShareGone { at: 0, of: self.of });
            }
            std::thread::sleep(LOOK);
        }
    }

    fn hear(&self, round: u32, at: u32) -> Result<Option<Part>, CloseError> {
        let path = self.file(round, at);
        loop {
            let presence = presence(&self.folder, at)?;
            match record::read_input(&path) {
                Ok(text) => {
                    return serde_json::from_slice(&text)
                        .map(Some)
                        .map_err(|error| CloseError::file("read", &path, error.into()));
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(CloseError::file("read", &path, error)),
            }
            if self.at != 0 && !record::is_open(&self.run)? {
                return Ok(None);
            }
            match presence {
                Presence::Here => {}
                Presence::Gone => return Err(CloseError::ShareGone { at, of: self.of }),
                Presence::NotYet if self.begun.elapsed() < PATIENCE => {}
                Presence::NotYet => return Err(CloseError::ShareAbsent { at, of: self.of }),
            }
            std::thread::sleep(LOOK);
        }
    }

    fn file(&self, round: u32, at: u32) -> PathBuf {
        self.folder.join(format!("round-{round}-share-{at}.json"))
    }
}

const LIVE: &str = "live";
const NAME: &str = "shares-of-";

fn folder_of(run: &Path, of: u32) -> PathBuf {
    run.join(LIVE).join(format!("{NAME}{of}"))
}

fn lock_of(folder: &Path, at: u32) -> PathBuf {
    folder.join(format!("{at}.lock"))
}

/// Be there. The file has its name only once it is locked.
fn take_lock(folder: &Path, at: u32) -> Result<File, CloseError> {
    let path = lock_of(folder, at);
    let failed = |error| CloseError::file("lock", &path, error);
    if presence(folder, at)? == Presence::Here {
        return Err(CloseError::ShareTwice { at });
    }
    let draft = record::named_temporary(folder).map_err(failed)?;
    draft.as_file().lock().map_err(failed)?;
    draft.persist(&path).map_err(|error| failed(error.error))
}

fn presence(folder: &Path, at: u32) -> Result<Presence, CloseError> {
    let path = lock_of(folder, at);
    let file = match record::open_input(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Presence::NotYet),
        Err(error) => return Err(CloseError::file("open", &path, error)),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(Presence::Gone),
        Err(TryLockError::WouldBlock) => Ok(Presence::Here),
        Err(TryLockError::Error(error)) => Err(CloseError::file("lock", &path, error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::Written;
    use crate::runner::Counts;

    fn part(matched: u64) -> Part {
        let written = Written { matched, ..Written::default() };
        Part { counts: Counts::default(), written, rows: Vec::new() }
    }

    fn run() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        record::RunFolder::create(&path, record::RunInfo::new("test")).unwrap();
        (folder, path)
    }

    #[test]
    fn all_hear_all_and_one_that_has_died_is_named() {
        let (_folder, run) = run();
        let first = Meeting::call(&run, 3).unwrap();
        let others: Vec<_> =
            (1..3).map(|at| Meeting::join(&run, at, 3).unwrap().unwrap()).collect();
        let heard: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = others
                .iter()
                .zip(1..)
                .map(|(other, matched)| scope.spawn(move || other.exchange(0, &part(matched))))
                .collect();
            let mut heard = vec![first.exchange(0, &part(0)).unwrap()];
            heard.extend(threads.into_iter().map(|thread| thread.join().unwrap().unwrap()));
            heard
        });
        let expected: Vec<Part> = (0..3).map(part).collect();
        assert!(heard.iter().all(|one| one.as_ref() == Some(&expected)));
        let twice = Meeting::join(&run, 2, 3);
        assert!(matches!(twice, Err(CloseError::ShareTwice { at: 2 })));
        drop(others);
        let gone = first.exchange(1, &part(0));
        assert!(matches!(gone, Err(CloseError::ShareGone { at: 1, of: 3 })));
    }

    #[test]
    fn what_a_killed_one_left_is_in_nobodys_way() {
        let (_folder, run) = run();
        drop(Meeting::call(&run, 2).unwrap());
        let first = Meeting::call(&run, 2).unwrap();
        assert!(Meeting::join(&run, 1, 2).unwrap().is_some());
        let gone = first.exchange(0, &part(0));
        assert!(matches!(gone, Err(CloseError::ShareGone { at: 1, of: 2 })));
    }
}
