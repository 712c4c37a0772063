//! One row group of a messages file, and how its columns are read.

use crate::batch::{Batch, Slot};
use crate::codes::CodeOf;
use crate::column_in::{self, ROWS_MAX, Scratch};
use crate::guard::guarded;
use crate::linked::{CALLS_KEY, CallTables, When};
use crate::parquet_out::{FORMAT_KEY, LAUNCH_KEY, NODE_KEY};
use crate::{Field, How, Kind, NULL, RecordError};
use parquet::basic::Type as Physical;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader};
use parquet::schema::types::ColumnDescriptor;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A messages file, with its metadata.
pub(crate) struct File {
    path: PathBuf,
    /// Kept open where there are descriptors enough; else it is opened for each chunk.
    file: Option<std::fs::File>,
    metadata: ParquetMetaData,
    /// For each [`Field`], its column in the file.
    columns: [Option<usize>; Field::ALL.len()],
    launch: u32,
    node: u32,
    /// Where stamps are that the file has not.
    calls: Option<CallTables>,
}

/// A row group of a messages file. Cheap to clone; send it to the thread that shall read it.
#[derive(Clone)]
pub struct Chunk {
    file: Arc<File>,
    group: usize,
    first_row: u64,
    rows: usize,
}

/// The chunks of one messages file outside its run.
///
/// # Errors
/// When it is no messages file, damaged, or of a newer format.
pub fn chunks_of_file(path: impl AsRef<Path>) -> Result<Vec<Chunk>, RecordError> {
    Ok(Chunk::of(&Arc::new(File::open(path.as_ref().to_path_buf(), true)?)))
}

impl Chunk {
    pub(crate) fn of(file: &Arc<File>) -> Vec<Chunk> {
        let mut first_row = 0;
        let chunk = |(group, metadata): (usize, &parquet::file::metadata::RowGroupMetaData)| {
            let rows = metadata.num_rows() as usize;
            let chunk = Chunk { file: file.clone(), group, first_row, rows };
            first_row += rows as u64;
            chunk
        };
        file.metadata.row_groups().iter().enumerate().map(chunk).collect()
    }

    /// Launch of its node.
    pub fn launch(&self) -> u32 {
        self.file.launch
    }

    /// The node that recorded it.
    pub fn node(&self) -> u32 {
        self.file.node
    }

    /// Number of its first row within its file.
    pub fn first_row(&self) -> u64 {
        self.first_row
    }

    /// Its rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The file it is in.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// Whether its file has that column, or says where its values are.
    pub fn has(&self, field: Field) -> bool {
        self.file.columns[field as usize].is_some() || self.file.is_linked(field)
    }

    /// Whether some row may have this number in that column, as far as the file says without being
    /// read. Numbers are those of the file: `kind` and `arrived_how` have none.
    pub fn may_have(&self, field: Field, value: i64) -> bool {
        let group = self.file.metadata.row_group(self.group);
        let column = self.file.columns[field as usize].filter(|_| code_of(field).is_none());
        column.is_none_or(|at| column_in::may_have(group.column(at), value))
    }

    /// Read these columns into `batch`, whose memory is used again. Columns that the file does not
    /// have come out as [`Values::Absent`](crate::Values::Absent).
    ///
    /// # Errors
    /// When a column is damaged; `batch` then holds nothing of use.
    pub fn read(&self, fields: &[Field], batch: &mut Batch) -> Result<(), RecordError> {
        batch.begin(self.rows);
        let opened = match &self.file.file {
            Some(_) => None,
            None => Some(open(&self.file.path)?),
        };
        let Some(file) = self.file.file.as_ref().or(opened.as_ref()) else { return Ok(()) };
        for (at, field) in fields.iter().enumerate() {
            if let Some(same) = fields[..at].iter().find(|before| self.are_one(**before, *field)) {
                batch.repeat(*same, *field);
                continue;
            }
            let (slot, scratch) = batch.slot(*field);
            self.read_field(file, *field, slot, scratch)?;
        }
        self.read_linked(file, fields, batch)
    }

    /// The columns that are asked for and stand in tables of calls.
    fn read_linked(
        &self,
        file: &std::fs::File,
        fields: &[Field],
        batch: &mut Batch,
    ) -> Result<(), RecordError> {
        let Some(calls) = &self.file.calls else { return Ok(()) };
        let asked = |field: &Field| fields.contains(field) && self.file.is_linked(*field);
        let own: Vec<_> = [Field::PostedNs, Field::AwaitedNs].into_iter().filter(asked).collect();
        let are_one = self.are_one(row_of(Field::PostedNs), row_of(Field::AwaitedNs));
        let (mut rows, mut times) = (Vec::new(), Vec::new());
        for field in own.iter().take(if are_one { 1 } else { own.len() }) {
            self.values(file, row_of(*field), batch, &mut rows)?;
        }
        if !own.is_empty() {
            // Both at once, so that each group of the table is decoded once.
            calls.look_up(self.node(), When::Entered, &rows, batch.scratch(), &mut times)?;
        }
        for (field, times) in own.into_iter().zip(times.chunks(self.rows.max(1)).cycle()) {
            batch.slot(field).0.fill().extend_from_slice(times);
        }
        if asked(&Field::ReleasedNs) {
            let times = self.released(file, calls, batch)?;
            *batch.slot(Field::ReleasedNs).0.fill() = times;
        }
        Ok(())
    }

    /// When the calls of other nodes were left that released the messages' buffers.
    fn released(
        &self,
        file: &std::fs::File,
        calls: &CallTables,
        batch: &mut Batch,
    ) -> Result<Vec<i64>, RecordError> {
        let (mut nodes, mut rows, mut later) = (Vec::new(), Vec::new(), Vec::new());
        self.values(file, Field::Src, batch, &mut nodes)?;
        self.values(file, Field::SendCall, batch, &mut rows)?;
        self.values(file, Field::ReleasedLater, batch, &mut later)?;
        let mut by_node: BTreeMap<i64, (Vec<usize>, Vec<i64>)> = BTreeMap::new();
        for (at, (row, later)) in rows.into_iter().zip(later).enumerate() {
            if row != NULL && later != NULL {
                let (places, rows) = by_node.entry(nodes[at]).or_default();
                places.push(at);
                rows.push(row.wrapping_add(later));
            }
        }
        let (mut released, mut times) = (vec![NULL; self.rows], Vec::new());
        for (node, (places, rows)) in by_node {
            let Ok(node) = u32::try_from(node) else { continue };
            times.clear();
            calls.look_up(node, When::Left, &rows, batch.scratch(), &mut times)?;
            places.into_iter().zip(&times).for_each(|(place, time)| released[place] = *time);
        }
        Ok(released)
    }

    /// Whether two columns of times or numbers are in the file once: the writer puts there only
    /// once what holds the same.
    fn are_one(&self, field: Field, other: Field) -> bool {
        let group = self.file.metadata.row_group(self.group);
        let column = |field: Field| {
            let column = group.column(self.file.columns[field as usize]?);
            let kind = (column.column_type(), column.column_descr().max_def_level());
            let place = (column.data_page_offset(), column.dictionary_page_offset());
            let is_time = column_in::is_time(column);
            Some((kind, place, column.compressed_size(), is_time))
        };
        let is_number = |field| code_of(field).is_none();
        is_number(field)
            && is_number(other)
            && column(field).is_some_and(|one| Some(one) == column(other))
    }

    /// The values of a column of the file, appended to `out`.
    fn values(
        &self,
        file: &std::fs::File,
        field: Field,
        batch: &mut Batch,
        out: &mut Vec<i64>,
    ) -> Result<(), RecordError> {
        let mut slot = Slot::default();
        self.read_field(file, field, &mut slot, batch.scratch())?;
        out.extend(slot.values().iter(self.rows));
        Ok(())
    }

    /// Read a column of the file, if it has it.
    fn read_field(
        &self,
        file: &std::fs::File,
        field: Field,
        slot: &mut Slot,
        scratch: &mut Scratch,
    ) -> Result<(), RecordError> {
        let Some(at) = self.file.columns[field as usize] else { return Ok(()) };
        let column = self.file.metadata.row_group(self.group).column(at);
        let read = match column_in::constant(column, self.rows, code_of(field)) {
            Some(value) => {
                slot.set_constant(value);
                Ok(0)
            }
            None => guarded(|| self.read_column((file, field), column, slot, scratch)),
        };
        let far = read.map_err(|what| RecordError::column(&self.file.path, field.name(), what))?;
        slot.refused(far);
        Ok(())
    }

    fn read_column(
        &self,
        (file, field): (&std::fs::File, Field),
        column: &ColumnChunkMetaData,
        slot: &mut Slot,
        scratch: &mut Scratch,
    ) -> Result<u64, ParquetError> {
        column_in::read(file, column, self.rows, code_of(field), scratch, slot.fill())
    }
}

/// The column that says in which row of a table of calls the time of `field` is.
fn row_of(field: Field) -> Field {
    match field {
        Field::PostedNs => Field::ReceiveCall,
        Field::AwaitedNs => Field::TakenCall,
        _ => Field::SendCall,
    }
}

fn code_of(field: Field) -> Option<&'static CodeOf> {
    match field {
        Field::Kind => Some(&kind_code),
        Field::ArrivedHow => Some(&how_code),
        _ => None,
    }
}

fn kind_code(name: &[u8]) -> Option<i64> {
    Kind::ALL.into_iter().find(|kind| kind.name().as_bytes() == name).map(|kind| kind as i64)
}

fn how_code(name: &[u8]) -> Option<i64> {
    How::ALL.into_iter().find(|how| how.name().as_bytes() == name).map(|how| how as i64)
}

impl File {
    /// Open a messages file and read its metadata.
    pub fn open(path: PathBuf, keep: bool) -> Result<File, RecordError> {
        let file = open(&path)?;
        let metadata =
            guarded(|| ParquetMetaDataReader::new().parse_and_finish(&file)).map_err(|what| {
                RecordError::damaged(&path, format!("is not a messages file: {what}"))
            })?;
        let format = number(&path, &metadata, FORMAT_KEY)?;
        if format > u64::from(crate::FORMAT) {
            return Err(RecordError::TooNew { path, found: format });
        }
        let launch = number(&path, &metadata, LAUNCH_KEY)? as u32;
        let node = number(&path, &metadata, NODE_KEY)? as u32;
        let columns = find_columns(&path, &metadata)?;
        let sound =
            metadata.row_groups().iter().all(|group| (0..=ROWS_MAX).contains(&group.num_rows()));
        if !sound {
            return Err(RecordError::damaged(&path, "has a row group of an impossible size"));
        }
        let calls = text(&metadata, CALLS_KEY).and_then(|name| CallTables::new(&path, node, name));
        Ok(File { path, file: Some(file).filter(|_| keep), metadata, columns, launch, node, calls })
    }

    /// Whether a column that the file has not is in tables of calls.
    fn is_linked(&self, field: Field) -> bool {
        let has = |field: Field| self.columns[field as usize].is_some();
        let named = match field {
            Field::PostedNs | Field::AwaitedNs => has(row_of(field)),
            Field::ReleasedNs => has(row_of(field)) && has(Field::ReleasedLater),
            _ => false,
        };
        named && !has(field) && self.calls.is_some()
    }
}

fn open(path: &Path) -> Result<std::fs::File, RecordError> {
    crate::input::open_input(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => RecordError::Missing { path: path.to_path_buf() },
        _ => RecordError::file("open", path, error),
    })
}

impl File {
    /// Rows of all row groups.
    pub fn rows(&self) -> u64 {
        self.metadata.row_groups().iter().map(|group| group.num_rows().unsigned_abs()).sum()
    }
}

/// What our writer puts beside the columns.
fn text<'a>(metadata: &'a ParquetMetaData, key: &str) -> Option<&'a str> {
    let mut pairs = metadata.file_metadata().key_value_metadata().into_iter().flatten();
    pairs.find(|pair| pair.key == key)?.value.as_deref()
}

/// A number of it.
fn number(path: &Path, metadata: &ParquetMetaData, key: &str) -> Result<u64, RecordError> {
    match text(metadata, key).map(str::parse) {
        Some(Ok(number)) => Ok(number),
        Some(Err(_)) => {
            Err(RecordError::damaged(path, format!("has a {key} that is not a number")))
        }
        None => Err(RecordError::damaged(
            path,
            format!("is Parquet, but not a messages file: it has no {key}"),
        )),
    }
}

fn find_columns(
    path: &Path,
    metadata: &ParquetMetaData,
) -> Result<[Option<usize>; Field::ALL.len()], RecordError> {
    let schema = metadata.file_metadata().schema_descr();
    let mut columns = [None; Field::ALL.len()];
    for field in Field::ALL {
        let at = schema.columns().iter().position(|column| column.path().string() == field.name());
        let Some(at) = at else {
            if field.is_always_there() {
                return Err(RecordError::column(path, field.name(), "is missing"));
            }
            continue;
        };
        check_type(path, field, &schema.columns()[at])?;
        columns[field as usize] = Some(at);
    }
    Ok(columns)
}

fn check_type(path: &Path, field: Field, column: &ColumnDescriptor) -> Result<(), RecordError> {
    let physical = column.physical_type();
    let fits = match field {
        Field::Kind | Field::ArrivedHow => physical == Physical::BYTE_ARRAY,
        Field::VirtualSend | Field::VirtualReceive => physical == Physical::DOUBLE,
        _ => matches!(physical, Physical::INT32 | Physical::INT64),
    };
    if !fits || column.max_rep_level() > 0 || column.max_def_level() > 1 {
        let what = format!("has the type {physical}, which it must not have");
        return Err(RecordError::column(path, field.name(), what));
    }
    Ok(())
}
