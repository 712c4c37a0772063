//! Recording: what a node calls for every message, and what happens when its buffer is full.
//!
//! [`Recorder::push`] stores a row's words into a ring in named memory and then the count of rows:
//! no lock, no allocation, no system call. Everything else (writing, waiting, counting what was
//! dropped) is cold and lives behind a box.
//!
//! Rows leave the ring in one of two ways. [`Mode::Memory`]: nothing is written until the node
//! ends. [`Mode::Stream`]: a thread appends them to the live log while the run goes on. In either,
//! what a killed node had pushed is in the ring's named memory and in the log, and the run's first
//! reader finds it there.

use crate::anchoring::{Anchoring, Anchorings};
use crate::buffer;
use crate::buffer_head::Owner;
use crate::folder_lock::FolderLock;
use crate::keep::{Keeper, KeeperThread};
use crate::log::{LogHead, LogWriter};
use crate::ring::Producer;
use crate::row::ABSENT;
use crate::{NodeSheet, Pauses, RecordError, Row, RunId, Schema};
use clock::{Anchor, Clock};
use memory::Region;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How a node records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RecorderOptions {
    /// When rows are written.
    pub mode: Mode,
    /// Rows that the buffer holds, 64 bytes each and 8 more for each extra column.
    pub capacity_rows: u64,
    /// What happens when it is full.
    pub when_full: WhenFull,
}

/// When rows are written to disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// At the end: nothing touches the disk while messages are measured.
    Memory,
    /// All the time, by a thread: for runs longer than memory.
    Stream,
}

/// What happens to a message when the buffer is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhenFull {
    /// Measuring stops until there is room, and the pause is counted.
    Block,
    /// Its row is dropped and counted.
    Drop,
}

impl Default for RecorderOptions {
    /// Stream through 2^18 rows (16 MiB), dropping what does not fit.
    fn default() -> RecorderOptions {
        RecorderOptions { mode: Mode::Stream, capacity_rows: 1 << 18, when_full: WhenFull::Drop }
    }
}

/// Keeps a node's rows. One for each node, used by one thread at a time.
pub struct Recorder {
    ring: Producer<Region>,
    extras: usize,
    cold: Box<Cold>,
}

/// What recording one message does not need.
struct Cold {
    sheet: NodeSheet,
    sheet_path: PathBuf,
    log_path: PathBuf,
    /// `None` once the recorder has ended.
    way: Option<Way>,
    /// Has the node's clock written down.
    _anchoring: Option<Arc<Anchoring>>,
    /// `None`: waits for room are counted, but not timed.
    pauses: Option<Arc<Pauses>>,
    /// Shared with nobody: says to everybody that this node still records.
    _lock: FolderLock,
}

/// Who empties the ring.
enum Way {
    Inline(Keeper),
    Thread(KeeperThread),
}

/// Most words that a schema can add to a row.
const EXTRAS_MAX: usize = 8;

impl Recorder {
    pub(crate) fn begin(
        live: &Path,
        run: Option<(RunId, &Path)>,
        mut sheet: NodeSheet,
        schema: &Schema,
        options: RecorderOptions,
        anchorings: &Anchorings,
        lock: FolderLock,
    ) -> Result<Recorder, RecordError> {
        if options.capacity_rows == 0 || options.capacity_rows > crate::MAX_CAPACITY_ROWS {
            return Err(RecordError::Capacity { rows: options.capacity_rows });
        }
        let log_path = live.join(sheet.stem() + ".log");
        let log = begin_log(&log_path, &sheet, schema)?;
        let owner = run.map(|(run, folder)| Owner::of(run, &sheet, folder));
        let (ring, consumer) =
            buffer::reserve(&mut sheet, owner, schema.stride(), options.capacity_rows)?;
        (sheet.schema, sheet.recorder) = (schema.clone(), options);
        let sheet_path = live.join(sheet.stem() + ".json");
        sheet.save(&sheet_path)?;
        let keeper = Keeper::new(consumer, log, schema.stride());
        let way =
            match options.mode {
                Mode::Memory => Way::Inline(keeper),
                Mode::Stream => Way::Thread(KeeperThread::begin(keeper).map_err(|error| {
                    RecordError::file("start a thread to write", &log_path, error)
                })?),
            };
        let anchoring = anchorings.hold(live, &sheet)?;
        let cold = Cold {
            sheet,
            sheet_path,
            log_path,
            way: Some(way),
            _anchoring: anchoring,
            pauses: None,
            _lock: lock,
        };
        Ok(Recorder { ring, extras: schema.stride() - crate::BASE_WORDS, cold: Box::new(cold) })
    }

    /// Record a message. The schema's extra columns, if any, are null in its row.
    #[inline(always)]
    pub fn push(&mut self, row: &Row) {
        const ABSENT_EXTRAS: [u64; EXTRAS_MAX] = [ABSENT; EXTRAS_MAX];
        if self.ring.has_room() || self.make_room() {
            self.ring.push(&row.pack(), &ABSENT_EXTRAS[..self.extras]);
        }
    }

    /// Record a message with a word for each extra column of the schema, in the schema's order;
    /// [`ABSENT`] is null.
    ///
    /// # Panics
    /// When the number of words is not the schema's: a bug of the caller.
    #[inline(always)]
    pub fn push_with(&mut self, row: &Row, extras: &[u64]) {
        assert!(extras.len() == self.extras, "the schema has another number of extra columns");
        if self.ring.has_room() || self.make_room() {
            self.ring.push(&row.pack(), extras);
        }
    }

    /// Words that a row needs besides the base: what [`Recorder::push_with`] expects.
    pub fn extras(&self) -> usize {
        self.extras
    }

    /// Rows recorded so far.
    pub fn recorded(&self) -> u64 {
        self.ring.pushed()
    }

    /// Rows dropped so far because the buffer was full.
    pub fn dropped(&self) -> u64 {
        self.ring.dropped()
    }

    /// Time each wait for room by `clock`, the node's own, from now on. What is returned is for the
    /// node's watcher.
    pub fn time_pauses(&mut self, clock: Clock) -> Arc<Pauses> {
        let pauses = Arc::new(Pauses::new(clock, self.cold.sheet.quality.ns_per_tick));
        self.cold.pauses = Some(pauses.clone());
        pauses
    }

    /// Whether rows can be kept as things are. Costs one load; ask now and then in a long run.
    ///
    /// # Errors
    /// When the live log cannot be written. Recording goes on as long as the buffer has room, and
    /// writing is tried again.
    pub fn check(&self) -> Result<(), RecordError> {
        let failure = match self.cold.way.as_ref() {
            Some(Way::Inline(keeper)) => keeper.failing(),
            Some(Way::Thread(thread)) => thread.failing(),
            None => None,
        };
        failure.map_or(Ok(()), |error| Err(RecordError::file("write", &self.cold.log_path, error)))
    }

    /// What the node's sheet says so far.
    pub fn sheet(&self) -> &NodeSheet {
        &self.cold.sheet
    }

    /// Change the sheet (add an anchor, an offset, a note) and write it. Not for the hot path.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn update_sheet(&mut self, change: impl FnOnce(&mut NodeSheet)) -> Result<(), RecordError> {
        change(&mut self.cold.sheet);
        self.cold.sheet.save(&self.cold.sheet_path)
    }

    /// The node ends: write what is still in the buffer, give the buffer back, complete the sheet.
    ///
    /// # Errors
    /// When something cannot be written. The buffer then stays, and closing the run finds the rows
    /// in it.
    pub fn finish(mut self, end: Anchor) -> Result<NodeSheet, RecordError> {
        let kept = self.end_keeping();
        let (recorded, dropped) = (self.recorded(), self.dropped());
        let cold = &mut *self.cold;
        let buffer = if kept.is_ok() { cold.sheet.buffer.take() } else { None };
        let sheet = &mut cold.sheet;
        sheet.anchors.push(end);
        (sheet.recorded, sheet.dropped, sheet.finished) = (recorded, dropped, true);
        if let Err(error) = &kept {
            sheet.notes.push(error.to_string());
        }
        let saved = sheet.save(&cold.sheet_path);
        kept?;
        saved?;
        if let Some(buffer) = buffer {
            // All rows are in the log, and the sheet no longer names the buffer: if this fails, it
            // is a leftover that holds nothing.
            let _ = Region::remove(&buffer);
        }
        Ok(cold.sheet.clone())
    }

    /// A full ring: wait, write or give up, as the options say. Whether there is room now.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self) -> bool {
        if self.ring.look_again() {
            return true;
        }
        let block = self.cold.sheet.recorder.when_full == WhenFull::Block;
        if block && self.timed_pause() && self.ring.look_again() {
            return true;
        }
        self.ring.count_dropped();
        false
    }

    /// [`Self::pause`], noted for the watcher.
    fn timed_pause(&mut self) -> bool {
        let Some(pauses) = self.cold.pauses.clone() else { return self.pause() };
        let from = pauses.now();
        let has_room = self.pause();
        pauses.note(from);
        has_room
    }

    /// Stop measuring until rows have left the ring; `false` when they cannot.
    fn pause(&mut self) -> bool {
        let cold = &mut *self.cold;
        match cold.way.as_mut() {
            // After a failure each further message would try the disk again, at a system call each.
            Some(Way::Inline(keeper)) if keeper.failing().is_none() => {
                cold.sheet.pauses += 1;
                keeper.keep_all().is_ok()
            }
            Some(Way::Thread(thread)) if thread.failing().is_none() => {
                cold.sheet.pauses += 1;
                while !self.ring.look_again() && thread.failing().is_none() {
                    thread.hurry();
                }
                true
            }
            _ => false,
        }
    }

    /// Have everything written, and end the thread.
    fn end_keeping(&mut self) -> Result<(), RecordError> {
        let mut keeper = match self.cold.way.take() {
            Some(Way::Inline(keeper)) => keeper,
            Some(Way::Thread(thread)) => thread.end(),
            None => return Ok(()),
        };
        let kept = keeper.keep_all();
        if let Some(earlier) = keeper.ever_failed() {
            let note = format!("the live log could not be written for some time: {earlier}");
            self.cold.sheet.notes.push(note);
        }
        kept.map_err(|error| RecordError::file("write", &self.cold.log_path, error))
    }
}

impl Drop for Recorder {
    /// A recorder that is dropped without [`Recorder::finish`] (its node failed) keeps its rows;
    /// its sheet says that the node did not come to its end.
    fn drop(&mut self) {
        // Nobody is left to tell: what cannot be written stays in the buffer.
        let _ = self.end_keeping();
    }
}

fn begin_log(path: &Path, sheet: &NodeSheet, schema: &Schema) -> Result<LogWriter, RecordError> {
    let file = std::fs::File::create_new(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => RecordError::NodeTaken {
            launch: sheet.launch,
            node: sheet.node,
            path: path.to_path_buf(),
        },
        _ => RecordError::file("create", path, error),
    })?;
    let head = LogHead { launch: sheet.launch, node: sheet.node, schema: schema.clone() };
    LogWriter::new(file, &head).map_err(|error| RecordError::file("write", path, error))
}
