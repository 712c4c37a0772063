//! The log of a node's watcher, and how it is closed.

use super::{Cause, CauseSpan, table};
use crate::input::open_input;
use crate::log::{LogHead, LogHeadError, LogReader, LogWriter};
use crate::row::BASE_WORDS;
use crate::{NodeSheet, RecordError, RunInfo, Schema};
use clock::{Model, Ticks};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Appends spans in raw ticks. Each append is one write: what it wrote survives the process.
pub struct CauseLog {
    path: PathBuf,
    writer: LogWriter,
    words: Vec<u64>,
}

impl CauseLog {
    /// Begin the log of a node in `live`, the folder of the run's logs.
    ///
    /// # Errors
    /// When it exists already or cannot be written.
    pub fn begin(live: &Path, launch: u32, node: u32) -> Result<CauseLog, RecordError> {
        let path = log_path(live, launch, node);
        let failed = |error| RecordError::file("write", &path, error);
        let file = File::options().write(true).create_new(true).open(&path).map_err(failed)?;
        let head = LogHead { launch, node, schema: Schema::default() };
        let writer = LogWriter::new(file, &head).map_err(failed)?;
        Ok(CauseLog { path, writer, words: Vec::new() })
    }

    /// Note a span of the node's own clock; it is written by [`CauseLog::flush`].
    pub fn note(&mut self, cause: Cause, from: Ticks, to: Ticks, amount: i64) {
        self.words.extend([cause as u64, from.0, to.0, amount as u64, 0, 0, 0, 0]);
    }

    /// Write what was noted.
    ///
    /// # Errors
    /// When the disk is full, for one; what was noted is dropped then.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        let written = self
            .words
            .chunks(crate::log::chunk_rows_max(BASE_WORDS) * BASE_WORDS)
            .try_for_each(|rows| self.writer.append(rows));
        self.words.clear();
        written.map_err(|error| RecordError::file("write", &self.path, error))
    }
}

fn log_path(live: &Path, launch: u32, node: u32) -> PathBuf {
    live.join(format!("{}.causes.log", NodeSheet::stem_of(launch, node)))
}

/// Put the log of a node's watcher, where there is one, on the timeline. What is wrong with it is
/// noted in `info` and keeps nothing else from being closed.
pub(crate) fn close(
    run: &Path,
    live: &Path,
    sheet: &NodeSheet,
    model: Option<&Model>,
    info: &mut RunInfo,
) -> Result<(), RecordError> {
    let path = log_path(live, sheet.launch, sheet.node);
    let file = match open_input(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(RecordError::file("read", &path, error)),
    };
    let mut note = |what: &str| {
        info.notes.push(format!("launch {}, node {}: causes {what}", sheet.launch, sheet.node))
    };
    let Some(model) = model else {
        note("are left out: its clock could not be fitted");
        return Ok(());
    };
    let log = LogReader::new(file).map_err(|error| RecordError::file("read", &path, error))?;
    let mut log = match log {
        Ok(log) if log.head().schema == Schema::default() => log,
        Ok(_) | Err(LogHeadError::NotALog(_)) => {
            note("are left out: the header of the watcher's log is damaged");
            return Ok(());
        }
        Err(LogHeadError::TooNew(found)) => {
            return Err(RecordError::TooNew { path, found: u64::from(found) });
        }
    };
    let mut table = table::create(run, sheet.launch, sheet.node)?;
    let mut words = Vec::new();
    let mut unknown = 0_u64;
    while log.next_rows(&mut words).map_err(|error| RecordError::file("read", &path, error))? {
        for row in words.chunks_exact(BASE_WORDS) {
            match span(row, model) {
                Some(span) => table::push(&mut table, &span)?,
                None => unknown += 1,
            }
        }
    }
    table.finish()?;
    let damage = log.damage();
    if damage.chunks > 0 || unknown > 0 {
        note(&format!(
            "lack {} damaged pieces of the watcher's log and {unknown} spans of no known kind",
            damage.chunks
        ));
    }
    Ok(())
}

/// A row of the log on the timeline; `None` if it names no cause.
fn span(row: &[u64], model: &Model) -> Option<CauseSpan> {
    let cause = u8::try_from(row[0]).ok().and_then(Cause::from_code)?;
    let at = |ticks: u64| model.timeline(Ticks(ticks)).0;
    Some(CauseSpan { cause, from_ns: at(row[1]), to_ns: at(row[2]), amount: row[3] as i64 })
}
