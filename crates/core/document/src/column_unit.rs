//! One unit a column, chosen for who reads down it.
//!
//! The figures of a column are compared with each other, so they stand in one unit, which the head
//! names, with their points below each other. Neighbouring columns share it where one does for all
//! of them: p50, p90 and p99 are compared, too. Each figure has four digits at most and three at
//! least: 0.305 µs and 2016 µs are both written as well as they need be.
//!
//! One unit does while each figure lies between 0.1 and 9999 of it, so 130 µs beside 511 ms are
//! 0.130 and 511.0. Three decimals of a microsecond are whole nanoseconds, and clocks step no
//! finer: there 0.01 does, and 55 ns beside 511 µs are 0.055 and 511.0. A column that spans more
//! would be rows of zeros or of digits: there each figure keeps a unit of its own, and the head has
//! none.

use std::iter::repeat_n;

use crate::format::{RATES, Step, TIMES, minus, step_for};
use crate::table::{Cell, Column, Row, Value};
use crate::unit::Unit;

/// The least of a unit that three decimals still give three digits.
const LEAST: f64 = 0.099_5;
/// The same where three decimals are whole nanoseconds, which lose nothing.
const LEAST_US: f64 = 0.009_95;
/// What would be written with five digits before the point.
const TOO_MUCH: f64 = 9_999.5;
/// A column whose largest figure is less than this would be zeros in its neighbours' unit.
const VISIBLE: f64 = 0.1;
/// Digits of a figure, with those before the point.
const DIGITS: usize = 4;

/// How a column is written: its unit, its decimals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ColumnUnit {
    step: Step,
    /// What is counted in it: nothing for a time, `B/s` for bytes a second.
    of: &'static str,
    /// The base in one of the column's values.
    base: f64,
    decimals: usize,
}

/// The unit of each of these columns where it has one.
pub(crate) fn column_units(columns: &[(usize, &Column)], rows: &[&Row]) -> Vec<Option<ColumnUnit>> {
    let figures: Vec<_> =
        columns.iter().map(|(at, column)| Figures::of(column, rows, *at)).collect();
    let mut units = vec![None; columns.len()];
    let mut end = columns.len();
    // From the right, so that what a row is divided into finds its unit before what leads to it.
    while end > 0 {
        let mut begin = end - 1;
        let mut group = figures[begin].clone();
        while let Some(wider) =
            begin.checked_sub(1).and_then(|at| group.as_ref()?.with(&figures[at]))
        {
            group = Some(wider);
            begin -= 1;
        }
        if let Some(step) = group.as_ref().and_then(Figures::step) {
            let unit = |own: &Option<Figures>| own.as_ref().map(|own| own.written_in(step));
            units[begin..end].iter_mut().zip(&figures[begin..end]).for_each(|(to, own)| {
                *to = unit(own);
            });
        }
        end = begin;
    }
    units
}

/// The figures of neighbouring columns, in the base of their unit: ns, a second.
#[derive(Clone, Debug)]
struct Figures {
    steps: &'static [Step; 4],
    of: &'static str,
    /// The base in one of the column's values.
    base: f64,
    /// Sizes without zeros, which every unit shows.
    sizes: Vec<f64>,
    /// The largest of them; of several columns, of that column whose figures are smallest.
    most: f64,
}

impl Figures {
    /// Of a column, if it has units to choose from and no cell has words or a unit of its own.
    fn of(column: &Column, rows: &[&Row], at: usize) -> Option<Figures> {
        let (steps, of, base) = match column.unit {
            Unit::Ns | Unit::Seconds => (&TIMES, "", column.unit.ns()?),
            Unit::PerSecond => (&RATES, "/s", 1.0),
            Unit::BytesPerSecond => (&RATES, "B/s", 1.0),
            _ => return None,
        };
        let cells = || rows.iter().map(|row| &row.cells[at]);
        let plain = |cell: &Cell| cell.unit.is_none() && (cell.shown.is_none() || !is_number(cell));
        let known = cells().filter_map(number).map(|value| (value * base).abs());
        let sizes: Vec<f64> = known.filter(|size| *size > 0.0).collect();
        let most = sizes.iter().copied().reduce(f64::max).unwrap_or(f64::INFINITY);
        cells().all(plain).then_some(Figures { steps, of, base, sizes, most })
    }

    /// With those of the column before, if one unit does for both.
    fn with(&self, before: &Option<Figures>) -> Option<Figures> {
        let before = before.as_ref().filter(|before| before.of == self.of)?;
        let sizes = self.sizes.iter().chain(&before.sizes).copied().collect();
        let most = before.most.min(self.most);
        let both = Figures { sizes, most, ..self.clone() };
        let step = both.step();
        let shows = |step: Step| both.most >= VISIBLE * step.size;
        (both.sizes.is_empty() || step.is_some_and(shows)).then_some(both)
    }

    /// The unit that does for all: the one in which the middle figure reads best, or the nearest
    /// to it.
    fn step(&self) -> Option<Step> {
        let mut sizes = self.sizes.clone();
        sizes.sort_by(f64::total_cmp);
        let (least, most) = (*sizes.first()?, *sizes.last()?);
        let fits =
            |step: &&Step| least >= least_of(step) * step.size && most < TOO_MUCH * step.size;
        let best = step_for(self.steps, sizes[sizes.len() / 2]).size.log10();
        let far = |step: &Step| (step.size.log10() - best).abs();
        self.steps.iter().filter(fits).min_by(|a, b| far(a).total_cmp(&far(b))).copied()
    }

    /// So many decimals that the smallest has three digits. Clocks do not step finer than 1 ns, so
    /// whole nanoseconds have none.
    fn written_in(&self, step: Step) -> ColumnUnit {
        let least = self.sizes.iter().copied().fold(f64::INFINITY, f64::min) / step.size;
        let whole = step.size == 1.0 && self.sizes.iter().all(|size| size.fract() == 0.0);
        let decimals = match least {
            _ if whole => 0,
            least if least >= 99.5 => 0,
            least if least >= 9.95 => 1,
            least if least >= 0.995 => 2,
            _ => 3,
        };
        let decimals = if step.name == "ns" { decimals.min(1) } else { decimals };
        ColumnUnit { step, of: self.of, base: self.base, decimals }
    }
}

/// The least that a column of this unit may hold.
fn least_of(step: &Step) -> f64 {
    if step.name == "µs" { LEAST_US } else { LEAST }
}

impl ColumnUnit {
    /// What the head names.
    pub(crate) fn name(&self) -> String {
        format!("{}{}", self.step.name, self.of)
    }

    /// The number alone.
    pub(crate) fn number(&self, value: f64) -> String {
        // A division, as in sentences: both round alike.
        let scaled = value * self.base / self.step.size;
        if scaled == 0.0 {
            return "0".to_owned();
        }
        let before = (scaled.abs().max(1.0).log10().floor() as usize) + 1;
        minus(format!("{scaled:.*}", self.decimals.min(DIGITS.saturating_sub(before))))
    }

    /// The number with so many gaps behind it that points stand below each other.
    pub(crate) fn aligned(&self, value: f64) -> String {
        let number = self.number(value);
        let after = number.split_once('.').map_or(0, |(_, decimals)| decimals.len() + 1);
        let wanted = if self.decimals == 0 { 0 } else { self.decimals + 1 };
        number.chars().chain(repeat_n('\u{2007}', wanted.saturating_sub(after))).collect()
    }
}

/// The number in a cell.
pub(crate) fn number(cell: &Cell) -> Option<f64> {
    match cell.value {
        Value::Whole(value) => Some(value as f64),
        Value::Real(value) => Some(value),
        _ => None,
    }
}

fn is_number(cell: &Cell) -> bool {
    number(cell).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the heads and the cells of a table of these columns say.
    fn written(columns: &[(Unit, &[f64])]) -> Vec<(String, Vec<String>)> {
        let kinds: Vec<Column> =
            columns.iter().map(|(unit, _)| Column::new("key", "", *unit)).collect();
        let row = |at: usize| -> Row {
            let cells: Vec<Cell> = columns.iter().map(|(_, values)| values[at].into()).collect();
            cells.into()
        };
        let rows: Vec<Row> = (0..columns[0].1.len()).map(row).collect();
        let seen: Vec<(usize, &Column)> = kinds.iter().enumerate().collect();
        let units = column_units(&seen, &rows.iter().collect::<Vec<_>>());
        let one = |(unit, (kind, values)): (Option<ColumnUnit>, &(Unit, &[f64]))| match unit {
            Some(unit) => (unit.name(), values.iter().map(|v| unit.aligned(*v)).collect()),
            None => (String::new(), values.iter().map(|v| kind.show(*v)).collect()),
        };
        units.into_iter().zip(columns).map(one).collect()
    }

    fn times(values: &[f64]) -> (String, Vec<String>) {
        written(&[(Unit::Ns, values)]).remove(0)
    }

    fn column(unit: &str, figures: &[&str]) -> (String, Vec<String>) {
        (unit.to_owned(), figures.iter().map(|text| (*text).to_owned()).collect())
    }

    #[test]
    fn points_stand_below_each_other_and_no_figure_has_five_digits() {
        assert_eq!(
            times(&[40.0, 3_100.0, 71_200.0]),
            column("µs", &["0.040", "3.100", "71.20\u{2007}"])
        );
        assert_eq!(times(&[55.0, 511_000.0]), column("µs", &["0.055", "511.0\u{2007}\u{2007}"]));
        assert_eq!(times(&[-1_500.0, 0.0]), column("µs", &["−1.50", "0\u{2007}\u{2007}\u{2007}"]));
        assert_eq!(times(&[3.0, 980.0]), column("ns", &["3", "980"]));
        assert_eq!(times(&[7.25, 980.0]), column("ns", &["7.2", "980.0"]));
    }

    /// Neither a quantile near 100 ns nor its neighbours may lose a digit to the unit they share.
    #[test]
    fn every_figure_keeps_three_digits() {
        assert_eq!(times(&[105.0, 135.0, 24_000.0]).1[..2], ["0.105", "0.135"]);
        let (unit, figures) = times(&[13e3, 870e3, 41e6]);
        assert_eq!(unit, "", "{figures:?}");
        assert_eq!(
            times(&[130_400.0, 870e3, 41e6]),
            column("ms", &["0.130", "0.870", "41.00\u{2007}"])
        );
    }

    #[test]
    fn a_column_of_many_decades_keeps_the_units_of_its_figures() {
        let (unit, figures) = times(&[55.0, 511e6]);
        assert_eq!((unit.as_str(), figures[0].as_str()), ("", "55\u{a0}ns"));
        assert_eq!(figures[1], "511\u{a0}ms");
    }

    #[test]
    fn neighbours_share_a_unit_where_one_does_for_all() {
        let [min, median, most] = [[300.0, 5_000.0], [310.0, 8_000.0], [2e6, 9e6]];
        let units = |columns: &[(Unit, &[f64])]| -> Vec<String> {
            written(columns).into_iter().map(|(unit, _)| unit).collect()
        };
        let near: [(Unit, &[f64]); 3] = [(Unit::Ns, &min), (Unit::Ns, &median), (Unit::Ns, &most)];
        assert_eq!(units(&near), ["µs", "µs", "µs"]);
        let far: [(Unit, &[f64]); 3] =
            [(Unit::Ns, &[55.0, 60.0]), (Unit::Ns, &median), (Unit::Seconds, &[1.5, 40.0])];
        assert_eq!(units(&far), ["ns", "ns", "s"]);
        let small: [(Unit, &[f64]); 2] = [(Unit::Ns, &[34e3, 22e3]), (Unit::Ns, &[48e6, 17e6])];
        assert_eq!(units(&small), ["µs", "ms"]);
        let other: [(Unit, &[f64]); 2] = [(Unit::PerSecond, &[2e6, 9e3]), (Unit::Ns, &[9e6, 1e6])];
        assert_eq!(units(&other), ["k/s", "ms"]);
    }
}
