//! Reading one column of one row group as 64-bit numbers.

use crate::NULL;
use crate::codes::{self, CodeOf};
use crate::column_bytes::ColumnBytes;
use crate::levels::WithoutLevels;
use parquet::basic::Type as Physical;
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnDescriptor;
use std::fs::File;
use std::sync::Arc;

/// Most rows that a row group may have: bounds what a damaged file can make a reader reserve.
pub(crate) const ROWS_MAX: i64 = 1 << 24;

/// Memory that is used again for the next column.
#[derive(Default)]
pub(crate) struct Scratch {
    levels: Vec<i16>,
    ints: Vec<i32>,
    doubles: Vec<f64>,
}

/// Read a column of `rows` rows into `values`, which is empty: [`NULL`] for null, the bits of a
/// double, and for a column of names what `code_of` says. Returns how many times were too far off.
pub(crate) fn read(
    file: &File,
    column: &ColumnChunkMetaData,
    rows: usize,
    code_of: Option<&CodeOf>,
    scratch: &mut Scratch,
    values: &mut Vec<i64>,
) -> Result<u64, ParquetError> {
    let bytes = ColumnBytes::read(file, column.byte_range())?;
    let pages = SerializedPageReader::new(Arc::new(bytes), column, rows, None)?;
    if let Some(code_of) = code_of {
        codes::read(pages, column, rows, code_of, values)?;
        return check_length(values, rows).map(|()| 0);
    }
    let Scratch { levels, ints, doubles } = scratch;
    match column.column_type() {
        Physical::INT64 => decode::<Int64Type>(pages, column, rows, levels, values)?,
        Physical::DOUBLE => {
            doubles.clear();
            decode::<DoubleType>(pages, column, rows, levels, doubles)?;
            values.extend(doubles.iter().map(|value| value.to_bits() as i64));
        }
        _ => {
            ints.clear();
            decode::<Int32Type>(pages, column, rows, levels, ints)?;
            values.extend(ints.iter().map(|value| i64::from(*value)));
        }
    }
    if column.column_descr().max_def_level() > 0 && has_nulls(column) {
        expand(values, levels, rows)?;
    }
    let mut far = 0;
    if is_time(column) {
        for value in values.iter_mut() {
            far += u64::from(is_far(*value));
            *value = time(*value);
        }
    }
    check_length(values, rows).map(|()| far)
}

/// The value that every row has, as far as the statistics prove it; of a column of names what
/// `code_of` says.
pub(crate) fn constant(
    column: &ColumnChunkMetaData,
    rows: usize,
    code_of: Option<&CodeOf>,
) -> Option<i64> {
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
            Some(value).filter(|value| !is_time(column) || !is_far(*value))
        }
        Statistics::ByteArray(of) => code_of?(same(of.min_opt(), of.max_opt())?.data()),
        // The order of floats in statistics leaves out NaN and the sign of zero.
        _ => None,
    }
}

/// Whether some row may have this number, as far as the statistics say.
pub(crate) fn may_have(column: &ColumnChunkMetaData, value: i64) -> bool {
    let range = match column.statistics() {
        Some(of) if !of.min_is_exact() || !of.max_is_exact() => None,
        Some(Statistics::Int32(of)) => {
            of.min_opt().zip(of.max_opt()).map(|(min, max)| i64::from(*min)..=i64::from(*max))
        }
        Some(Statistics::Int64(of)) => of.min_opt().zip(of.max_opt()).map(|(min, max)| *min..=*max),
        _ => None,
    };
    range.is_none_or(|range| range.contains(&value))
}

fn same<T: PartialEq>(min: Option<T>, max: Option<T>) -> Option<T> {
    if min == max { min } else { None }
}

/// Whether a column holds times.
pub(crate) fn is_time(column: &ColumnChunkMetaData) -> bool {
    column.column_descr().name().ends_with("_ns")
}

/// A time as it is read: one that lies further from the run's begin than 73 years was never a time
/// of a run, and differences of such would not fit 64 bits.
fn time(ns: i64) -> i64 {
    if is_far(ns) { NULL } else { ns }
}

/// Whether there is a time, and it is so far off.
fn is_far(ns: i64) -> bool {
    const FAR_NS: u64 = 1 << 61;
    ns != NULL && ns.unsigned_abs() > FAR_NS
}

fn check_length(values: &[i64], rows: usize) -> Result<(), ParquetError> {
    if values.len() == rows { Ok(()) } else { Err(short(values.len(), rows)) }
}

fn short(got: usize, rows: usize) -> ParquetError {
    ParquetError::General(format!("has {got} values for {rows} rows"))
}

/// Decode the values that are there; `levels` says where.
fn decode<T: DataType>(
    pages: SerializedPageReader<ColumnBytes>,
    column: &ColumnChunkMetaData,
    rows: usize,
    levels: &mut Vec<i16>,
    values: &mut Vec<T::T>,
) -> Result<(), ParquetError> {
    levels.clear();
    values.reserve(rows);
    let nullable = column.column_descr();
    let mut reader = if nullable.max_def_level() > 0 && !has_nulls(column) {
        let plain = ColumnDescriptor::new(nullable.self_type_ptr(), 0, 0, nullable.path().clone());
        ColumnReaderImpl::<T>::new(Arc::new(plain), Box::new(WithoutLevels(pages)))
    } else {
        ColumnReaderImpl::<T>::new(column.column_descr_ptr(), Box::new(pages))
    };
    let mut read = 0;
    while read < rows {
        let (records, _, _) = reader.read_records(rows - read, Some(levels), None, values)?;
        if records == 0 {
            return Err(short(read, rows));
        }
        read += records;
    }
    Ok(())
}

/// Put nulls where `levels` has them, from the back, in place.
fn expand(values: &mut Vec<i64>, levels: &[i16], rows: usize) -> Result<(), ParquetError> {
    let mut present = values.len();
    if levels.len() != rows || present > rows {
        return Err(short(levels.len(), rows));
    }
    if present == rows {
        return Ok(());
    }
    values.resize(rows, NULL);
    for at in (0..rows).rev() {
        if levels[at] == 0 {
            values[at] = NULL;
        } else {
            present = present.checked_sub(1).ok_or_else(|| short(present, rows))?;
            values[at] = values[present];
        }
    }
    Ok(())
}

/// Whether a column has nulls, as far as its statistics do not exclude it.
fn has_nulls(column: &ColumnChunkMetaData) -> bool {
    column.statistics().and_then(|statistics| statistics.null_count_opt()) != Some(0)
}
