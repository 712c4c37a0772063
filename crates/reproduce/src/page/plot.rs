//! A figure of values: bars of named places, or lines, the document's points beside ours.

use crate::card::{Given, Place, Plot, PlotScale};
use document::chart::{Axis, Bars, Curve, Dots, Quantity};
use document::{Chart, Colour, ordered};
use serde::Deserialize;
use serde_json::Value;

/// CSS pixels.
const HEIGHT: u32 = 280;
/// What the document's own points are drawn in.
const DOCUMENT: Colour = Colour("cycle");

/// A value that an expression gives.
#[derive(Clone, Deserialize)]
struct Point {
    series: String,
    x: Place,
    y: f64,
}

/// The chart and its legend.
pub fn chart(
    plot: &Plot,
    points: &Value,
    id: String,
    place: &str,
) -> Result<(Chart, Vec<(String, Colour)>), String> {
    let points: Vec<Point> =
        serde_json::from_value(points.clone()).map_err(|error| format!("no points: {error}"))?;
    if points.is_empty() {
        return Err("the runs have no such values".into());
    }
    let names: Vec<&str> = distinct(points.iter().map(|point| point.series.as_str()));
    let is_bars = points.iter().any(|point| matches!(point.x, Place::Name(_)));
    let label = format!("{} against {}, {place}", plot.y, plot.x);
    let mut chart = Chart::new(id, HEIGHT, label, axes(plot, is_bars)).titled(place);
    let mut legend = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let colour = ordered(at, names.len().max(2));
        let own = points.iter().filter(|point| point.series == *name);
        let own: Vec<(Place, f64)> = own.map(|point| (point.x.clone(), point.y)).collect();
        if is_bars {
            chart.draw(bars(&own, colour));
        } else {
            chart.draw(line(&own, colour));
        }
        legend.push(((*name).to_owned(), colour));
    }
    if !plot.document.is_empty() {
        chart.draw(given(&plot.document, is_bars));
        legend.push(("the document".into(), DOCUMENT));
    }
    if is_bars {
        chart = chart.gap(0.3);
    }
    Ok((chart, legend))
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

fn axes(plot: &Plot, is_bars: bool) -> (Axis, Axis) {
    let x = if is_bars { Axis::names(&plot.x) } else { Axis::new(Quantity::Number, &plot.x) };
    let y = Axis::new(Quantity::Number, &plot.y);
    match plot.scale {
        PlotScale::Linear => (x, y.from_0()),
        PlotScale::SemiLog => (x, y.log()),
        PlotScale::LogX if !is_bars => (x.log(), y.from_0()),
        PlotScale::LogX => (x, y.from_0()),
        PlotScale::LogLog if !is_bars => (x.log(), y.log()),
        PlotScale::LogLog => (x, y.log()),
    }
}

fn names(points: &[(Place, f64)]) -> Vec<String> {
    let name = |place: &Place| match place {
        Place::Name(name) => name.clone(),
        Place::Number(number) => number.to_string(),
    };
    points.iter().map(|(place, _)| name(place)).collect()
}

fn numbers(points: &[(Place, f64)]) -> Vec<f64> {
    let number = |place: &Place| match place {
        Place::Number(number) => *number,
        Place::Name(_) => f64::NAN,
    };
    points.iter().map(|(place, _)| number(place)).collect()
}

fn heights(points: &[(Place, f64)]) -> Vec<f64> {
    points.iter().map(|(_, y)| *y).collect()
}

fn bars(points: &[(Place, f64)], colour: Colour) -> Bars {
    Bars::new(names(points), heights(points), colour)
}

fn line(points: &[(Place, f64)], colour: Colour) -> Curve {
    let dots = Dots::discs(colour, 5.0);
    Curve::line(numbers(points), heights(points), colour, 2.0).dots(dots)
}

/// The document's own points.
fn given(points: &[Given], is_bars: bool) -> Curve {
    let points: Vec<(Place, f64)> = points.iter().map(|given| (given.x.clone(), given.y)).collect();
    let dots = Dots::rings(DOCUMENT, 9.0);
    if is_bars {
        Curve::points(names(&points), heights(&points), dots)
    } else {
        Curve::points(numbers(&points), heights(&points), dots)
    }
}
