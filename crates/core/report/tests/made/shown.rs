//! What is shown of made-up runs, as text.

use document::{DocumentError, Screen};
use report::{Entry, Facts, Page, Part, series};
use stats::analysis::Analysis;

/// The page.
#[allow(dead_code)]
pub fn html(page: &Page, out: &mut dyn std::io::Write) -> Result<(), DocumentError> {
    document::page(&page.document(), out)
}

/// One run on a terminal.
#[allow(dead_code)]
pub fn terminal(facts: &Facts, analysis: &Analysis, width: usize, colour: bool) -> String {
    terminal_with(facts, analysis, &[], Screen { width, colour })
}

/// One run of a product on a terminal.
#[allow(dead_code)]
pub fn terminal_with(facts: &Facts, analysis: &Analysis, parts: &[Part], screen: Screen) -> String {
    document::terminal(&one(facts, analysis, parts), screen)
}

/// One series as CSV, or all of them.
#[allow(dead_code)]
pub fn csv(analysis: &Analysis, name: Option<&str>) -> String {
    let mut out = Vec::new();
    document::series_csv(&series(analysis, name), &mut out).expect("memory takes everything");
    String::from_utf8(out).expect("CSV is UTF-8")
}

/// A table of one run as CSV.
#[allow(dead_code)]
pub fn table(facts: &Facts, analysis: &Analysis, name: &str) -> Result<String, DocumentError> {
    let mut out = Vec::new();
    document::table_csv(&one(facts, analysis, &[]), name, &mut out)?;
    Ok(String::from_utf8(out).expect("CSV is UTF-8"))
}

fn one(facts: &Facts, analysis: &Analysis, parts: &[Part]) -> document::Document {
    let runs = [Entry { parts, ..Entry::new("run", facts, analysis) }];
    Page { title: "", runs: &runs, floors: &[], remarks: &[] }.document()
}
