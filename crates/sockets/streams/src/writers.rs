//! The files of a closed run: [threads](record::Filing) put rows in order, encode and write them,
//! so that matching does not wait for them.

use crate::CloseError;
use crate::exchanges::{Exchange, ExchangeWriter};
use crate::row::{self, MessageRow};
use record::{Closing, Filed, Filing, MessagesFile, NodeSheet, RecordError, full_batch};
use std::path::PathBuf;

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
    files: Filing<NodeOut>,
    messages: Vec<Vec<MessageRow>>,
    exchanges: Vec<Vec<Exchange>>,
    batch_rows: usize,
    /// What has failed.
    error: Option<CloseError>,
}

/// A node's number and the rows of its messages file.
pub(crate) type Rows = (u32, u64);

enum Batch {
    Messages(Vec<MessageRow>),
    Exchanges(Vec<Exchange>),
}

/// The files of one node.
struct NodeOut {
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
    /// For the files of these nodes.
    pub fn start(closing: &Closing, sheets: &[NodeSheet]) -> Result<Writers, CloseError> {
        let nodes = sheets.len();
        let files = sheets.iter().map(|sheet| NodeOut::create(closing, sheet, nodes).map(Some));
        Ok(Writers {
            files: Filing::start(files.collect::<Result<_, _>>()?, BATCHES_MAX),
            messages: vec![Vec::new(); nodes],
            exchanges: vec![Vec::new(); nodes],
            batch_rows: batch_rows(nodes),
            error: None,
        })
    }

    /// A row of a node's messages file.
    pub fn message(&mut self, place: usize, row: &MessageRow) {
        if let Some(full) = full_batch(&mut self.messages[place], *row, self.batch_rows) {
            self.write(place, Batch::Messages(full));
        }
    }

    /// An exchange that a node answered.
    pub fn exchange(&mut self, place: usize, exchange: &Exchange) {
        if let Some(full) = full_batch(&mut self.exchanges[place], *exchange, self.batch_rows) {
            self.write(place, Batch::Exchanges(full));
        }
    }

    /// What has failed so far.
    pub fn check(&mut self) -> Result<(), CloseError> {
        self.error.take().map_or(Ok(()), Err)
    }

    /// Complete the files of the nodes whose places are `wanted`; without this none of them stays.
    pub fn finish(mut self, wanted: impl Fn(usize) -> bool) -> Result<Vec<Rows>, CloseError> {
        let places = (0..self.messages.len()).filter(|place| wanted(*place));
        for place in places.clone() {
            let messages = std::mem::take(&mut self.messages[place]);
            self.write(place, Batch::Messages(messages));
            let exchanges = std::mem::take(&mut self.exchanges[place]);
            self.write(place, Batch::Exchanges(exchanges));
        }
        self.check()?;
        Ok(self.files.finish(places)?.into_iter().map(|(_, rows)| rows).collect())
    }

    fn write(&mut self, place: usize, batch: Batch) {
        if self.error.is_none() {
            self.error = self.files.write(place, batch).err().map(CloseError::from);
        }
    }
}

impl NodeOut {
    fn create(closing: &Closing, sheet: &NodeSheet, nodes: usize) -> Result<NodeOut, RecordError> {
        let group_rows = group_rows(nodes);
        let sheet = NodeSheet { schema: row::schema(), ..sheet.clone() };
        Ok(NodeOut {
            node: sheet.node,
            run: closing.path().to_path_buf(),
            messages: closing.messages(&sheet)?.with_group_rows(group_rows),
            waiting: Vec::new(),
            in_disorder: IN_DISORDER.min(group_rows),
            exchanges: None,
            group_rows,
        })
    }

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
}

impl Filed for NodeOut {
    type Batch = Batch;
    type Done = Rows;

    fn write(&mut self, batch: Batch) -> Result<(), RecordError> {
        match batch {
            Batch::Messages(rows) => self.messages(&rows),
            Batch::Exchanges(rows) => self.exchanges(&rows),
        }
    }

    fn complete(mut self) -> Result<Rows, RecordError> {
        self.put(self.waiting.len())?;
        self.exchanges.map_or(Ok(()), ExchangeWriter::finish)?;
        Ok((self.node, self.messages.finish()?))
    }
}
