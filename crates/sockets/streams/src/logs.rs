//! The logs of a run's processes: their heads, and their words a chunk at a time.

use crate::entry::{CHUNK_BYTES, HEAD_BYTES, SLOT_WORDS, head};
use crate::window::{Role, place_of};
use crate::{CloseError, LOG_ENDING, ProcessFacts, rings_file};
use record::{NodeSheet, RunId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fs::File;
use std::io::{Error, Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Bytes that are read at once: whole chunks.
const PIECE: usize = 16 * CHUNK_BYTES;

/// A process that left a log.
pub(crate) struct Process {
    pub sheet: NodeSheet,
    pub facts: ProcessFacts,
    /// The log's head.
    pub head: [u64; head::WORDS],
    /// What it logged at a later tick is left.
    pub until: u64,
    /// It still runs, and logs.
    pub goes_on: bool,
    /// Whoever looked on from outside saw that it has set up io_uring.
    pub has_rings: bool,
    path: PathBuf,
    windows: OnceLock<Windows>,
}

/// The windows of a log, and what they stand for.
#[derive(Default)]
struct Windows {
    /// Those of a process that goes on, as they were when they were looked at: what is in them
    /// moves on.
    seen: FxHashMap<u32, Vec<u64>>,
    /// Chunks whose slots count elsewhere.
    passed_over: FxHashSet<u32>,
}

impl Process {
    /// The process of this sheet; `None` where it left no log.
    pub fn find(
        live: &Path,
        sheet: NodeSheet,
        run: Option<RunId>,
    ) -> Result<Option<Process>, CloseError> {
        let path = live.join(format!("{}.{LOG_ENDING}", sheet.stem()));
        let mut bytes = [0; HEAD_BYTES];
        let read = File::open(&path).and_then(|mut file| file.read_exact(&mut bytes));
        match read {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(CloseError::file("read", &path, error)),
            Ok(()) => {}
        }
        let mut head = [0; head::WORDS];
        words_of(&bytes[..head::WORDS * 8], |at, word| head[at] = word);
        let foreign = |what| Err(CloseError::Foreign { path: path.clone(), what });
        if head[0] != head::MAGIC {
            return foreign("is no log of a traced process; take it away");
        }
        if head[head::FORMAT_AT] != head::FORMAT {
            return foreign("was written by another version; close the run with that version");
        }
        let words = run.map_or([0; 2], RunId::words);
        if head[head::RUN_AT..head::RUN_AT + 2] != words {
            return foreign("is a log of another run; take it away, or bring the right one back");
        }
        let facts = ProcessFacts::in_head(&bytes).unwrap_or(ProcessFacts {
            name: format!("process {}", sheet.pid),
            pid: sheet.pid,
            parent: 0,
        });
        let has_rings = rings_file(live, sheet.node).exists();
        let (until, goes_on) = (u64::MAX, false);
        let windows = OnceLock::new();
        Ok(Some(Process { sheet, facts, head, until, goes_on, has_rings, path, windows }))
    }

    /// Whether a process of its number on this machine has its log mapped.
    pub fn is_alive(&self) -> bool {
        let Ok(path) = self.path.canonicalize() else { return false };
        let path = path.as_os_str().as_bytes();
        let maps = std::fs::read(format!("/proc/{}/maps", self.facts.pid)).unwrap_or_default();
        maps.split(|byte| *byte == b'\n').any(|line| line.ends_with(path))
    }

    /// Go through its log, a chunk at a time: their numbers, and the words of their slots.
    pub fn each_chunk(&self, mut take: impl FnMut(u32, &[u64])) -> Result<(), CloseError> {
        let windows = self.windows()?;
        let mut file = File::open(&self.path).map_err(|error| self.failed(error))?;
        file.seek(SeekFrom::Start(HEAD_BYTES as u64)).map_err(|error| self.failed(error))?;
        let (mut bytes, mut words, mut number) = (Vec::new(), Vec::new(), 0);
        loop {
            bytes.clear();
            let piece = (&mut file).take(PIECE as u64).read_to_end(&mut bytes);
            piece.map_err(|error| self.failed(error))?;
            if bytes.is_empty() {
                return Ok(());
            }
            for chunk in bytes.chunks(CHUNK_BYTES) {
                words.clear();
                words_of(chunk, |_, word| words.push(word));
                take(number, windows.slots_of(number, &words));
                number += 1;
            }
        }
    }

    /// The words of the slots of a chunk.
    pub fn chunk(&self, number: u32) -> Result<Vec<u64>, CloseError> {
        let windows = self.windows()?;
        let file = File::open(&self.path).map_err(|error| self.failed(error))?;
        let words = words_at(&file, number).map_err(|error| self.failed(error))?;
        Ok(windows.slots_of(number, &words).to_vec())
    }

    /// Looked at once, and not before it is known whether the process goes on.
    fn windows(&self) -> Result<&Windows, CloseError> {
        if let Some(windows) = self.windows.get() {
            return Ok(windows);
        }
        let looked = || -> Result<Windows, Error> {
            let file = File::open(&self.path)?;
            Windows::of(&file, self.chunks(), self.goes_on)
        };
        let windows = looked().map_err(|error| self.failed(error))?;
        Ok(self.windows.get_or_init(|| windows))
    }

    /// Chunks of its log, of which the last may not be whole.
    pub fn chunks(&self) -> u64 {
        let bytes = self.path.metadata().map_or(0, |about| about.len());
        bytes.saturating_sub(HEAD_BYTES as u64).div_ceil(CHUNK_BYTES as u64)
    }

    fn failed(&self, error: Error) -> CloseError {
        CloseError::file("read", &self.path, error)
    }
}

impl Windows {
    /// Of a log of so many chunks.
    fn of(file: &File, chunks: u64, goes_on: bool) -> Result<Windows, Error> {
        let mut windows = Windows::default();
        for number in 0..chunks as u32 {
            match role_at(file, number)? {
                Role::Kept => {}
                Role::Written => {
                    windows.passed_over.insert(number);
                }
                Role::Fills(_) if goes_on => windows.see(file, number)?,
                Role::Fills(chunk) => {
                    windows.passed_over.insert(chunk);
                }
            }
        }
        Ok(windows)
    }

    /// Take what is in a window while its thread goes on. Slots are only added, until the window
    /// gets another role.
    fn see(&mut self, file: &File, number: u32) -> Result<(), Error> {
        loop {
            let role = role_at(file, number)?;
            let Role::Fills(chunk) = role else {
                self.passed_over.insert(number);
                return Ok(());
            };
            let words = words_at(file, number)?;
            if role_at(file, number)? == role {
                self.passed_over.insert(chunk);
                self.seen.insert(number, words);
                return Ok(());
            }
        }
    }

    /// Of the words of a chunk, those of its slots that count.
    fn slots_of<'a>(&'a self, number: u32, words: &'a [u64]) -> &'a [u64] {
        let words = match self.seen.get(&number) {
            Some(seen) => seen.as_slice(),
            None if self.passed_over.contains(&number) => &[],
            None => words,
        };
        words.get(SLOT_WORDS..).unwrap_or(&[])
    }
}

fn role_at(file: &File, number: u32) -> Result<Role, Error> {
    let mut word = [0; 8];
    match file.read_exact_at(&mut word, place_of(number)) {
        // It was cut off there.
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(Role::Kept),
        read => read.map(|()| Role::of(u64::from_le_bytes(word))),
    }
}

/// The words of a chunk, as far as the file has them.
fn words_at(mut file: &File, number: u32) -> Result<Vec<u64>, Error> {
    file.seek(SeekFrom::Start(place_of(number)))?;
    let mut bytes = Vec::with_capacity(CHUNK_BYTES);
    file.take(CHUNK_BYTES as u64).read_to_end(&mut bytes)?;
    let mut words = Vec::with_capacity(bytes.len() / 8);
    words_of(&bytes, |_, word| words.push(word));
    Ok(words)
}

fn words_of(bytes: &[u8], mut take: impl FnMut(usize, u64)) {
    for (at, word) in bytes.chunks_exact(8).enumerate() {
        take(at, u64::from_le_bytes(word.try_into().expect("eight bytes")));
    }
}

#[cfg(test)]
mod tests;
