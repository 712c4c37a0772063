//! Threads that put rows in order, encode and write them, so that matching does not wait for them.
//! Each has some of the run's files, and gets rows for them in batches through a bounded channel.

use crate::CloseError;
use crate::exchanges::{Exchange, ExchangeWriter};
use crate::row::{self, MessageRow};
use record::{Closing, MessagesFile, NodeSheet, RecordError};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Batches that may wait for a thread.
const BATCHES_MAX: usize = 32;
/// Rows that all files together may hold before they are encoded: some 100 MB.
const ROWS_HELD: usize = 1 << 19;
/// Rows of a file among which those that come late are put in their place.
const IN_DISORDER: usize = 1 << 14;

/// Rows of a row group, so that the groups of all files fit into memory together.
fn group_rows(nodes: usize) -> usize {
    (ROWS_HELD / nodes.max(1)).clamp(1 << 10, 1 << 18)
}

/// Rows put together before they are handed over.
fn batch_rows(nodes: usize) -> usize {
    ((1 << 15) / nodes.max(1)).clamp(64, 1024)
}

/// Where rows go.
pub(crate) struct Writers {
    threads: Vec<(SyncSender<Batch>, Writer)>,
    messages: Vec<Vec<MessageRow>>,
    exchanges: Vec<Vec<Exchange>>,
    batch_rows: usize,
    /// What has failed.
    error: Option<CloseError>,
}

/// A node's number and the rows of its messages file.
pub(crate) type Rows = (u32, u64);

type Writer = JoinHandle<Result<Vec<Rows>, RecordError>>;

enum Batch {
    Messages(usize, Vec<MessageRow>),
    Exchanges(usize, Vec<Exchange>),
    Finish(usize),
}

impl Batch {
    /// The place of the node.
    fn place(&self) -> usize {
        match self {
            Batch::Messages(place, _) | Batch::Exchanges(place, _) | Batch::Finish(place) => *place,
        }
    }
}

/// The files of one node.
struct NodeOut {
    place: usize,
    node: u32,
    run: PathBuf,
    messages: MessagesFile,
    /// Messages of which earlier ones may be to come.
    waiting: Vec<MessageRow>,
    in_disorder: usize,
    exchanges: Option<ExchangeWriter>,
    group_rows: usize,
}

impl Writers {
    /// Start threads for the files of these nodes.
    pub fn start(closing: &Closing, sheets: &[NodeSheet]) -> Result<Writers, CloseError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let count = cores.clamp(1, 8).min(sheets.len().max(1));
        let group_rows = group_rows(sheets.len());
        let mut shares: Vec<Vec<NodeOut>> = (0..count).map(|_| Vec::new()).collect();
        for (place, sheet) in sheets.iter().enumerate() {
            let sheet = NodeSheet { schema: row::schema(), ..sheet.clone() };
            shares[place % count].push(NodeOut {
                place,
                node: sheet.node,
                run: closing.path().to_path_buf(),
                messages: closing.messages(&sheet)?.with_group_rows(group_rows),
                waiting: Vec::new(),
                in_disorder: IN_DISORDER.min(group_rows),
                exchanges: None,
                group_rows,
            });
        }
        Ok(Writers {
            threads: shares.into_iter().map(start).collect(),
            messages: vec![Vec::new(); sheets.len()],
            exchanges: vec![Vec::new(); sheets.len()],
            batch_rows: batch_rows(sheets.len()),
            error: None,
        })
    }

    /// A row of a node's messages file.
    pub fn message(&mut self, place: usize, row: &MessageRow) {
        let batch = &mut self.messages[place];
        batch.push(*row);
        if batch.len() >= self.batch_rows {
            let full = std::mem::replace(batch, Vec::with_capacity(self.batch_rows));
            self.send(place, Batch::Messages(place, full));
        }
    }

    /// An exchange that a node answered.
    pub fn exchange(&mut self, place: usize, exchange: &Exchange) {
        let batch = &mut self.exchanges[place];
        batch.push(*exchange);
        if batch.len() >= self.batch_rows {
            let full = std::mem::replace(batch, Vec::with_capacity(self.batch_rows));
            self.send(place, Batch::Exchanges(place, full));
        }
    }

    /// What has failed so far.
    pub fn check(&mut self) -> Result<(), CloseError> {
        self.error.take().map_or(Ok(()), Err)
    }

    /// Complete the files of the nodes whose places are `wanted`; without this none of them stays.
    pub fn finish(mut self, wanted: impl Fn(usize) -> bool) -> Result<Vec<Rows>, CloseError> {
        for place in (0..self.messages.len()).filter(|place| wanted(*place)) {
            let messages = std::mem::take(&mut self.messages[place]);
            self.send(place, Batch::Messages(place, messages));
            let exchanges = std::mem::take(&mut self.exchanges[place]);
            self.send(place, Batch::Exchanges(place, exchanges));
            self.send(place, Batch::Finish(place));
        }
        self.check()?;
        let mut rows = Vec::new();
        for (sender, thread) in self.threads {
            drop(sender);
            rows.extend(join(thread)?);
        }
        Ok(rows)
    }

    fn send(&mut self, place: usize, batch: Batch) {
        if self.error.is_some() {
            return;
        }
        let at = place % self.threads.len();
        if self.threads[at].0.send(batch).is_err() {
            // The thread has ended: with its error.
            let (_, thread) = self.threads.swap_remove(at);
            self.error = Some(join(thread).err().unwrap_or(CloseError::WriterGone));
        }
    }
}

fn join(thread: Writer) -> Result<Vec<Rows>, CloseError> {
    match thread.join() {
        Ok(rows) => Ok(rows?),
        Err(_) => Err(CloseError::WriterGone),
    }
}

fn start(files: Vec<NodeOut>) -> (SyncSender<Batch>, Writer) {
    let (sender, batches) = sync_channel(BATCHES_MAX);
    (sender, std::thread::spawn(move || write(files, &batches)))
}

fn write(mut files: Vec<NodeOut>, batches: &Receiver<Batch>) -> Result<Vec<Rows>, RecordError> {
    let mut finished = Vec::new();
    for batch in batches {
        // The files of a thread are in the order of their places.
        let Ok(at) = files.binary_search_by_key(&batch.place(), |file| file.place) else {
            continue;
        };
        match batch {
            Batch::Messages(_, rows) => files[at].messages(&rows)?,
            Batch::Exchanges(_, rows) => files[at].exchanges(&rows)?,
            Batch::Finish(_) => finished.push(files.remove(at).finish()?),
        }
    }
    Ok(finished)
}

impl NodeOut {
    fn messages(&mut self, rows: &[MessageRow]) -> Result<(), RecordError> {
        self.waiting.extend_from_slice(rows);
        if self.waiting.len() >= 2 * self.in_disorder {
            self.put(self.in_disorder)?;
        }
        Ok(())
    }

    /// Write the first of the messages that wait.
    fn put(&mut self, count: usize) -> Result<(), RecordError> {
        self.waiting.sort_by_key(MessageRow::time);
        self.messages.push(&self.waiting[..count], MessageRow::put)?;
        self.waiting.drain(..count);
        Ok(())
    }

    fn exchanges(&mut self, rows: &[Exchange]) -> Result<(), RecordError> {
        if self.exchanges.is_none() && !rows.is_empty() {
            let table = ExchangeWriter::create(&self.run, self.node, self.group_rows)?;
            self.exchanges = Some(table);
        }
        self.exchanges.iter_mut().try_for_each(|table| table.push(rows))
    }

    fn finish(mut self) -> Result<Rows, RecordError> {
        self.put(self.waiting.len())?;
        self.exchanges.map_or(Ok(()), ExchangeWriter::finish)?;
        Ok((self.node, self.messages.finish()?))
    }
}
