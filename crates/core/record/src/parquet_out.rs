//! Writing Parquet: whole files of columns, each value a 64-bit number or one of a few names.
//!
//! Which encoding a column gets was measured (`cargo run --release -p fourstamp-record --example
//! encodings`); the table and the reasons are in docs/FORMAT.md.

use crate::column_out::{ColumnEncoder, OutColumn, Shape};
use crate::draft::Draft;
use crate::{NULL, RecordError, whole_file};
use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::{
    SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter,
};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Key of the format number in a file's metadata.
pub(crate) const FORMAT_KEY: &str = "fourstamp.format";
/// Key of the node number in a file's metadata.
pub(crate) const NODE_KEY: &str = "fourstamp.node";
/// Key of the launch number in a file's metadata.
pub(crate) const LAUNCH_KEY: &str = "fourstamp.launch";

/// A Parquet file being written. It has its name only after [`FileWriter::finish`].
pub(crate) struct FileWriter {
    writer: SerializedFileWriter<Draft>,
    file: tempfile::TempPath,
    path: PathBuf,
    columns: Vec<OutColumn>,
    rows: u64,
    schema: SchemaDescriptor,
    encoder: ColumnEncoder,
    doubles: Doubles,
}

/// Columns of doubles, which the Parquet crate encodes; reused between them.
#[derive(Default)]
struct Doubles {
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
        let sink = Draft::new(&file);
        let numbers = [(FORMAT_KEY, crate::FORMAT), (LAUNCH_KEY, launch), (NODE_KEY, node)];
        let metadata =
            numbers.map(|(key, value)| KeyValue::new(key.to_string(), value.to_string())).to_vec();
        let properties = properties().set_key_value_metadata(Some(metadata)).build();
        let root = schema(&columns);
        let writer = SerializedFileWriter::new(sink, root.clone(), Arc::new(properties))
            .map_err(|error| failed(io_error(error)))?;
        Ok(FileWriter {
            writer,
            file,
            path: path.to_path_buf(),
            columns,
            rows: 0,
            schema: SchemaDescriptor::new(root),
            encoder: ColumnEncoder::new().map_err(|error| failed(io_error(error)))?,
            doubles: Doubles::default(),
        })
    }

    /// Say something in the file's metadata.
    pub fn note(&mut self, key: &str, value: &str) {
        let pair = KeyValue::new(key.to_owned(), value.to_owned());
        self.writer.append_key_value_metadata(pair);
    }

    /// Write a row group: the columns in their order, all of one length.
    pub fn write<'a>(
        &mut self,
        values: impl Iterator<Item = &'a [i64]>,
    ) -> Result<(), RecordError> {
        self.write_group(values)
            .map_err(|error| RecordError::file("write", &self.path, io_error(error)))
    }

    fn write_group<'a>(
        &mut self,
        values: impl Iterator<Item = &'a [i64]>,
    ) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        let mut rows = 0;
        for (at, (column, values)) in self.columns.iter().zip(values).enumerate() {
            if let Shape::Double = column.shape {
                let mut out = next_column(&mut group)?;
                self.doubles.write(&mut out, column, values)?;
                out.close()?;
            } else {
                let (bytes, close) = self.encoder.encode(self.schema.column(at), column, values)?;
                group.append_column(&bytes, close)?;
            }
            rows = values.len() as u64;
        }
        group.close()?;
        self.rows += rows;
        self.writer.flush()?;
        Ok(())
    }

    /// Complete the file and give it its name. Returns its rows.
    pub fn finish(self) -> Result<u64, RecordError> {
        let failed = |error| RecordError::file("write", &self.path, error);
        let sink = self.writer.into_inner().map_err(|error| failed(io_error(error)))?;
        // The live log is removed after this: what replaces it must be on the disk.
        sink.sync().map_err(failed)?;
        self.file.persist(&self.path).map_err(|error| failed(error.error))?;
        Ok(self.rows)
    }
}

fn next_column<'a, W: std::io::Write + Send>(
    group: &'a mut SerializedRowGroupWriter<'_, W>,
) -> Result<SerializedColumnWriter<'a>, ParquetError> {
    group
        .next_column()?
        .ok_or_else(|| ParquetError::General("fewer columns than fields".to_string()))
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
    fn write(
        &mut self,
        out: &mut SerializedColumnWriter,
        column: &OutColumn,
        values: &[i64],
    ) -> Result<(), ParquetError> {
        let levels = column.optional.then(|| {
            self.levels.clear();
            self.levels.extend(values.iter().map(|value| i16::from(*value != NULL)));
            self.levels.as_slice()
        });
        let present = values.iter().copied().filter(|value| levels.is_none() || *value != NULL);
        self.values.clear();
        self.values.extend(present.map(|value| f64::from_bits(value as u64)));
        out.typed::<DoubleType>().write_batch(&self.values, levels, None)?;
        Ok(())
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

/// What the file says of itself, and how its doubles are written.
fn properties() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_created_by(concat!("fourstamp ", env!("CARGO_PKG_VERSION")).to_string())
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_compression(Compression::UNCOMPRESSED)
        .set_offset_index_disabled(true)
        .set_max_row_group_row_count(None)
}
