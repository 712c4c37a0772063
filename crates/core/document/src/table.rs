//! A table: columns that say what their values are, and rows of values.

use crate::colour::Colour;
use crate::format::{NONE, part};
use crate::unit::Unit;

/// A table of one section, or of the first screen.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Its name in CSV and JSON: `mpi-blocked`.
    pub id: &'static str,
    /// The columns; the first names the row.
    pub columns: Vec<Column>,
    /// The rows, each as long as `columns`.
    pub rows: Vec<Row>,
    /// On the page a long table is folded away behind these words.
    pub folded: Option<String>,
    /// The page shows a row for each column and a column for each row.
    pub turned: bool,
    /// What stands below it: what is left out, what a column means.
    pub note: Option<String>,
    /// Cells hold many words, so they wrap.
    pub wordy: bool,
    /// Only for scripts: page and terminal say the same in other words, or leave it out.
    pub data: bool,
    /// A terminal shows all of its rows, however many: they are what was asked for.
    pub whole: bool,
}

/// What the values of a column are.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name in CSV and JSON, without the unit, unless it is the unit: `late_sender`, `seconds`.
    pub key: &'static str,
    /// Its heading.
    pub head: String,
    /// What its values are.
    pub unit: Unit,
    /// The colour that charts give to what it shows.
    pub colour: Option<Colour>,
    /// Whether its values come with the ends of an interval.
    pub interval: bool,
    /// Who is shown it.
    pub shown: Shown,
}

/// Who is shown a column. CSV and JSON have all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// Everybody.
    #[default]
    Always,
    /// A terminal only where there is room for it.
    Wide,
    /// Nobody: it is for scripts.
    Data,
}

/// A row.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// A cell a column.
    pub cells: Vec<Cell>,
    /// Whether it stands out.
    pub marked: bool,
}

/// A value and what is said beside it.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// The value.
    pub value: Value,
    /// The unit where it is not the column's.
    pub unit: Option<Unit>,
    /// What people read in its place.
    pub shown: Option<String>,
    /// Ends of its interval.
    pub interval: Option<(f64, f64)>,
    /// Small lines below it.
    pub small: Vec<String>,
    /// The fold of the page that it leads to.
    pub leads_to: Option<String>,
    /// The colour that charts give to what it names.
    pub colour: Option<Colour>,
}

/// A value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// There is none.
    #[default]
    None,
    /// Words.
    Text(String),
    /// A whole number.
    Whole(i64),
    /// A number.
    Real(f64),
    /// Lines of words.
    Lines(Vec<String>),
    /// Parts of a whole: name, colour, 0 to 1.
    Parts(Vec<(&'static str, Colour, f64)>),
}

impl Table {
    /// A table without rows.
    pub fn new(id: &'static str, columns: impl Into<Vec<Column>>) -> Table {
        Table { id, columns: columns.into(), ..Table::default() }
    }

    /// With these rows.
    ///
    /// # Panics
    /// If a row has another number of cells than there are columns.
    pub fn with<R: Into<Row>>(mut self, rows: impl IntoIterator<Item = R>) -> Table {
        rows.into_iter().for_each(|row| self.push(row));
        self
    }

    /// One more row.
    ///
    /// # Panics
    /// If it has another number of cells than there are columns.
    pub fn push(&mut self, row: impl Into<Row>) {
        let row = row.into();
        assert_eq!(row.cells.len(), self.columns.len(), "a row of table {}", self.id);
        self.rows.push(row);
    }

    /// Folded away on the page behind these words, where there are more than so many rows.
    pub fn folded_above(mut self, rows: usize, words: impl FnOnce(usize) -> String) -> Table {
        self.folded = (self.rows.len() > rows).then(|| words(self.rows.len()));
        self
    }

    /// Only for scripts.
    pub fn data(mut self) -> Table {
        self.data = true;
        self
    }

    /// With all rows on a terminal.
    pub fn whole(mut self) -> Table {
        self.whole = true;
        self
    }

    /// With a note below.
    pub fn noted(mut self, note: Option<String>) -> Table {
        self.note = note;
        self
    }

    /// The columns that people see: those for scripts alone, and those in which every cell is
    /// empty, are left out.
    pub(crate) fn seen(&self, wide: bool) -> Vec<usize> {
        let filled = |at: usize| self.rows.iter().any(|row| !row.cells[at].is_empty());
        let wanted = |shown: Shown| match shown {
            Shown::Always => true,
            Shown::Wide => wide,
            Shown::Data => false,
        };
        (0..self.columns.len())
            .filter(|at| wanted(self.columns[*at].shown) && (*at == 0 || filled(*at)))
            .collect()
    }
}

impl Column {
    /// A column of such values.
    pub fn new(key: &'static str, head: impl Into<String>, unit: Unit) -> Column {
        Column { key, head: head.into(), unit, colour: None, interval: false, shown: Shown::Always }
    }

    /// Words.
    pub fn text(key: &'static str, head: impl Into<String>) -> Column {
        Column::new(key, head, Unit::Text)
    }

    /// How many.
    pub fn count(key: &'static str, head: impl Into<String>) -> Column {
        Column::new(key, head, Unit::Count)
    }

    /// Times, s.
    pub fn seconds(key: &'static str, head: impl Into<String>) -> Column {
        Column::new(key, head, Unit::Seconds)
    }

    /// Times, ns.
    pub fn time(key: &'static str, head: impl Into<String>) -> Column {
        Column::new(key, head, Unit::Ns)
    }

    /// Parts of a whole.
    pub fn share(key: &'static str, head: impl Into<String>) -> Column {
        Column::new(key, head, Unit::Share)
    }

    /// In the colour of a chart.
    pub fn coloured(mut self, colour: Colour) -> Column {
        self.colour = Some(colour);
        self
    }

    /// Whose values have intervals.
    pub fn with_interval(mut self) -> Column {
        self.interval = true;
        self
    }

    /// Left out on a narrow terminal.
    pub fn wide(mut self) -> Column {
        self.shown = Shown::Wide;
        self
    }

    /// Only for scripts.
    pub fn data(mut self) -> Column {
        self.shown = Shown::Data;
        self
    }

    /// Its name in CSV and JSON, with the unit.
    pub fn name(&self) -> String {
        format!("{}{}", self.key, self.unit.suffix(self.key))
    }
}

impl Row {
    /// A row that stands out, or not.
    pub fn marked(mut self, marked: bool) -> Row {
        self.marked = marked;
        self
    }
}

impl<C: Into<Cell>, const N: usize> From<[C; N]> for Row {
    fn from(cells: [C; N]) -> Row {
        Row { cells: cells.into_iter().map(Into::into).collect(), marked: false }
    }
}

impl From<Vec<Cell>> for Row {
    fn from(cells: Vec<Cell>) -> Row {
        Row { cells, marked: false }
    }
}

impl Cell {
    /// A cell with this value.
    pub fn new(value: impl Into<Cell>) -> Cell {
        value.into()
    }

    /// In another unit than its column.
    pub fn unit(mut self, unit: Unit) -> Cell {
        self.unit = Some(unit);
        self
    }

    /// People read this in place of the number.
    pub fn shown(mut self, text: impl Into<String>) -> Cell {
        self.shown = Some(text.into());
        self
    }

    /// With a small line below.
    pub fn small(mut self, line: impl Into<String>) -> Cell {
        self.small.push(line.into());
        self
    }

    /// With the ends of its interval.
    pub fn between(mut self, interval: Option<(f64, f64)>) -> Cell {
        self.interval = interval;
        self
    }

    /// That leads to a run of the page.
    pub fn leads_to_run(self, run: usize) -> Cell {
        self.leads_to(format!("run-r{run}"))
    }

    /// That leads to a [`Fold`](crate::block::Fold) of the page.
    pub fn leads_to(mut self, name: impl Into<String>) -> Cell {
        self.leads_to = Some(name.into());
        self
    }

    /// In the colour of a chart.
    pub fn coloured(mut self, colour: Colour) -> Cell {
        self.colour = Some(colour);
        self
    }

    /// What people read.
    pub(crate) fn words(&self, column: &Column) -> String {
        if let Some(shown) = &self.shown {
            return shown.clone();
        }
        match &self.value {
            Value::None => NONE.to_owned(),
            Value::Text(text) => text.clone(),
            Value::Whole(value) => self.show(column, *value as f64),
            Value::Real(value) => self.show(column, *value),
            Value::Lines(lines) if lines.is_empty() => NONE.to_owned(),
            Value::Lines(lines) => lines.join("\n"),
            Value::Parts(parts) => {
                let words = parts.iter().map(|(_, _, share)| part(*share));
                words.collect::<Vec<_>>().join(" / ")
            }
        }
    }

    /// A number as this cell shows it.
    pub(crate) fn show(&self, column: &Column, value: f64) -> String {
        self.unit.unwrap_or(column.unit).show(value)
    }

    fn is_empty(&self) -> bool {
        self.value == Value::None && self.shown.is_none()
    }
}

impl From<Value> for Cell {
    fn from(value: Value) -> Cell {
        Cell { value, ..Cell::default() }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Value::Text(text.to_owned()).into()
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Value::Text(text).into()
    }
}

impl From<i64> for Cell {
    fn from(value: i64) -> Cell {
        Value::Whole(value).into()
    }
}

impl From<u64> for Cell {
    fn from(value: u64) -> Cell {
        i64::try_from(value).map_or(Value::Real(value as f64), Value::Whole).into()
    }
}

impl From<usize> for Cell {
    fn from(value: usize) -> Cell {
        (value as u64).into()
    }
}

impl From<u32> for Cell {
    fn from(value: u32) -> Cell {
        i64::from(value).into()
    }
}

impl From<u16> for Cell {
    fn from(value: u16) -> Cell {
        i64::from(value).into()
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Cell {
        if value.is_finite() { Value::Real(value).into() } else { Cell::default() }
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or_else(Cell::default, Into::into)
    }
}
