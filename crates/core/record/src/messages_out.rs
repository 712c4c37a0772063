//! Writing a node's messages file.

use crate::column_out::{OutColumn, Shape};
use crate::linked::CALLS_KEY;
use crate::parquet_out::FileWriter;
use crate::table::{Clocks, Table};
use crate::{Field, How, Kind, NodeSheet, ROW_GROUP_ROWS, RecordError};
use std::path::Path;

/// A messages file with the row group that is being filled. The file appears whole, when it is
/// finished.
pub struct MessagesFile {
    table: Table,
    writer: FileWriter,
    group_rows: usize,
}

impl MessagesFile {
    pub(crate) fn create(file: &Path, sheet: &NodeSheet) -> Result<MessagesFile, RecordError> {
        let table = Table::new(sheet.launch, &sheet.schema);
        let columns = table.fields().map(out_column).collect();
        let writer = FileWriter::create(file, columns, sheet.launch, sheet.node)?;
        Ok(MessagesFile { table, writer, group_rows: ROW_GROUP_ROWS })
    }

    /// Write smaller row groups, of `rows` rows: for a producer that fills many files at once and
    /// must not hold a large group of each. Not more than [`ROW_GROUP_ROWS`].
    pub fn with_group_rows(self, rows: usize) -> MessagesFile {
        MessagesFile { group_rows: rows.clamp(1, ROW_GROUP_ROWS), ..self }
    }

    /// Name the tables of calls that the columns of calls are about: their path in the run, with a
    /// star for the node. Readers then find there what the file has no columns for: when the
    /// messages were posted, awaited and released.
    pub fn with_calls(mut self, tables: &str) -> MessagesFile {
        self.writer.note(CALLS_KEY, tables);
        self
    }

    /// A row of raw ticks.
    pub(crate) fn push_ticks(
        &mut self,
        words: &[u64],
        clocks: &mut Clocks,
    ) -> Result<(), RecordError> {
        self.table.push(words, clocks);
        self.write_if_full()
    }

    /// Rows that are on the timeline already. `put` appends their values of a column to the vector;
    /// it is asked for each column of the file but the launch, and answers with
    /// [`NULL`](crate::NULL) for null, and with the code of a kind or a way.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn push<R>(
        &mut self,
        mut rows: &[R],
        put: impl Fn(Field, &[R], &mut Vec<i64>),
    ) -> Result<(), RecordError> {
        while !rows.is_empty() {
            let room = self.group_rows.saturating_sub(self.table.rows()).max(1);
            let (now, later) = rows.split_at(room.min(rows.len()));
            self.table.push_placed(now, &put);
            self.write_if_full()?;
            rows = later;
        }
        Ok(())
    }

    fn write_if_full(&mut self) -> Result<(), RecordError> {
        if self.table.rows() >= self.group_rows {
            self.write()?;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), RecordError> {
        self.writer.write(self.table.rows(), self.table.columns())?;
        self.table.clear();
        Ok(())
    }

    /// Complete the file. Returns its rows.
    ///
    /// # Errors
    /// When it cannot be written; nothing of it stays then.
    pub fn finish(mut self) -> Result<u64, RecordError> {
        if self.table.rows() > 0 {
            self.write()?;
        }
        self.writer.finish()
    }
}

fn out_column(field: Field) -> OutColumn {
    OutColumn { name: field.name(), shape: shape(field), optional: is_optional(field) }
}

fn shape(field: Field) -> Shape {
    match field {
        Field::Kind => Shape::Name(&Kind::NAMES),
        Field::ArrivedHow => Shape::Name(&How::NAMES),
        Field::Launch | Field::Src | Field::Dst => Shape::Int,
        Field::Hops | Field::Packets | Field::Batch | Field::InFlight | Field::QueueLength => {
            Shape::Int
        }
        Field::VirtualSend | Field::VirtualReceive => Shape::Double,
        Field::ArrivedErrorNs => Shape::Unordered,
        Field::Bytes | Field::Communicator | Field::SendSite | Field::ReceiveSite => {
            Shape::FewLongs
        }
        _ => Shape::Long,
    }
}

/// Whether a column may hold null.
fn is_optional(field: Field) -> bool {
    matches!(
        field,
        Field::ReadyNs | Field::SentNs | Field::ArrivedNs | Field::TakenNs | Field::ArrivedHow
    ) || field > Field::QueueLength
}
