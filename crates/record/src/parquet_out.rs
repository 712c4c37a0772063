//! Writing messages files: columns to Parquet.
//!
//! Which encoding a column gets was measured (`cargo run --release -p fourstamp-record --example encodings`); the
//! table and the reasons are in docs/FORMAT.md.

use crate::table::Table;
use crate::{Field, How, Kind, NULL, RecordError, whole_file};
use bytes::Bytes;
use parquet::basic::{Compression, ConvertedType, Encoding, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type, TypePtr};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Key of the format number in a file's metadata.
pub(crate) const FORMAT_KEY: &str = "fourstamp.format";
/// Key of the node number in a file's metadata.
pub(crate) const NODE_KEY: &str = "fourstamp.node";
/// Key of the launch number in a file's metadata.
pub(crate) const LAUNCH_KEY: &str = "fourstamp.launch";

/// A messages file being written. It has its name only after [`MessagesWriter::finish`].
pub(crate) struct MessagesWriter {
    writer: SerializedFileWriter<BufWriter<std::fs::File>>,
    file: tempfile::NamedTempFile,
    path: PathBuf,
    rows: u64,
    scratch: Scratch,
}

/// Reused between columns.
#[derive(Default)]
struct Scratch {
    levels: Vec<i16>,
    longs: Vec<i64>,
    ints: Vec<i32>,
    doubles: Vec<f64>,
    names: Vec<ByteArray>,
}

impl MessagesWriter {
    pub fn create(path: &Path, table: &Table, launch: u32, node: u32) -> Result<MessagesWriter, RecordError> {
        let failed = |error| RecordError::file("write", path, error);
        let folder = path.parent().expect("messages files lie in a folder");
        let file = whole_file::named_temporary(folder).map_err(failed)?;
        let sink = BufWriter::with_capacity(1 << 18, file.reopen().map_err(failed)?);
        let numbers = [(FORMAT_KEY, crate::FORMAT), (LAUNCH_KEY, launch), (NODE_KEY, node)];
        let metadata = numbers.map(|(key, value)| KeyValue::new(key.to_string(), value.to_string())).to_vec();
        let properties = properties(table).set_key_value_metadata(Some(metadata)).build();
        let writer = SerializedFileWriter::new(sink, schema(table), Arc::new(properties))
            .map_err(|error| failed(io_error(error)))?;
        let scratch = Scratch::default();
        Ok(MessagesWriter { writer, file, path: path.to_path_buf(), rows: 0, scratch })
    }

    /// Write a row group.
    pub fn write(&mut self, table: &Table) -> Result<(), RecordError> {
        self.rows += table.rows() as u64;
        self.write_group(table).map_err(|error| RecordError::file("write", &self.path, io_error(error)))
    }

    fn write_group(&mut self, table: &Table) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for (field, values) in table.columns() {
            let mut column = next_column(&mut group)?;
            self.scratch.write(&mut column, *field, values)?;
            column.close()?;
        }
        group.close()?;
        Ok(())
    }

    /// Complete the file and give it its name. Returns its rows.
    pub fn finish(self) -> Result<u64, RecordError> {
        let failed = |error| RecordError::file("write", &self.path, error);
        let sink = self.writer.into_inner().map_err(|error| failed(io_error(error)))?;
        let file = sink.into_inner().map_err(|error| failed(error.into_error()))?;
        // The live log is removed after this: what replaces it must be on the disk.
        file.sync_data().map_err(failed)?;
        self.file.persist(&self.path).map_err(|error| failed(error.error))?;
        Ok(self.rows)
    }
}

fn next_column<'a, W: std::io::Write + Send>(
    group: &'a mut SerializedRowGroupWriter<'_, W>,
) -> Result<SerializedColumnWriter<'a>, ParquetError> {
    group.next_column()?.ok_or_else(|| ParquetError::General("fewer columns than fields".to_string()))
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

impl Scratch {
    fn write(
        &mut self,
        column: &mut SerializedColumnWriter,
        field: Field,
        values: &[i64],
    ) -> Result<(), ParquetError> {
        let levels = is_optional(field).then(|| {
            self.levels.clear();
            self.levels.extend(values.iter().map(|value| i16::from(*value != NULL)));
            self.levels.as_slice()
        });
        let present = values.iter().copied().filter(|value| levels.is_none() || *value != NULL);
        match shape(field) {
            Shape::Name(names) => {
                let names: Vec<ByteArray> =
                    names.iter().map(|name| Bytes::from_static(name.as_bytes()).into()).collect();
                self.names.clear();
                self.names.extend(present.map(|code| names[code as usize].clone()));
                column.typed::<ByteArrayType>().write_batch(&self.names, levels, None)?
            }
            Shape::Int => {
                self.ints.clear();
                self.ints.extend(present.map(|value| value as i32));
                column.typed::<Int32Type>().write_batch(&self.ints, levels, None)?
            }
            Shape::Long => {
                self.longs.clear();
                self.longs.extend(present);
                column.typed::<Int64Type>().write_batch(&self.longs, levels, None)?
            }
            Shape::Double => {
                self.doubles.clear();
                self.doubles.extend(present.map(|value| f64::from_bits(value as u64)));
                column.typed::<DoubleType>().write_batch(&self.doubles, levels, None)?
            }
        };
        Ok(())
    }
}

/// How a column is stored.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    Int,
    Long,
    Double,
    /// A name for each code.
    Name(&'static [&'static str]),
}

pub(crate) fn shape(field: Field) -> Shape {
    match field {
        Field::Kind => Shape::Name(&Kind::NAMES),
        Field::ArrivedHow => Shape::Name(&How::NAMES),
        Field::Launch | Field::Src | Field::Dst => Shape::Int,
        Field::Hops | Field::Packets | Field::Batch | Field::InFlight | Field::QueueLength => Shape::Int,
        Field::VirtualSend | Field::VirtualReceive => Shape::Double,
        _ => Shape::Long,
    }
}

/// Whether a column may hold null.
fn is_optional(field: Field) -> bool {
    matches!(field, Field::ReadyNs | Field::SentNs | Field::ArrivedNs | Field::TakenNs | Field::ArrivedHow)
        || field > Field::QueueLength
}

fn schema(table: &Table) -> TypePtr {
    let fields = table.fields().map(|field| Arc::new(column_type(field))).collect();
    let schema = Type::group_type_builder("message").with_fields(fields).build();
    Arc::new(schema.expect("names and types are fixed and legal"))
}

fn column_type(field: Field) -> Type {
    let physical = match shape(field) {
        Shape::Int => Physical::INT32,
        Shape::Long => Physical::INT64,
        Shape::Double => Physical::DOUBLE,
        Shape::Name(_) => Physical::BYTE_ARRAY,
    };
    let repetition = if is_optional(field) { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let column = Type::primitive_type_builder(field.name(), physical).with_repetition(repetition);
    let column = match shape(field) {
        Shape::Name(_) => {
            column.with_logical_type(Some(LogicalType::String)).with_converted_type(ConvertedType::UTF8)
        }
        _ => column,
    };
    column.build().expect("names and types are fixed and legal")
}

fn properties(table: &Table) -> WriterPropertiesBuilder {
    let whole = WriterProperties::builder()
        .set_created_by(concat!("fourstamp ", env!("CARGO_PKG_VERSION")).to_string())
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_compression(Compression::UNCOMPRESSED)
        .set_offset_index_disabled(true)
        .set_max_row_group_row_count(None);
    table.fields().fold(whole, |properties, field| {
        let path = ColumnPath::from(field.name());
        match shape(field) {
            // Few sizes come again and again: that is what dictionaries are for.
            Shape::Name(_) | Shape::Double => properties,
            Shape::Long if field == Field::Bytes => properties,
            Shape::Int | Shape::Long => properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
        }
    })
}
