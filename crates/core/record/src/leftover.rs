//! What killed processes left in shared memory and among temporary files: whose it is, and whether
//! it may go.
//!
//! Rows that nobody has read are not rubbish: a buffer of a run whose folder is there stays until a
//! reader has closed that run.

use crate::State;
use crate::buffer_head::{self, Head};
use crate::run_files::{Found, find};
use memory::{Claim, Unclaimed, owner_of};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

/// Something that a process of this program has made under a name of its own, and that is there
/// now.
#[derive(Debug)]
pub struct Leftover {
    /// Where it is.
    pub path: PathBuf,
    /// Memory or disk that it takes up.
    pub bytes: u64,
    /// Whether it may go.
    pub verdict: Verdict,
    claim: Option<Claim>,
}

/// Whether something may be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A process that is running uses it.
    InUse,
    /// It holds what is left of a killed run that nobody has read since.
    Unread {
        /// The run's folder.
        run: PathBuf,
        /// How many rows; perhaps none.
        rows: u64,
    },
    /// Nobody uses it, and nothing in it is of use to anybody.
    Useless,
    /// Nobody uses it; it holds rows of a run whose folder is gone.
    Orphaned {
        /// Where the run's folder was.
        run: PathBuf,
        /// How many rows.
        rows: u64,
    },
    /// It cannot be told whether anybody needs it.
    Unknown(String),
}

impl Verdict {
    /// Whether it belongs to nobody.
    pub fn is_rubbish(&self) -> bool {
        matches!(self, Verdict::Useless | Verdict::Orphaned { .. })
    }
}

impl Leftover {
    /// Everything that is there now, temporary folders first: runs in them go with them.
    pub fn all() -> Vec<Leftover> {
        let folders = [std::env::temp_dir(), memory::shared_folder()];
        let mut paths: Vec<PathBuf> =
            folders.into_iter().flat_map(|folder| names(folder, is_ours)).collect();
        paths.dedup();
        paths.into_iter().map(Leftover::at).collect()
    }

    fn at(path: PathBuf) -> Leftover {
        let bytes = || std::fs::symlink_metadata(&path).map_or(0, |about| about.len());
        if path.file_name().is_some_and(is_meeting) {
            return Leftover::of_meeting(path);
        }
        if path.file_name().and_then(owner_of).is_none() {
            let why = "another version or program made it, so its use is unknown";
            return Leftover {
                bytes: bytes(),
                path,
                verdict: Verdict::Unknown(why.into()),
                claim: None,
            };
        }
        match Claim::on(&path) {
            Ok(claim) => {
                let verdict = if claim.is_folder() {
                    Verdict::Useless
                } else {
                    judge(buffer_head::head_of(&claim))
                };
                Leftover { path, bytes: claim.bytes(), verdict, claim: Some(claim) }
            }
            Err(Unclaimed::InUse) => {
                Leftover { bytes: bytes(), path, verdict: Verdict::InUse, claim: None }
            }
            Err(why) => {
                let verdict = Verdict::Unknown(why.to_string());
                Leftover { bytes: bytes(), path, verdict, claim: None }
            }
        }
    }

    /// A file by which the ranks of a job find each other. Nobody locks one; but none of use is
    /// old.
    fn of_meeting(path: PathBuf) -> Leftover {
        let about = std::fs::symlink_metadata(&path);
        let age =
            about.and_then(|about| about.modified()).ok().and_then(|made| made.elapsed().ok());
        match Claim::on(&path) {
            Ok(claim) if age.is_some_and(|age| age > MEETING_MAX) => Leftover {
                path,
                bytes: claim.bytes(),
                verdict: Verdict::Useless,
                claim: Some(claim),
            },
            Ok(_) | Err(Unclaimed::InUse) => {
                Leftover { path, bytes: 0, verdict: Verdict::InUse, claim: None }
            }
            Err(why) => {
                Leftover { path, bytes: 0, verdict: Verdict::Unknown(why.to_string()), claim: None }
            }
        }
    }

    /// Remove it if it is rubbish: nobody can have begun to use it since it was looked at.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn remove(mut self) -> std::io::Result<()> {
        match self.claim.take() {
            Some(claim) if self.verdict.is_rubbish() => claim.remove(),
            _ => Ok(()),
        }
    }
}

fn judge(head: Option<Head>) -> Verdict {
    let Some(head) = head else { return Verdict::Useless };
    let Some(owner) = head.owner else {
        return Verdict::Unknown("its header does not say which run it belongs to".into());
    };
    let (run, rows) = (owner.folder, head.unread);
    match find(&run, owner.run) {
        // An empty one too: a reader who does not find it must take rows for lost.
        Found::State(State::Open) => Verdict::Unread { run, rows },
        Found::State(_) => Verdict::Useless,
        Found::Gone if rows == 0 => Verdict::Useless,
        Found::Gone => Verdict::Orphaned { run, rows },
        Found::Unreadable(why) => Verdict::Unknown(format!("its run cannot be read: {why}")),
    }
}

/// Longest time that ranks wait for each other, and as much again.
const MEETING_MAX: Duration = Duration::from_secs(120);

/// Most names that are looked at unasked.
const LOOKS_MAX: usize = 256;

/// Remove what nobody needs, unasked: at the beginning of a run, a few of them, and nothing that
/// holds a row.
pub(crate) fn sweep() {
    let folders = [std::env::temp_dir(), memory::shared_folder()];
    let ours = |name: &OsStr| owner_of(name).is_some();
    let paths = folders.into_iter().flat_map(|folder| names(folder, ours)).take(LOOKS_MAX);
    for leftover in paths.map(Leftover::at).filter(|leftover| leftover.verdict == Verdict::Useless)
    {
        let _ = leftover.remove();
    }
}

/// Shared memory is short: remove what nobody needs. How many bytes that gave.
pub fn make_room() -> u64 {
    let ours = |name: &OsStr| owner_of(name).is_some();
    let rubbish = names(memory::shared_folder(), ours).map(Leftover::at);
    let removed = rubbish.filter(|leftover| leftover.verdict.is_rubbish()).map(|leftover| {
        let bytes = leftover.bytes;
        leftover.remove().map_or(0, |()| bytes)
    });
    removed.sum()
}

/// What is in shared memory under the name of an owner.
pub(crate) fn of_owner(owner: u128) -> Vec<PathBuf> {
    names(memory::shared_folder(), |name| owner_of(name) == Some(owner)).collect()
}

fn is_ours(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with("fourstamp-") || is_meeting(name)
}

fn is_meeting(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with(".fourstamp-job-")
}

fn names(folder: PathBuf, wanted: impl Fn(&OsStr) -> bool) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(move |entry| wanted(&entry.file_name())).map(|entry| entry.path())
}
