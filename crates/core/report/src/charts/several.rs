//! Several runs on one log axis of time: in their bars of parts, 55 ns looks like 511 µs.

use stats::analysis::{Analysis, Stage, Summary};

use crate::entry::Entry;
use crate::finding::quantile;
use document::chart::{Axis, Chart, Curve, Dots};
use document::{Colour, Section, axis_seconds, time};

/// A run's name and its times end to end.
type Named<'a> = (String, &'a Summary);

/// Where each run's times lie.
pub(crate) fn section(runs: &[Entry<'_>]) -> Option<Section> {
    let named: Vec<Named> = runs.iter().filter_map(named).collect();
    if named.len() < 2 {
        return None;
    }
    let sentence = "End-to-end times of each run on one log axis: each step to the right is as \
        many times as long.";
    let mut section = Section::new("side-by-side", "The runs on one scale", sentence);
    section.legend = vec![
        ("Median".to_owned(), Colour("a")),
        ("up to p99".to_owned(), Colour("b")),
        ("up to the slowest".to_owned(), Colour("faint")),
    ];
    section.charts.push(chart(&named));
    section.page_only = true;
    Some(section)
}

fn named<'a>(entry: &Entry<'a>) -> Option<Named<'a>> {
    let analysis: &'a Analysis = entry.analysis;
    let summary = &analysis.stage(Stage::EndToEnd)?.summary;
    quantile(summary, 0.5).filter(|ns| *ns > 0)?;
    Some((entry.facts.title(), summary))
}

fn chart(named: &[Named]) -> Chart {
    let axes = (Axis::time("end-to-end time").log(), Axis::names("").downwards());
    let label = "Median, p99 and maximum of each run, on a log scale.";
    let mut chart = Chart::new("side-by-side", 70 + 30 * named.len() as u32, label, axes);
    let median = |summary: &Summary| quantile(summary, 0.5);
    let most = |summary: &Summary| Some(summary.max_ns);
    let to_99 = |summary: &Summary| quantile(summary, 0.99);
    chart.draw(spans(named, Colour("faint"), 2.0, median, most));
    chart.draw(spans(named, Colour("b"), 7.0, median, to_99));
    chart.draw(medians(named));
    chart
}

/// A line a run.
fn spans(
    named: &[Named],
    colour: Colour,
    width: f64,
    from: impl Fn(&Summary) -> Option<i64>,
    to: impl Fn(&Summary) -> Option<i64>,
) -> Curve {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (name, summary) in named {
        let Some((from, to)) = from(summary).zip(to(summary)) else { continue };
        x.extend([axis_seconds(from as f64), axis_seconds(to as f64), f64::NAN]);
        y.extend([name.clone(), name.clone(), String::new()]);
    }
    Curve::line(x, y, colour, width)
}

fn medians(named: &[Named]) -> Curve {
    let text = |(name, summary): &Named| {
        let at = |p| quantile(summary, p).map(|ns| time(ns as f64));
        let p99 = at(0.99).map_or_else(String::new, |ns| format!("p99 {ns}, "));
        format!(
            "{name}\nmedian {}, {p99}slowest {}",
            at(0.5).unwrap_or_default(),
            time(summary.max_ns as f64)
        )
    };
    let median = |summary: &Summary| quantile(summary, 0.5).map(|ns| axis_seconds(ns as f64));
    let x: Vec<f64> =
        named.iter().map(|(_, summary)| median(summary).unwrap_or(f64::NAN)).collect();
    let y: Vec<String> = named.iter().map(|(name, _)| name.clone()).collect();
    Curve::points(x, y, Dots::discs(Colour("a"), 10.0)).tips(named.iter().map(text).collect())
}
