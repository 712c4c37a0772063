//! Every row that a node left: those in its live log, then those still in its buffer.

use crate::buffer::Buffers;
use crate::input::open_input;
use crate::log::{LogHeadError, LogReader};
use crate::ring::Consumer;
use crate::{NodeSheet, RecordError};
use memory::Region;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Rows of one node in the order recorded. Memory: a chunk of the log.
pub(crate) struct RowSource {
    log: LogReader<File>,
    log_path: PathBuf,
    buffer: Option<Consumer<Region>>,
    rows: Vec<u64>,
    lost: RowsLost,
    stride: usize,
    in_log: bool,
    given: u64,
    /// Rows that the node recorded, as far as anything tells.
    expected: u64,
}

/// What a node's rows lack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowsLost {
    pub dropped: u64,
    pub damaged_chunks: u64,
    pub damaged_rows: u64,
    pub buffer_missing: bool,
    pub failures: Vec<String>,
}

/// Rows copied from a buffer at a time.
const BUFFER_ROWS: u64 = 1 << 14;

impl RowSource {
    pub fn open(
        live: &Path,
        sheet: &NodeSheet,
        buffers: &Buffers,
    ) -> Result<RowSource, RecordError> {
        let log_path = live.join(sheet.stem() + ".log");
        let failed = |error| RecordError::file("read", &log_path, error);
        let file = open_input(&log_path).map_err(failed)?;
        let log = match LogReader::new(file).map_err(failed)? {
            Ok(log) => log,
            Err(LogHeadError::NotALog(what)) => return Err(RecordError::damaged(&log_path, what)),
            Err(LogHeadError::TooNew(found)) => {
                return Err(RecordError::TooNew { path: log_path, found: u64::from(found) });
            }
        };
        if log.head().schema != sheet.schema {
            return Err(RecordError::damaged(
                &log_path,
                "does not have the columns that its node's sheet lists",
            ));
        }
        let stride = sheet.schema.stride();
        let mut lost = RowsLost { dropped: sheet.dropped, ..RowsLost::default() };
        let buffer = open_buffer(sheet, buffers, &mut lost);
        let mut expected = if sheet.finished { sheet.recorded } else { 0 };
        if let Some(buffer) = &buffer {
            lost.dropped = lost.dropped.max(buffer.dropped());
            expected = expected.max(buffer.taken() + buffer.waiting());
        }
        Ok(RowSource {
            log,
            log_path,
            buffer,
            rows: Vec::new(),
            lost,
            stride,
            in_log: true,
            given: 0,
            expected,
        })
    }

    /// The next rows, as words; `None` at the end.
    pub fn next_rows(&mut self) -> Result<Option<&[u64]>, RecordError> {
        if self.in_log {
            let more = self.log.next_rows(&mut self.rows);
            if more.map_err(|error| RecordError::file("read", &self.log_path, error))? {
                self.given += (self.rows.len() / self.stride) as u64;
                return Ok(Some(&self.rows));
            }
            self.in_log = false;
            self.skip_what_the_log_had();
        }
        let Some(buffer) = &mut self.buffer else {
            return Ok(None);
        };
        let rows = buffer.copy(BUFFER_ROWS, &mut self.rows);
        buffer.pass(rows);
        self.given += rows;
        Ok(if rows > 0 { Some(&self.rows) } else { None })
    }

    /// A node killed between writing a chunk and giving its places back left those rows in both.
    fn skip_what_the_log_had(&mut self) {
        if let Some(buffer) = &mut self.buffer {
            let both = self.log.next_row().saturating_sub(buffer.taken());
            buffer.pass(both.min(buffer.waiting()));
        }
    }

    /// What was missing; complete once all rows were given.
    pub fn lost(&self) -> RowsLost {
        let mut lost = self.lost.clone();
        lost.damaged_chunks = self.log.damage().chunks;
        lost.damaged_rows = self.expected.saturating_sub(self.given).max(self.log.damage().rows);
        lost
    }
}

fn open_buffer(
    sheet: &NodeSheet,
    buffers: &Buffers,
    lost: &mut RowsLost,
) -> Option<Consumer<Region>> {
    if sheet.buffer.is_none() {
        // Without a name it went with its process; after a proper end nothing was in it.
        lost.buffer_missing = !sheet.finished;
        return None;
    }
    match buffers.ring(sheet) {
        Ok(ring) => Some(ring),
        Err(why) => {
            lost.failures.push(why);
            lost.buffer_missing = true;
            None
        }
    }
}
