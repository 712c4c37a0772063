//! Threads that encode and write, so that matching does not wait for them.
//!
//! Each thread has some of the run's files and gets rows for them in batches through a bounded
//! channel.

use crate::CloseError;
use crate::row::MessageRow;
use crate::table::WAIT_COLUMNS;
use record::{MessagesFile, RecordError, SideWriter};
use serde::{Deserialize, Serialize};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

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
    ((1 << 17) / ranks.max(1)).clamp(64, 1024)
}

/// The files of one rank.
pub(crate) struct RankOut {
    pub messages: MessagesFile,
    pub waits: SideWriter,
}

/// Where rows go.
pub(crate) struct Writers {
    threads: Vec<(SyncSender<Batch>, Writer)>,
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

/// A thread that writes; it ends with the rows of its files.
type Writer = JoinHandle<Result<Vec<Rows>, RecordError>>;

enum Batch {
    Messages(usize, Vec<MessageRow>),
    Waits(usize, Vec<WaitRow>),
}

impl Writers {
    /// Start threads for the files of the ranks, in their order; `None` for a rank that has none.
    pub fn start(files: Vec<Option<RankOut>>) -> Writers {
        let ranks = files.len();
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let count = cores.clamp(1, 8).min(ranks.max(1));
        let mut shares: Vec<Vec<(usize, RankOut)>> = (0..count).map(|_| Vec::new()).collect();
        for (rank, out) in files.into_iter().enumerate() {
            if let Some(out) = out {
                shares[rank % count].push((rank, out));
            }
        }
        let threads = shares.into_iter().map(start).collect();
        let (messages, waits) = (vec![Vec::new(); ranks], vec![Vec::new(); ranks]);
        Writers { threads, messages, waits, batch_rows: batch_rows(ranks) }
    }

    /// A row of the messages file of `rank`.
    #[inline]
    pub fn message(&mut self, rank: usize, row: &MessageRow) -> Result<(), CloseError> {
        let batch = &mut self.messages[rank];
        batch.push(*row);
        if batch.len() < self.batch_rows {
            return Ok(());
        }
        let full = std::mem::replace(batch, Vec::with_capacity(self.batch_rows));
        self.send(rank, Batch::Messages(rank, full))
    }

    /// A row of the table of blocked calls of `rank`.
    #[inline]
    pub fn wait(&mut self, rank: usize, row: &WaitRow) -> Result<(), CloseError> {
        let batch = &mut self.waits[rank];
        batch.push(*row);
        if batch.len() < self.batch_rows {
            return Ok(());
        }
        let full = std::mem::replace(batch, Vec::with_capacity(self.batch_rows));
        self.send(rank, Batch::Waits(rank, full))
    }

    /// Complete all files.
    pub fn finish(mut self) -> Result<Vec<Rows>, CloseError> {
        for rank in 0..self.messages.len() {
            let messages = std::mem::take(&mut self.messages[rank]);
            self.send(rank, Batch::Messages(rank, messages))?;
            let waits = std::mem::take(&mut self.waits[rank]);
            self.send(rank, Batch::Waits(rank, waits))?;
        }
        let mut rows = Vec::new();
        for (sender, thread) in self.threads {
            drop(sender);
            rows.extend(join(thread)?);
        }
        Ok(rows)
    }

    fn send(&mut self, rank: usize, batch: Batch) -> Result<(), CloseError> {
        let at = rank % self.threads.len();
        if self.threads[at].0.send(batch).is_ok() {
            return Ok(());
        }
        // The thread has ended: with its error.
        let (_, thread) = self.threads.swap_remove(at);
        join(thread).and(Err(CloseError::WriterGone))
    }
}

fn join(thread: Writer) -> Result<Vec<Rows>, CloseError> {
    match thread.join() {
        Ok(rows) => Ok(rows?),
        Err(_) => Err(CloseError::WriterGone),
    }
}

fn start(files: Vec<(usize, RankOut)>) -> (SyncSender<Batch>, Writer) {
    let (sender, batches) = sync_channel(BATCHES_MAX);
    (sender, std::thread::spawn(move || write(files, &batches)))
}

fn write(
    mut files: Vec<(usize, RankOut)>,
    batches: &Receiver<Batch>,
) -> Result<Vec<Rows>, RecordError> {
    for batch in batches {
        let rank = match batch {
            Batch::Messages(rank, _) | Batch::Waits(rank, _) => rank,
        };
        // The files of a thread are in the order of their ranks.
        let Ok(at) = files.binary_search_by_key(&rank, |(rank, _)| *rank) else { continue };
        let out = &mut files[at].1;
        match batch {
            Batch::Messages(_, rows) => out.messages.push(&rows, MessageRow::put)?,
            Batch::Waits(_, rows) => out.waits.push_rows(&rows)?,
        }
    }
    let finish = |(rank, out): (usize, RankOut)| {
        out.waits.finish()?;
        Ok(Rows { rank, messages: out.messages.finish()? })
    };
    files.into_iter().map(finish).collect()
}
