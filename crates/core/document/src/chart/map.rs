//! A map: a square for each pair of nodes or ranks, coloured by a time.

use plotly::layout::{Axis, AxisType, Margin};
use serde_json::{Value, json};

use super::{Chart, Raw, layout};
use crate::format::time;

/// With more rows than this the squares of a map are too small to read.
pub const MAP_ROWS_AT_MOST: usize = 64;

/// A square of a map.
pub struct Square {
    /// Its row and its column.
    pub at: (usize, usize),
    /// What it shows, ns.
    pub ns: f64,
    /// What is said of it.
    pub text: String,
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
    let axis = |title: &str| {
        let axis = Axis::new().title(title).type_(AxisType::Linear).zero_line(false);
        if size <= 16 { axis.dtick(1.0) } else { axis.dtick(4.0) }
    };
    let [rows, columns, colours] = titles;
    let axes = layout()
        .margin(Margin::new().left(60).right(16).top(10).bottom(48))
        .x_axis(axis(columns).range(vec![-0.5, size as f64 - 0.5]))
        .y_axis(axis(rows).range(vec![size as f64 - 0.5, -0.5]));
    let height = (120 + 16 * size as u32).clamp(280, 760);
    let mut chart = Chart::new(id, height, label, axes);
    chart.data.push(Box::new(Raw(map(size, squares, colours))));
    chart
}

fn map(size: usize, squares: &[Square], title: &str) -> Value {
    let mut z = vec![vec![None; size]; size];
    let mut texts = vec![vec![String::new(); size]; size];
    for square in squares.iter().filter(|square| square.ns > 0.0) {
        let (row, column) = square.at;
        z[row][column] = Some(((square.ns / 1e9).log10() * 1e3).round() / 1e3);
        texts[row][column].clone_from(&square.text);
    }
    let numbers: Vec<usize> = (0..size).collect();
    let known = || z.iter().flatten().flatten().copied();
    let (low, high) =
        (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
    let (values, names) = ticks(low, high);
    json!({
        "type": "heatmap", "x": numbers, "y": numbers, "z": z, "text": texts,
        "hoverinfo": "text", "xgap": 1, "ygap": 1,
        "zmin": low - 0.3, "zmax": high.max(low + 0.3),
        "colorscale": [[0.0, "@s7"], [0.25, "@s5"], [0.5, "@s4"], [0.75, "@s2"], [1.0, "@s0"]],
        "colorbar": {
            "tickvals": values, "ticktext": names, "thickness": 12, "outlinewidth": 0,
            "title": {"text": title},
        },
    })
}

/// Whole decades, or the two ends where there are none between.
fn ticks(low: f64, high: f64) -> (Vec<f64>, Vec<String>) {
    let decades: Vec<f64> = (low.ceil() as i32..=high.floor() as i32).map(f64::from).collect();
    let values = match decades.len() {
        2.. => decades,
        _ if high - low < 0.1 => vec![low],
        _ => vec![low, high],
    };
    let names = values.iter().map(|value| time(10f64.powf(*value) * 1e9)).collect();
    (values, names)
}
