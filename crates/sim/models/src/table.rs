//! Tables of a scenario as text: a heading line that names the columns, then a line a row. Columns
//! may come in any order; further ones are ignored.

use crate::ModelError;
use csv::{Error, ErrorKind, Position, Reader, ReaderBuilder, Trim};

/// The text of a file, and the file's name for messages.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    /// Name of the file.
    pub file: &'a str,
    /// What it holds.
    pub text: &'a str,
}

/// A row's fields in the order of the columns asked for, and its line in the file.
pub(crate) struct Row<const N: usize> {
    pub line: u64,
    pub fields: [String; N],
}

/// The rows of a table, one after another.
pub(crate) fn rows<'t, const N: usize>(
    table: Table<'t>,
    columns: [&str; N],
    trim: Trim,
) -> Result<impl Iterator<Item = Result<Row<N>, ModelError>> + use<'t, N>, ModelError> {
    let (reader, places) = open(table, &columns, trim)?;
    Ok(reader.into_records().map(move |record| {
        let record = record.map_err(|error| unreadable(table.file, &error))?;
        let line = record.position().map_or(0, Position::line);
        let field = |column: usize| record.get(places[column]).unwrap_or_default().to_string();
        Ok(Row { line, fields: std::array::from_fn(field) })
    }))
}

/// Behind the heading, and where each column is.
pub(crate) fn open<'t>(
    table: Table<'t>,
    columns: &[&str],
    trim: Trim,
) -> Result<(Reader<&'t [u8]>, Vec<usize>), ModelError> {
    // Spreadsheets put a byte order mark before the heading.
    let text = table.text.trim_start_matches('\u{feff}');
    let mut reader = ReaderBuilder::new().trim(trim).from_reader(text.as_bytes());
    let heading = reader.headers().map_err(|error| unreadable(table.file, &error))?;
    let place = |column: &&str| {
        heading.iter().position(|name| name == *column).ok_or_else(|| {
            let wanted = columns.join(",");
            wrong(
                table.file,
                1,
                format!("the column {column} is missing; the heading must name {wanted}"),
            )
        })
    };
    let places = columns.iter().map(place).collect::<Result<_, _>>()?;
    Ok((reader, places))
}

/// Something is wrong in this line.
pub(crate) fn wrong(file: &str, line: u64, reason: impl Into<String>) -> ModelError {
    ModelError::Data { place: format!("{file}, line {line}"), reason: reason.into() }
}

/// The line of a row; one behind the last row would be on the line after it.
pub(crate) fn line_number<T>(rows: &[T], row: usize, line: impl Fn(&T) -> u64) -> u64 {
    rows.get(row).map(&line).or(rows.last().map(|last| line(last) + 1)).unwrap_or(2)
}

fn unreadable(file: &str, error: &Error) -> ModelError {
    let line = error.position().map_or(1, Position::line);
    let reason = match error.kind() {
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!(
                "the row has {len} fields, but the heading has {expected_len}; give one field for \
                each column"
            )
        }
        _ => format!("it cannot be read as a table: {error}"),
    };
    wrong(file, line, reason)
}
