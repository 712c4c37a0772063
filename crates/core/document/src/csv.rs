//! Tables and series as CSV.

use std::io::Write;

use crate::DocumentError;
use crate::section::{Document, Run};
use crate::series::Series;
use crate::table::{Cell, Row, Table, Value};

/// The table of this name, with its own columns; times are in ns. Where several sections have one
/// with the same columns, these are one table. A value with an interval has two columns more,
/// `_low` and `_high`. Of a document of several runs the first column names the run.
///
/// # Errors
/// When there is no table of that name, or `out` refuses the text.
pub fn table_csv(
    document: &Document,
    name: &str,
    out: &mut dyn Write,
) -> Result<(), DocumentError> {
    let named = |table: &&Table| table.id == name;
    let runs = document.runs.iter().filter_map(|run| Some((run, run.tables().find(named)?)));
    let runs: Vec<(&Run, &Table)> = runs.collect();
    let mut csv = csv::Writer::from_writer(out);
    if let Some((_, first)) = runs.first() {
        let head = std::iter::once("run".to_owned()).chain(heads(first));
        csv.write_record(head).map_err(refused)?;
        for (run, table) in &runs {
            for row in &table.rows {
                let fields = std::iter::once(harmless(&run.name)).chain(fields(table, row));
                csv.write_record(fields).map_err(refused)?;
            }
        }
    } else {
        let first = document.tables().find(named).ok_or_else(|| unknown(document, name))?;
        csv.write_record(heads(first)).map_err(refused)?;
        let alike = |table: &&Table| heads(table).eq(heads(first));
        for table in document.tables().filter(named).filter(alike) {
            for row in &table.rows {
                csv.write_record(fields(table, row)).map_err(refused)?;
            }
        }
    }
    Ok(csv.flush()?)
}

fn unknown(document: &Document, name: &str) -> DocumentError {
    let mut known: Vec<&str> = document.tables().map(|table| table.id).collect();
    known.sort_unstable();
    known.dedup();
    DocumentError::Unknown { name: name.to_owned(), known: known.join(", ") }
}

fn heads(table: &Table) -> impl Iterator<Item = String> {
    table.columns.iter().flat_map(|column| {
        let name = column.name();
        let ends = column.interval.then(|| [format!("{name}_low"), format!("{name}_high")]);
        std::iter::once(name).chain(ends.into_iter().flatten())
    })
}

fn fields(table: &Table, row: &Row) -> impl Iterator<Item = String> {
    row.cells.iter().zip(&table.columns).flat_map(|(cell, column)| {
        let ends = column.interval.then(|| ends(cell));
        std::iter::once(field(cell)).chain(ends.into_iter().flatten())
    })
}

/// Series in the long format:
///
/// | column | meaning |
/// |---|---|
/// | `series` | which plot |
/// | `stage` | `end-to-end`, `send-wait`, `transit`, `receive-wait`, `cycle`, else empty |
/// | `group` | piece, group, launch, kind; empty where it does not apply |
/// | `scale` | `linear` or `log` for histogram bins, else empty |
/// | `x_from`, `x_to` | where it lies; `x_to` is empty for a point |
/// | `y`, `unit` | the value, and what it is |
///
/// # Errors
/// When `out` refuses the text.
pub fn series_csv<'a>(
    series: impl IntoIterator<Item = &'a Series>,
    out: &mut dyn Write,
) -> Result<(), DocumentError> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(["series", "stage", "group", "scale", "x_from", "x_to", "y", "unit"])
        .map_err(refused)?;
    for one in series {
        for point in &one.points {
            let (group, y) = (harmless(&point.group), point.y.to_string());
            let [from, to] = [&point.from, &point.to].map(|text| text.as_str());
            csv.write_record([
                one.name,
                point.stage,
                &group,
                point.scale,
                from,
                to,
                &y,
                point.unit,
            ])
            .map_err(refused)?;
        }
    }
    Ok(csv.flush()?)
}

fn ends(cell: &Cell) -> [String; 2] {
    cell.interval.map_or_else(Default::default, |(low, high)| [low.to_string(), high.to_string()])
}

fn field(cell: &Cell) -> String {
    match &cell.value {
        Value::None => String::new(),
        Value::Text(text) => harmless(text),
        Value::Whole(value) => value.to_string(),
        Value::Real(value) => value.to_string(),
        Value::Lines(lines) => harmless(&lines.join("; ")),
        Value::Parts(parts) => {
            let words = parts.iter().map(|(name, _, share)| format!("{name} {share}"));
            words.collect::<Vec<_>>().join("; ")
        }
    }
}

/// A spreadsheet takes text that begins so for a formula: an apostrophe before it prevents that.
fn harmless(text: &str) -> String {
    let plain = crate::format::plain(text);
    let formula = plain.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if formula && plain.parse::<f64>().is_err() { format!("'{plain}") } else { plain }
}

fn refused(error: csv::Error) -> std::io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => std::io::Error::other(format!("{other:?}")),
    }
}
