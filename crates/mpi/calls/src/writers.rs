//! The files of a closed run, written by [threads](record::Filing), so that matching does not wait
//! for them.

use crate::CloseError;
use crate::row::MessageRow;
use crate::table::WAIT_COLUMNS;
use record::{Filed, Filing, MessagesFile, RecordError, SideWriter, full_batch};
use serde::{Deserialize, Serialize};

/// Batches that may wait for a thread.
const BATCHES_MAX: usize = 64;
/// Rows of messages, and of calls, that all files together may hold before they are encoded: some
/// 400 MB.
const ROWS_HELD: usize = 1 << 20;

/// A row of the table of blocked calls.
pub(crate) type WaitRow = [i64; WAIT_COLUMNS.len()];

/// Rows of a row group, so that the groups of all ranks' files fit into memory together.
pub(crate) fn group_rows(ranks: usize) -> usize {
    (ROWS_HELD / ranks.max(1)).clamp(1 << 10, 1 << 18)
}

/// Rows put together before they are handed over.
fn batch_rows(ranks: usize) -> usize {
    ((1 << 17) / ranks.max(1)).clamp(64, 4096)
}

/// The files of one rank.
pub(crate) struct RankOut {
    pub messages: MessagesFile,
    pub waits: SideWriter,
}

/// Rows for them.
pub(crate) enum Batch {
    Messages(Vec<MessageRow>),
    Waits(Vec<WaitRow>),
}

impl Filed for RankOut {
    type Batch = Batch;
    /// Rows of the messages file.
    type Done = u64;

    fn write(&mut self, batch: Batch) -> Result<(), RecordError> {
        match batch {
            Batch::Messages(rows) => self.messages.push(&rows, MessageRow::put),
            Batch::Waits(rows) => self.waits.push_rows(&rows),
        }
    }

    fn complete(self) -> Result<u64, RecordError> {
        self.waits.finish()?;
        self.messages.finish()
    }
}

/// Where rows go.
pub(crate) struct Writers {
    files: Filing<RankOut>,
    messages: Vec<Vec<MessageRow>>,
    waits: Vec<Vec<WaitRow>>,
    batch_rows: usize,
}

/// Rows in the messages file of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rows {
    pub rank: usize,
    pub messages: u64,
}

impl Writers {
    /// For the files of the ranks, in their order; `None` for a rank that has none.
    pub fn start(files: Vec<Option<RankOut>>) -> Writers {
        let ranks = files.len();
        let (messages, waits) = (vec![Vec::new(); ranks], vec![Vec::new(); ranks]);
        let files = Filing::start(files, BATCHES_MAX);
        Writers { files, messages, waits, batch_rows: batch_rows(ranks) }
    }

    /// A row of the messages file of `rank`.
    // So that it is put together where it goes: it is large to copy.
    #[inline(always)]
    pub fn message(&mut self, rank: usize, row: &MessageRow) -> Result<(), CloseError> {
        match full_batch(&mut self.messages[rank], *row, self.batch_rows) {
            Some(full) => Ok(self.files.write(rank, Batch::Messages(full))?),
            None => Ok(()),
        }
    }

    /// A row of the table of blocked calls of `rank`.
    #[inline]
    pub fn wait(&mut self, rank: usize, row: &WaitRow) -> Result<(), CloseError> {
        match full_batch(&mut self.waits[rank], *row, self.batch_rows) {
            Some(full) => Ok(self.files.write(rank, Batch::Waits(full))?),
            None => Ok(()),
        }
    }

    /// Complete all files.
    pub fn finish(mut self) -> Result<Vec<Rows>, CloseError> {
        let ranks = self.messages.len();
        for rank in 0..ranks {
            let messages = std::mem::take(&mut self.messages[rank]);
            self.files.write(rank, Batch::Messages(messages))?;
            let waits = std::mem::take(&mut self.waits[rank]);
            self.files.write(rank, Batch::Waits(waits))?;
        }
        let done = self.files.finish(0..ranks)?;
        Ok(done.into_iter().map(|(rank, messages)| Rows { rank, messages }).collect())
    }
}
