//! Tables that line up.

use comfy_table::{CellAlignment, ContentArrangement, presets};

use super::{Screen, bars, line};
use crate::format::{ColumnUnit, NONE};
use crate::table::{Cell, Column, Row, Table, Value};

/// Rows that a terminal shows of a long table.
const ROWS: usize = 24;
/// Cells of a bar within a table.
const BAR: usize = 8;

/// The table, and what is left out of it. The first of these forms that fits: all columns; those
/// that a narrow terminal needs, with the small print below or without it; columns as rows; a
/// paragraph a row; cells that wrap.
pub(super) fn table(table: &Table, screen: Screen) -> String {
    let rows = chosen(&table.rows);
    if rows.is_empty() || table.data {
        return String::new();
    }
    let fits = |grid: &Grid| grid.text(None).lines().all(|line| width(line) <= screen.width);
    let form = |wide, small| Grid::upright(table, wide, small, &rows, screen);
    let narrow = || form(false, Small::Out);
    let grid = Some(form(true, Small::Beside))
        .filter(fits)
        .or_else(|| Some(form(false, Small::Below)).filter(fits))
        .or_else(|| Some(narrow()).filter(fits))
        .or_else(|| table.turned.then(|| Grid::turned(table, screen)))
        .unwrap_or_else(narrow);
    let mut text = match fits(&grid) {
        true => grid.text(None),
        false if table.wordy => form(true, Small::Beside).records(screen),
        // Cells that wrap are cut where colours do not end.
        false => {
            let plain = Screen { colour: false, ..screen };
            Grid::upright(table, false, Small::Out, &rows, plain).text(Some(screen.width))
        }
    };
    if rows.len() < table.rows.len() {
        let (left, id) = (table.rows.len() - rows.len(), table.id);
        text.push_str(&screen.wrapped(&format!("{left} more rows: --csv={id} has all.")));
    }
    text.push_str(&screen.wrapped(table.note.as_deref().unwrap_or_default()));
    text
}

/// Columns that a line takes, without its colours.
fn width(line: &str) -> usize {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().map_or(0, |part| part.chars().count());
    parts.fold(first, |sum, part| {
        sum + part.split_once('m').map_or(0, |(_, rest)| rest.chars().count())
    })
}

/// Of a long table the first rows; where rows stand out, those, their neighbours, and an even
/// choice of the others.
fn chosen(rows: &[Row]) -> Vec<&Row> {
    if rows.len() <= ROWS || !rows.iter().any(|row| row.marked) {
        return rows.iter().take(ROWS).collect();
    }
    let step = rows.len().div_ceil(ROWS);
    let marked = |at: usize| rows.get(at).is_some_and(|row| row.marked);
    let kept = |at: &usize| {
        at.is_multiple_of(step) || at + 1 == rows.len() || marked(*at) || marked(at + 1)
    };
    (0..rows.len()).filter(kept).map(|at| &rows[at]).collect()
}

/// Where intervals and small lines stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Small {
    /// In brackets behind the figure.
    Beside,
    /// In lines of their own.
    Below,
    /// Nowhere.
    Out,
}

/// Words in rows and columns.
struct Grid {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Columns whose words stand on the right.
    right: Vec<bool>,
}

impl Grid {
    fn upright(table: &Table, wide: bool, small: Small, rows: &[&Row], screen: Screen) -> Grid {
        let seen = table.seen(wide);
        let columns: Vec<(&Column, Option<ColumnUnit>, usize)> = seen
            .iter()
            .map(|&at| (&table.columns[at], common_unit(&table.columns[at], rows, at), at))
            .collect();
        let row = |row: &&Row| {
            let cell = |(column, unit, at): &(&Column, Option<ColumnUnit>, usize)| {
                words(column, *unit, &row.cells[*at], small, screen)
            };
            columns.iter().map(cell).collect()
        };
        Grid {
            head: columns.iter().map(|(column, unit, _)| head(column, *unit)).collect(),
            rows: rows.iter().map(row).collect(),
            right: seen.iter().map(|at| *at > 0 && !table.columns[*at].unit.is_words()).collect(),
        }
    }

    /// Columns become rows.
    fn turned(table: &Table, screen: Screen) -> Grid {
        let names = table.rows.iter().map(|row| line(&row.cells[0].words(&table.columns[0])));
        let row = |at: usize| {
            let column = &table.columns[at];
            let cells = table
                .rows
                .iter()
                .map(|row| words(column, None, &row.cells[at], Small::Out, screen));
            std::iter::once(line(&column.head)).chain(cells).collect()
        };
        let head: Vec<String> = std::iter::once(String::new()).chain(names).collect();
        Grid {
            right: (0..head.len()).map(|at| at > 0).collect(),
            head,
            rows: table.seen(true).into_iter().skip(1).map(row).collect(),
        }
    }

    /// A paragraph for each row: its name, then what each column says of it.
    fn records(&self, screen: Screen) -> String {
        let named = |(head, cell): (&String, &String)| {
            let said = cell.replace('\n', ", ");
            screen.item(&format!("{head}: {said}"))
        };
        let filled = |(_, cell): &(&String, &String)| !cell.is_empty() && *cell != NONE;
        let record = |row: &Vec<String>| {
            let rest = self.head.iter().zip(row).skip(1).filter(filled).map(named);
            screen.wrapped(&self.name(row)) + &rest.collect::<String>()
        };
        self.rows.iter().map(record).collect()
    }

    /// What a row is called: a number alone says nothing without its heading.
    fn name(&self, row: &[String]) -> String {
        let (Some(head), Some(cell)) = (self.head.first(), row.first()) else {
            return String::new();
        };
        let is_number = !cell.is_empty() && cell.bytes().all(|digit| digit.is_ascii_digit());
        if is_number { format!("{head} {cell}") } else { cell.clone() }
    }

    /// In lines, with cells that wrap where a width is given.
    fn text(&self, width: Option<usize>) -> String {
        let mut drawn = comfy_table::Table::new();
        drawn.load_style(presets::NOTHING);
        match width {
            Some(width) => drawn
                .set_content_arrangement(ContentArrangement::Dynamic)
                .set_width(u16::try_from(width).unwrap_or(u16::MAX)),
            None => drawn.set_content_arrangement(ContentArrangement::Disabled),
        };
        drawn.set_header(&self.head);
        drawn.add_rows(&self.rows);
        for (column, right) in drawn.column_iter_mut().zip(&self.right) {
            if *right {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        drawn.to_string().lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }
}

/// One unit for a column of times, where one does for all of them.
fn common_unit(column: &Column, rows: &[&Row], at: usize) -> Option<ColumnUnit> {
    let cells = || rows.iter().map(|row| &row.cells[at]);
    let plain = |cell: &Cell| cell.unit.is_none() && cell.shown.is_none();
    column.unit.ns().filter(|_| cells().all(plain))?;
    let times: Vec<f64> = cells().filter_map(number).map(|time| time * ns(column)).collect();
    let unit = ColumnUnit::of(times.iter().copied());
    let largest = times.iter().fold(0.0, |largest: f64, ns| largest.max(ns.abs()));
    (!times.is_empty() && largest / unit.unit.ns < 1e6).then_some(unit)
}

/// The nanoseconds that one of a column of times holds.
fn ns(column: &Column) -> f64 {
    column.unit.ns().unwrap_or(1.0)
}

fn number(cell: &Cell) -> Option<f64> {
    match cell.value {
        Value::Whole(value) => Some(value as f64),
        Value::Real(value) => Some(value),
        _ => None,
    }
}

fn head(column: &Column, unit: Option<ColumnUnit>) -> String {
    let head = line(&column.head);
    unit.map_or(head.clone(), |unit| format!("{head} {}", unit.unit.name))
}

fn words(
    column: &Column,
    unit: Option<ColumnUnit>,
    cell: &Cell,
    small: Small,
    screen: Screen,
) -> String {
    let value = match (&cell.value, unit) {
        (Value::Parts(parts), _) if !parts.is_empty() => {
            return bars::share_blocks(parts, BAR, screen);
        }
        (Value::Lines(lines), _) if cell.shown.is_none() && !lines.is_empty() => {
            lines.iter().map(|text| line(text)).collect::<Vec<_>>().join("\n")
        }
        (_, Some(unit)) => {
            number(cell).map_or_else(|| NONE.to_owned(), |time| unit.number(time * ns(column)))
        }
        _ => line(&cell.words(column)),
    };
    if small == Small::Out {
        return value;
    }
    let ends =
        cell.interval.filter(|_| column.interval).map(|ends| between(column, unit, cell, ends));
    let beside: Vec<String> = ends.into_iter().chain(cell.small.iter().cloned()).collect();
    match small {
        _ if beside.is_empty() => value,
        Small::Below => {
            beside.iter().fold(value, |lines, small| format!("{lines}\n{}", line(small)))
        }
        _ => format!("{value} ({})", line(&beside.join("; "))),
    }
}

/// The ends of an interval, in the unit of the column where it has one.
fn between(
    column: &Column,
    unit: Option<ColumnUnit>,
    cell: &Cell,
    (low, high): (f64, f64),
) -> String {
    let show = |value: f64| match unit {
        Some(unit) => unit.number(value * ns(column)),
        None => cell.show(column, value),
    };
    format!("{} to {}", show(low), show(high))
}
