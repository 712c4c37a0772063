//! Tables that line up.

use super::Screen;
use super::grid::{Grid, Small};
use crate::table::{Row, Table};

/// Rows that a terminal shows of a long table.
const ROWS: usize = 24;
/// With few more than that it shows all: what is left out takes a line, too.
const ALL_ROWS: usize = 32;

/// The table, and what is left out of it.
pub(super) fn table(table: &Table, screen: Screen) -> String {
    let rows = if table.whole { table.rows.iter().collect() } else { chosen(&table.rows) };
    if rows.is_empty() || table.data {
        return String::new();
    }
    let (mut text, bars) = drawn(table, &rows, screen);
    if rows.len() < table.rows.len() {
        let (left, id) = (table.rows.len() - rows.len(), table.id);
        let rows = if left == 1 { "row" } else { "rows" };
        text.push_str(&screen.wrapped(&format!("{left} more {rows}: --csv={id} has all.")));
    }
    if !bars.is_empty() {
        text.push_str(&screen.wrapped(&format!("Bars: {}.", bars.join(", "))));
    }
    text.push_str(&screen.wrapped(table.note.as_deref().unwrap_or_default()));
    text
}

/// The table in the first of these forms that fits, and what the bars in it mean: all columns;
/// those that a narrow terminal needs, with the small print below or without it; columns as rows;
/// heads in several lines; words that wrap; a paragraph a row.
fn drawn(table: &Table, rows: &[&Row], screen: Screen) -> (String, Vec<String>) {
    let form = |wide, small| Grid::upright(table, wide, small, rows, screen);
    let narrow = || form(false, Small::Out);
    let fitting = Some(form(true, Small::Beside))
        .filter(|grid| grid.fits(screen))
        .or_else(|| Some(form(false, Small::Below)).filter(|grid| grid.fits(screen)))
        .or_else(|| Some(narrow()).filter(|grid| grid.fits(screen)))
        .or_else(|| table.turned.then(|| Grid::turned(table, screen)))
        .filter(|grid| grid.fits(screen))
        .or_else(|| Some(narrow().stacked()).filter(|grid| grid.fits(screen)));
    if let Some(grid) = fitting {
        return (grid.text(None), grid.bars);
    }
    // Cells that wrap are cut where colours do not end.
    let plain = Screen { colour: false, ..screen };
    let grid = Grid::upright(table, false, Small::Out, rows, plain);
    let grid = if grid.fits_wrapped(screen) { grid } else { grid.stacked() };
    if !table.wordy && grid.fits_wrapped(screen) {
        return (grid.text(Some(screen.width)), grid.bars);
    }
    let grid = Grid::by_rows(table, rows, screen);
    (grid.records(screen), grid.bars)
}

/// Of a long table the first rows; where rows stand out, those, their neighbours, and an even
/// choice of the others.
fn chosen(rows: &[Row]) -> Vec<&Row> {
    if rows.len() <= ALL_ROWS {
        return rows.iter().collect();
    }
    if !rows.iter().any(|row| row.marked) {
        return rows.iter().take(ROWS).collect();
    }
    let step = rows.len().div_ceil(ROWS);
    let marked = |at: usize| rows.get(at).is_some_and(|row| row.marked);
    let kept = |at: &usize| {
        at.is_multiple_of(step) || at + 1 == rows.len() || marked(*at) || marked(at + 1)
    };
    (0..rows.len()).filter(kept).map(|at| &rows[at]).collect()
}
