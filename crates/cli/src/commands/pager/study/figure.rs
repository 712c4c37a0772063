//! The study's figure.

use super::prediction::predicted_s;
use super::row::Row;
use document::Document;
use pager_lens::{Bar, StudyFigure};

/// For a page.
pub fn document(
    program: &str,
    rows: &[Row],
    sentences: Vec<String>,
    remarks: Vec<String>,
) -> Document {
    let title = format!(
        "{} · where its data are, and where its time goes · Fourstamp",
        program.to_uppercase()
    );
    let bars = rows.iter().filter_map(|row| bar(row, rows)).collect();
    StudyFigure { title, sentences, bars, remarks }.document()
}

fn bar(row: &Row, rows: &[Row]) -> Option<Bar> {
    Some(Bar {
        group: format!("{} of data, {} MiB local", row.size_text(), row.local_bytes >> 20),
        name: row.alternative.name(),
        seconds: row.middle()?.seconds,
        tick_s: row.middle()?.tick_s,
        range_s: row.range_s(),
        predicted_s: predicted_s(row, rows),
    })
}
