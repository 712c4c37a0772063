//! A figure of each of several runs with its interval, as a chart: side by side, or along a series.

use stats::compare::RunFigure;

use document::chart::{Axis, Chart, Curve, Dots, Quantity};
use document::{Colour, axis_seconds, time};

/// Between the least and the most of a chart: beyond this factor its axis is logarithmic.
const FACTOR_LINEAR: f64 = 8.0;

/// What is drawn of each run: its name, and its figure where it has one.
pub(super) type Named = (String, Option<RunFigure>);

/// A line from the first to the last of these runs, from so many ns to so many.
pub(super) struct Stretch {
    pub from: usize,
    pub to: usize,
    pub ends_ns: (f64, f64),
}

/// The chart. `is_series`: a line goes from run to run.
pub(super) fn chart(id: &str, figure: &str, stage: &str, runs: &[Named], is_series: bool) -> Chart {
    let ticks = runs.iter().enumerate().map(|(at, (name, _))| (at as f64, name.clone()));
    let x =
        Axis::new(Quantity::Number, "").range(-0.5, runs.len() as f64 - 0.5).ticks(ticks.collect());
    let (linear, log) = (Axis::time(stage), Axis::time(stage).log());
    let is_wide = ends(runs).is_some_and(|(low, high)| high > low * FACTOR_LINEAR);
    let label = format!("{figure} of {} runs, with intervals.", runs.len());
    let y = if is_wide { log.clone() } else { linear.clone() };
    let mut chart = Chart::new(id, 260, label, (x, y)).titled(figure);
    if !is_series {
        chart.draw(intervals(runs));
    }
    chart.draw(points(runs, is_series));
    chart.modes = match is_wide {
        true => vec![chart.mode("log"), chart.mode("linear").y(linear)],
        false => vec![chart.mode("linear"), chart.mode("log").y(log)],
    };
    chart
}

/// Lines below the points: what holds for a stretch of runs.
pub(super) fn stretches(all: &[Stretch]) -> Curve {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for stretch in all {
        x.extend([stretch.from as f64 - 0.4, stretch.to as f64 + 0.4, f64::NAN]);
        let (begin, end) = stretch.ends_ns;
        y.extend([axis_seconds(begin), axis_seconds(end), f64::NAN]);
    }
    Curve::line(x, y, Colour("mark").at(0.6), 5.0)
}

fn between(of: &RunFigure) -> (f64, f64) {
    of.interval_ns.unwrap_or((of.value_ns, of.value_ns))
}

/// The least and the most that is drawn, ns.
fn ends(runs: &[Named]) -> Option<(f64, f64)> {
    let ends = runs.iter().filter_map(|(_, figure)| figure.as_ref()).map(between);
    ends.reduce(|(low, high), (least, most)| (low.min(least), high.max(most)))
}

/// Upright lines, where no line goes from point to point.
fn intervals(runs: &[Named]) -> Curve {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (at, of) in runs.iter().enumerate().filter_map(|(at, (_, of))| Some((at, of.as_ref()?))) {
        let (low, high) = between(of);
        x.extend([at as f64, at as f64, f64::NAN]);
        y.extend([axis_seconds(low), axis_seconds(high), f64::NAN]);
    }
    Curve::line(x, y, Colour("b").at(0.45), 3.0)
}

fn points(runs: &[Named], is_series: bool) -> Curve {
    let (mut x, mut y, mut intervals, mut tips) = (vec![], vec![], vec![], vec![]);
    for (at, (name, figure)) in runs.iter().enumerate() {
        let Some(of) = figure else { continue };
        x.push(at as f64);
        y.push(axis_seconds(of.value_ns));
        let (low, high) = between(of);
        intervals.push((axis_seconds(low), axis_seconds(high)));
        let ends = of
            .interval_ns
            .map_or_else(String::new, |(low, high)| format!(" ({} to {})", time(low), time(high)));
        tips.push(format!("{name}: {}{ends}", time(of.value_ns)));
    }
    let (colour, dots) = (Colour("b"), Dots::discs(Colour("b"), 8.0));
    let curve = match is_series {
        true => Curve::line(x, y, colour, 1.2).dots(dots),
        false => Curve::points(x, y, dots),
    };
    curve.intervals(intervals).tips(tips)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::compare::Figure;

    fn run(ns: f64) -> Named {
        let figure = Figure::Quantile(0.5);
        let interval_ns = Some((ns * 0.9, ns * 1.1));
        ("r".to_owned(), Some(RunFigure { figure, value_ns: ns, interval_ns }))
    }

    #[test]
    fn the_axis_is_logarithmic_where_the_range_is_large() {
        let modes = |runs: &[Named]| chart("c", "p50", "end to end", runs, true).modes[0].name;
        assert_eq!(modes(&[run(1000.0), run(2000.0)]), "linear");
        assert_eq!(modes(&[run(1000.0), run(20_000.0)]), "log");
        assert_eq!(modes(&[("r".to_owned(), None)]), "linear");
    }

    #[test]
    fn a_run_without_the_figure_keeps_its_place() {
        let runs = [run(1000.0), ("gone".to_owned(), None), run(3000.0)];
        let section =
            document::Section::new("s", "S", "").chart(chart("c", "p50", "t", &runs, true));
        let document = document::Document { sections: vec![section], ..Default::default() };
        let mut svg = Vec::new();
        document::svg(&document, "c", &mut svg).expect("a picture");
        let svg = String::from_utf8(svg).expect("text");
        assert_eq!(svg.matches("<circle").count(), 2, "{svg}");
        assert!(svg.contains("cx=\"16.667%\"") || svg.contains("cx=\"16.67%\""), "{svg}");
        assert!(svg.contains("gone"));
    }
}
