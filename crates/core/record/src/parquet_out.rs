//! Writing Parquet: whole files of columns, each value a 64-bit number or one of a few names.
//!
//! Which encoding a column gets was measured (`cargo run --release -p fourstamp-record --example
//! encodings`); the table and the reasons are in docs/FORMAT.md.

use crate::column_out::{ColumnEncoder, Encoded, OutColumn, Shape};
use crate::draft::Draft;
use crate::{NULL, RecordError, Values, whole_file};
use bytes::Bytes;
use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::{get_column_writer, get_typed_column_writer};
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataWriter,
    RowGroupMetaData,
};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{ColumnDescPtr, SchemaDescPtr, SchemaDescriptor, Type, TypePtr};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a Parquet file begins with.
const MAGIC: &[u8] = b"PAR1";
/// Of the Parquet format: 1, as all that is used here is in it.
const VERSION: i32 = 1;

/// Key of the format number in a file's metadata.
pub(crate) const FORMAT_KEY: &str = "fourstamp.format";
/// Key of the node number in a file's metadata.
pub(crate) const NODE_KEY: &str = "fourstamp.node";
/// Key of the launch number in a file's metadata.
pub(crate) const LAUNCH_KEY: &str = "fourstamp.launch";

/// A Parquet file being written. It has its name only after [`FileWriter::finish`].
///
/// The Parquet crate's own writer of files would write every column by itself. Here columns of a
/// row group that hold the same are there once: what a file says of each is where its bytes are,
/// and nothing forbids two to be in one place.
pub(crate) struct FileWriter {
    sink: TrackedWrite<Draft>,
    file: tempfile::TempPath,
    path: PathBuf,
    columns: Vec<OutColumn>,
    schema: SchemaDescPtr,
    notes: Vec<KeyValue>,
    groups: Vec<RowGroupMetaData>,
    rows: i64,
    encoder: ColumnEncoder,
    doubles: Doubles,
}

/// Columns of doubles, which the Parquet crate encodes; reused between them.
struct Doubles {
    properties: WriterPropertiesPtr,
    levels: Vec<i16>,
    values: Vec<f64>,
}

impl FileWriter {
    /// Begin a file of node `node` in launch `launch`.
    pub fn create(
        path: &Path,
        columns: Vec<OutColumn>,
        launch: u32,
        node: u32,
    ) -> Result<FileWriter, RecordError> {
        let failed = |error| RecordError::file("write", path, error);
        let folder = path.parent().expect("a file of a run lies in a folder");
        let file = whole_file::named_temporary(folder).map_err(failed)?.into_temp_path();
        let mut sink = TrackedWrite::new(Draft::new(&file));
        sink.write_all(MAGIC).map_err(failed)?;
        let numbers = [(FORMAT_KEY, crate::FORMAT), (LAUNCH_KEY, launch), (NODE_KEY, node)];
        let note = |(key, value): (&str, u32)| KeyValue::new(key.to_string(), value.to_string());
        let schema = Arc::new(SchemaDescriptor::new(schema(&columns)));
        Ok(FileWriter {
            sink,
            file,
            path: path.to_path_buf(),
            columns,
            schema,
            notes: numbers.map(note).to_vec(),
            groups: Vec::new(),
            rows: 0,
            encoder: ColumnEncoder::new().map_err(|error| failed(io_error(error)))?,
            doubles: Doubles::new(),
        })
    }

    /// Say something in the file's metadata.
    pub fn note(&mut self, key: &str, value: &str) {
        self.notes.push(KeyValue::new(key.to_owned(), value.to_owned()));
    }

    /// Write a row group: the columns in their order, all of so many rows.
    pub fn write<'a>(
        &mut self,
        rows: usize,
        values: impl Iterator<Item = Values<'a>>,
    ) -> Result<(), RecordError> {
        self.write_group(rows, values)
            .map_err(|error| RecordError::file("write", &self.path, io_error(error)))
    }

    fn write_group<'a>(
        &mut self,
        rows: usize,
        values: impl Iterator<Item = Values<'a>>,
    ) -> Result<(), ParquetError> {
        let values: Vec<Values> = values.collect();
        let begin = self.sink.bytes_written() as i64;
        let mut chunks: Vec<ColumnChunkMetaData> = Vec::new();
        for at in 0..values.len() {
            let chunk = match self.same_before(&values, at) {
                Some(same) => like(&chunks[same], self.schema.column(at))?,
                None => self.write_column(at, values[at], rows)?,
            };
            chunks.push(chunk);
        }
        let group = RowGroupMetaData::builder(self.schema.clone())
            .set_num_rows(rows as i64)
            .set_total_byte_size(chunks.iter().map(|chunk| chunk.uncompressed_size()).sum())
            .set_ordinal(self.groups.len() as i32)
            .set_file_offset(begin)
            .set_column_metadata(chunks)
            .build()?;
        self.groups.push(group);
        self.rows += rows as i64;
        self.sink.flush()?;
        Ok(())
    }

    /// An earlier column with the same numbers, written in the same way.
    fn same_before(&self, values: &[Values], at: usize) -> Option<usize> {
        let is_long = |at: usize| {
            matches!(self.columns[at].shape, Shape::Long | Shape::Unordered | Shape::FewLongs)
        };
        let is_same = |before: &usize| {
            is_long(*before)
                && self.columns[*before].optional == self.columns[at].optional
                && values[*before] == values[at]
        };
        (0..at).filter(|_| is_long(at)).find(is_same)
    }

    fn write_column(
        &mut self,
        at: usize,
        values: Values,
        rows: usize,
    ) -> Result<ColumnChunkMetaData, ParquetError> {
        let (of, column) = (self.schema.column(at), &self.columns[at]);
        let (bytes, chunk) = match column.shape {
            Shape::Double => self.doubles.encode(of, column, values.iter(rows))?,
            _ => self.encoder.encode(of, column, values, rows)?,
        };
        let begin = self.sink.bytes_written() as i64;
        self.sink.write_all(&bytes)?;
        let data = begin + chunk.data_page_offset();
        let dictionary = chunk.dictionary_page_offset().map(|offset| begin + offset);
        let placed = chunk.into_builder().set_data_page_offset(data);
        placed.set_dictionary_page_offset(dictionary).build()
    }

    /// Complete the file and give it its name. Returns its rows.
    pub fn finish(mut self) -> Result<u64, RecordError> {
        let failed = |error| RecordError::file("write", &self.path, error);
        let about = FileMetaData::new(
            VERSION,
            self.rows,
            Some(concat!("fourstamp ", env!("CARGO_PKG_VERSION")).to_owned()),
            Some(self.notes),
            self.schema,
            None,
        );
        let metadata = ParquetMetaData::new(about, self.groups);
        ParquetMetaDataWriter::new(&mut self.sink, &metadata)
            .finish()
            .map_err(|error| failed(io_error(error)))?;
        // The live log is removed after this: what replaces it must be on the disk.
        let sink = self.sink.into_inner().map_err(|error| failed(io_error(error)))?;
        sink.sync().map_err(failed)?;
        self.file.persist(&self.path).map_err(|error| failed(error.error))?;
        Ok(self.rows as u64)
    }
}

/// A column whose bytes are those of another one.
fn like(
    other: &ColumnChunkMetaData,
    of: ColumnDescPtr,
) -> Result<ColumnChunkMetaData, ParquetError> {
    let statistics = other.statistics().expect("every column has statistics");
    ColumnChunkMetaData::builder(of)
        .set_compression_codec(other.compression_codec())
        .set_encodings_mask(*other.encodings_mask())
        .set_total_compressed_size(other.compressed_size())
        .set_total_uncompressed_size(other.uncompressed_size())
        .set_num_values(other.num_values())
        .set_data_page_offset(other.data_page_offset())
        .set_dictionary_page_offset(other.dictionary_page_offset())
        .set_statistics(statistics.clone())
        .build()
}

/// The system's error inside, where there is one: that is what tells a full disk.
fn io_error(error: ParquetError) -> std::io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(error) => *error,
            Err(other) => std::io::Error::other(other),
        },
        other => std::io::Error::other(other),
    }
}

impl Doubles {
    fn new() -> Doubles {
        let properties = WriterProperties::builder()
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_compression(Compression::UNCOMPRESSED)
            .set_offset_index_disabled(true)
            .build();
        Doubles { properties: Arc::new(properties), levels: Vec::new(), values: Vec::new() }
    }

    fn encode(
        &mut self,
        of: ColumnDescPtr,
        column: &OutColumn,
        values: impl Iterator<Item = i64> + Clone,
    ) -> Result<Encoded, ParquetError> {
        let levels = column.optional.then(|| {
            self.levels.clear();
            self.levels.extend(values.clone().map(|value| i16::from(value != NULL)));
            self.levels.as_slice()
        });
        let present = values.filter(|value| levels.is_none() || *value != NULL);
        self.values.clear();
        self.values.extend(present.map(|value| f64::from_bits(value as u64)));
        let mut sink = TrackedWrite::new(Vec::new());
        let pages = Box::new(SerializedPageWriter::new(&mut sink));
        let out = get_column_writer(of, self.properties.clone(), pages);
        let mut out = get_typed_column_writer::<DoubleType>(out);
        out.write_batch(&self.values, levels, None)?;
        let metadata = out.close()?.metadata;
        Ok((Bytes::from(sink.into_inner()?), metadata))
    }
}

fn schema(columns: &[OutColumn]) -> TypePtr {
    let fields = columns.iter().map(|column| Arc::new(column_type(column))).collect();
    let schema = Type::group_type_builder("message").with_fields(fields).build();
    Arc::new(schema.expect("names and types are fixed and legal"))
}

fn column_type(column: &OutColumn) -> Type {
    let physical = match column.shape {
        Shape::Int => Physical::INT32,
        Shape::Long | Shape::Unordered | Shape::FewLongs => Physical::INT64,
        Shape::Double => Physical::DOUBLE,
        Shape::Name(_) => Physical::BYTE_ARRAY,
    };
    let repetition = if column.optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let built = Type::primitive_type_builder(column.name, physical).with_repetition(repetition);
    let built = match column.shape {
        Shape::Name(_) => built
            .with_logical_type(Some(LogicalType::String))
            .with_converted_type(ConvertedType::UTF8),
        _ => built,
    };
    built.build().expect("names and types are fixed and legal")
}
