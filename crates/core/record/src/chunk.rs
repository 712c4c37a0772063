//! One row group of a messages file, and how its columns are read.

use crate::batch::{Batch, Slot};
use crate::codes::CodeOf;
use crate::column_in::{self, Scratch};
use crate::guard::guarded;
use crate::parquet_out::{FORMAT_KEY, LAUNCH_KEY, NODE_KEY};
use crate::{Field, How, Kind, NULL, RecordError};
use parquet::basic::Type as Physical;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnDescriptor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most rows that a row group may have: bounds what a damaged file can make a reader reserve.
pub(crate) const ROWS_MAX: i64 = 1 << 24;

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

    /// Whether its file has that column.
    pub fn has(&self, field: Field) -> bool {
        self.file.columns[field as usize].is_some()
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
        for field in fields {
            let Some(at) = self.file.columns[*field as usize] else { continue };
            let column = self.file.metadata.row_group(self.group).column(at);
            let (slot, scratch) = batch.slot(*field);
            let read = match constant(*field, column, self.rows) {
                Some(value) => {
                    slot.set_constant(value);
                    Ok(0)
                }
                None => guarded(|| self.read_column((file, *field), column, slot, scratch)),
            };
            let far =
                read.map_err(|what| RecordError::column(&self.file.path, field.name(), what))?;
            batch.slot(*field).0.refused(far);
        }
        Ok(())
    }

    fn read_column(
        &self,
        (file, field): (&std::fs::File, Field),
        column: &ColumnChunkMetaData,
        slot: &mut Slot,
        scratch: &mut Scratch,
    ) -> Result<u64, ParquetError> {
        let code_of: Option<&CodeOf> = match field {
            Field::Kind => Some(&kind_code),
            Field::ArrivedHow => Some(&how_code),
            _ => None,
        };
        column_in::read(file, column, self.rows, code_of, scratch, slot.fill())
    }
}

fn kind_code(name: &[u8]) -> Option<i64> {
    Kind::ALL.into_iter().find(|kind| kind.name().as_bytes() == name).map(|kind| kind as i64)
}

fn how_code(name: &[u8]) -> Option<i64> {
    How::ALL.into_iter().find(|how| how.name().as_bytes() == name).map(|how| how as i64)
}

/// The value that every row has, as far as the statistics prove it.
fn constant(field: Field, column: &ColumnChunkMetaData, rows: usize) -> Option<i64> {
    let statistics = column.statistics()?;
    let nulls = match column.column_descr().max_def_level() {
        0 => 0,
        _ => statistics.null_count_opt()?,
    };
    if nulls == rows as u64 {
        return Some(NULL);
    }
    let exact = nulls == 0 && statistics.min_is_exact() && statistics.max_is_exact();
    match statistics {
        _ if !exact => None,
        Statistics::Int32(of) => same(of.min_opt(), of.max_opt()).map(|value| i64::from(*value)),
        Statistics::Int64(of) => {
            let value = same(of.min_opt(), of.max_opt()).copied()?;
            // A time that is refused is read, so that it is counted.
            Some(value).filter(|value| !field.name().ends_with("_ns") || !column_in::is_far(*value))
        }
        Statistics::ByteArray(of) => {
            let name = same(of.min_opt(), of.max_opt())?.data();
            if field == Field::Kind { kind_code(name) } else { how_code(name) }
        }
        // The order of floats in statistics leaves out NaN and the sign of zero.
        _ => None,
    }
}

fn same<T: PartialEq>(min: Option<T>, max: Option<T>) -> Option<T> {
    if min == max { min } else { None }
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
        Ok(File { path, file: Some(file).filter(|_| keep), metadata, columns, launch, node })
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

/// A number that our writer puts beside the columns.
fn number(path: &Path, metadata: &ParquetMetaData, key: &str) -> Result<u64, RecordError> {
    let mut pairs = metadata.file_metadata().key_value_metadata().into_iter().flatten();
    let value = pairs.find(|pair| pair.key == key).and_then(|pair| pair.value.as_ref());
    match value.map(|value| value.parse()) {
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
