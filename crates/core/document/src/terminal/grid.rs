//! The cells of a table as text, in each of the forms that a terminal may have room for.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, presets};

use super::{Screen, bars, line};
use crate::column_unit::{ColumnUnit, column_units, number};
use crate::format::NONE;
use crate::table::{Cell, Column, Row, Table, Value};

/// Words that wrap have room for so many letters.
const WRAPPED: usize = 12;
/// Cells of a bar within a table.
const BAR: usize = 8;

/// Where intervals and small lines stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Small {
    /// In brackets behind the figure.
    Beside,
    /// In lines of their own.
    Below,
    /// Nowhere.
    Out,
}

/// Words in rows and columns.
pub(super) struct Grid {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Columns whose words stand on the right.
    right: Vec<bool>,
    /// One gap between columns instead of two.
    tight: bool,
    /// What the fillings of its bars stand for: `░ send wait`.
    pub(super) bars: Vec<String>,
}

/// A column as it is written.
struct Written<'a> {
    at: usize,
    column: &'a Column,
    unit: Option<ColumnUnit>,
    /// Whether points stand below each other: where nothing stands behind a figure or below it.
    aligned: bool,
}

impl<'a> Written<'a> {
    /// The columns that are seen, of these rows.
    fn all(table: &'a Table, wide: bool, small: Small, rows: &[&Row]) -> Vec<Written<'a>> {
        let seen: Vec<(usize, &Column)> =
            table.seen(wide).into_iter().map(|at| (at, &table.columns[at])).collect();
        let bare = |cell: &Cell| small == Small::Out || cell.small.is_empty();
        let aligned = |at: usize, column: &Column| {
            let intervals = small != Small::Out && column.interval;
            !intervals && rows.iter().all(|row| bare(&row.cells[at]))
        };
        let written = |((at, column), unit): ((usize, &'a Column), Option<ColumnUnit>)| Written {
            at,
            column,
            unit,
            aligned: aligned(at, column),
        };
        let units = column_units(&seen, rows);
        seen.into_iter().zip(units).map(written).collect()
    }

    fn head(&self) -> String {
        let head = line(&self.column.head);
        self.unit.map_or(head.clone(), |unit| format!("{head} {}", unit.name()).trim().to_owned())
    }
}

impl Grid {
    pub(super) fn upright(
        table: &Table,
        wide: bool,
        small: Small,
        rows: &[&Row],
        screen: Screen,
    ) -> Grid {
        Grid::of(Written::all(table, wide, small, rows), small, rows, screen)
    }

    /// Each cell with a unit of its own: for a paragraph a row, where no column is read down.
    pub(super) fn by_rows(table: &Table, rows: &[&Row], screen: Screen) -> Grid {
        let small = Small::Beside;
        let columns = Written::all(table, true, small, rows);
        let alone = |column| Written { unit: None, ..column };
        Grid::of(columns.into_iter().map(alone).collect(), small, rows, screen)
    }

    fn of(columns: Vec<Written<'_>>, small: Small, rows: &[&Row], screen: Screen) -> Grid {
        let row = |row: &&Row| {
            let cell = |column: &Written<'_>| words(column, &row.cells[column.at], small, screen);
            columns.iter().map(cell).collect()
        };
        let right = |column: &Written<'_>| column.at > 0 && !column.column.unit.is_words();
        Grid {
            head: columns.iter().map(Written::head).collect(),
            rows: rows.iter().map(row).collect(),
            right: columns.iter().map(right).collect(),
            tight: false,
            bars: legend(&columns, rows),
        }
    }

    /// Columns become rows.
    pub(super) fn turned(table: &Table, screen: Screen) -> Grid {
        let names = table.rows.iter().map(|row| line(&row.cells[0].words(&table.columns[0])));
        let rows: Vec<&Row> = table.rows.iter().collect();
        let columns = Written::all(table, true, Small::Out, &rows).into_iter().skip(1);
        let row = |column: Written<'_>| {
            // What a column has in common stands in a row here: its points need no gaps.
            let column = Written { aligned: false, ..column };
            let cell = |row: &Row| words(&column, &row.cells[column.at], Small::Out, screen);
            std::iter::once(column.head()).chain(table.rows.iter().map(cell)).collect()
        };
        let head: Vec<String> = std::iter::once(String::new()).chain(names).collect();
        Grid {
            right: (0..head.len()).map(|at| at > 0).collect(),
            head,
            rows: columns.map(row).collect(),
            tight: false,
            bars: Vec::new(),
        }
    }

    /// With heads in several lines, no wider than their longest word or what stands below them, and
    /// one gap between columns.
    pub(super) fn stacked(mut self) -> Grid {
        for (at, head) in self.head.iter_mut().enumerate() {
            let cells = self.rows.iter().flat_map(|row| row[at].lines()).map(width);
            let room = head.split(' ').map(width).chain(cells).max().unwrap_or(0);
            *head = textwrap::fill(head, room.max(1));
        }
        self.tight = true;
        self
    }

    /// Whether each line has room.
    pub(super) fn fits(&self, screen: Screen) -> bool {
        self.text(None).lines().all(|line| width(line) <= screen.width)
    }

    /// Whether each line has room once words wrap: numbers never do.
    pub(super) fn fits_wrapped(&self, screen: Screen) -> bool {
        let gap = if self.tight { 1 } else { 2 };
        let widest = |at: usize| {
            let cells = self.rows.iter().map(|row| &row[at]).chain([&self.head[at]]);
            cells.flat_map(|cell| cell.lines()).map(width).max().unwrap_or(0)
        };
        let least = |at: usize| {
            let whole = widest(at);
            gap + if self.right[at] { whole } else { whole.min(WRAPPED) }
        };
        (0..self.head.len()).map(least).sum::<usize>() <= screen.width
    }

    /// A paragraph for each row: its name, then what each column says of it.
    pub(super) fn records(&self, screen: Screen) -> String {
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

    /// In lines, with words that wrap where a width is given.
    pub(super) fn text(&self, width: Option<usize>) -> String {
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
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
            if self.tight {
                column.set_padding((1, 0));
            }
        }
        drawn.to_string().lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }
}

/// Each part that the bars in these columns have, once, with its filling.
fn legend(columns: &[Written<'_>], rows: &[&Row]) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    let cells = rows.iter().flat_map(|row| columns.iter().map(|column| &row.cells[column.at]));
    for cell in cells.filter(|cell| cell.shown.is_none()) {
        let Value::Parts(parts) = &cell.value else { continue };
        for (name, colour, _) in parts.iter().filter(|(.., share)| *share > 0.0) {
            let part = format!("{}\u{a0}{}", colour.filling(), line(name));
            if !known.contains(&part) {
                known.push(part);
            }
        }
    }
    known
}

/// Columns that a line takes, without its colours.
fn width(line: &str) -> usize {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().map_or(0, |part| part.chars().count());
    parts.fold(first, |sum, part| {
        sum + part.split_once('m').map_or(0, |(_, rest)| rest.chars().count())
    })
}

fn words(written: &Written<'_>, cell: &Cell, small: Small, screen: Screen) -> String {
    let value = match (&cell.value, written.unit) {
        (Value::Parts(parts), _) if !parts.is_empty() => {
            return bars::share_blocks(parts, BAR, screen);
        }
        (Value::Lines(lines), _) if cell.shown.is_none() && !lines.is_empty() => {
            lines.iter().map(|text| line(text)).collect::<Vec<_>>().join("\n")
        }
        (_, Some(unit)) => match number(cell) {
            Some(value) if written.aligned => line(&unit.aligned(value)),
            Some(value) => unit.number(value),
            None => line(&cell.words(written.column)),
        },
        _ => line(&cell.words(written.column)),
    };
    if small == Small::Out {
        return value;
    }
    let ends = cell.interval.filter(|_| written.column.interval);
    let ends = ends.map(|ends| between(written, cell, ends));
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
fn between(written: &Written<'_>, cell: &Cell, (low, high): (f64, f64)) -> String {
    let show = |value: f64| match written.unit {
        Some(unit) => unit.number(value),
        None => cell.show(written.column, value),
    };
    format!("{} to {}", show(low), show(high))
}
