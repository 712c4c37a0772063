//! A map: a square for each pair of nodes or ranks, coloured by a time.

use super::{Axis, Chart, Quantity, Trace};
use crate::colour::Colour;
use crate::format::time;

/// With more rows than this the squares of a map are too small to read.
pub const MAP_ROWS_AT_MOST: usize = 64;

/// Colours of the squares, from the least to the most: where each is on the scale.
const COLOURS: [(f64, Colour); 5] = [
    (0.0, Colour("s7")),
    (0.25, Colour("s5")),
    (0.5, Colour("s4")),
    (0.75, Colour("s2")),
    (1.0, Colour("s0")),
];

/// A square of a map.
pub struct Square {
    /// Its row and its column.
    pub at: (usize, usize),
    /// What it shows, ns.
    pub ns: f64,
    /// What is said of it.
    pub text: String,
}

/// The squares of a chart.
#[derive(Clone, Debug)]
pub struct Map {
    /// Rows and columns.
    pub(crate) size: usize,
    /// Row, column, the colour's number, and what is said of it.
    pub(crate) squares: Vec<(usize, usize, usize, String)>,
    /// What the colours mean.
    pub(crate) title: String,
    /// Names along the colours: place, 0 to 1, and name.
    pub(crate) ticks: Vec<(f64, String)>,
}

impl Map {
    /// The colours, from the least.
    pub(crate) fn colours() -> impl Iterator<Item = Colour> {
        COLOURS.into_iter().map(|(_, colour)| colour)
    }
}

/// A map of so many rows and columns; `titles` are those of the rows, of the columns and of the
/// colours. Colours go with the logarithm of the time, since a few pairs often take a thousand
/// times as long as others.
pub fn time_map(
    id: &str,
    label: impl Into<String>,
    titles: [&str; 3],
    size: usize,
    squares: &[Square],
) -> Chart {
    let end = size as f64 - 0.5;
    let axis = |title: &str| {
        let step = if size <= 16 { 1.0 } else { 4.0 };
        Axis::new(Quantity::Number, title).step(step)
    };
    let [rows, columns, colours] = titles;
    let axes = (axis(columns).range(-0.5, end), axis(rows).range(end, -0.5));
    let height = (120 + 16 * size as u32).clamp(280, 760);
    let mut chart = Chart::new(id, height, label, axes);
    chart.data.push(Trace::Map(map(size, squares, colours)));
    chart
}

fn map(size: usize, squares: &[Square], title: &str) -> Map {
    let known = || squares.iter().filter(|square| square.ns > 0.0);
    let log = |square: &Square| (square.ns / 1e9).log10();
    let (low, high) = known()
        .map(log)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |ends, log| (ends.0.min(log), ends.1.max(log)));
    let (from, to) = (low - 0.3, high.max(low + 0.3));
    let part = |log: f64| (log - from) / (to - from);
    let coloured = |square: &Square| {
        let (row, column) = square.at;
        (row, column, nearest(part(log(square))), square.text.clone())
    };
    let name = |log: f64| (part(log), time(10f64.powf(log) * 1e9));
    Map {
        size,
        squares: known().map(coloured).collect(),
        title: title.to_owned(),
        ticks: ticks(low, high).into_iter().map(name).collect(),
    }
}

/// Which of the colours is nearest to this part of their scale.
fn nearest(part: f64) -> usize {
    let distance = |at: &usize| (COLOURS[*at].0 - part).abs();
    (0..COLOURS.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
}

/// Whole decades, or the two ends where there are none between.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let decades: Vec<f64> = (low.ceil() as i32..=high.floor() as i32).map(f64::from).collect();
    match decades.len() {
        2.. => decades,
        _ if high - low < 0.1 => vec![low],
        _ => vec![low, high],
    }
}
