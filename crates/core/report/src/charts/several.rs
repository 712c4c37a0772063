//! Several runs on one log axis of time: in their bars of parts, 55 ns looks like 511 µs.

use plotly::layout::{Axis, AxisType};
use serde_json::{Value, json};
use stats::analysis::{Analysis, Stage, Summary};

use crate::entry::Entry;
use crate::finding::quantile;
use document::chart::{Chart, Raw, layout, time_axis};
use document::{Colour, Section, axis_seconds, chart_label, time};

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
        ("up to 99\u{a0}%".to_owned(), Colour("b")),
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
    Some((chart_label(&entry.facts.title()), summary))
}

fn chart(named: &[Named]) -> Chart {
    let rows = named.len();
    let axes = layout().x_axis(time_axis("end-to-end time (log)", AxisType::Log)).y_axis(
        // First run on top, as in the table.
        Axis::new().type_(AxisType::Category).range(vec![rows as f64 - 0.5, -0.5]),
    );
    let label = "Median, 99 % quantile and maximum of each run, on a log scale.";
    let mut chart = Chart::new("side-by-side", 70 + 30 * rows as u32, label, axes);
    let median = |summary: &Summary| quantile(summary, 0.5);
    let most = |summary: &Summary| Some(summary.max_ns);
    let to_99 = |summary: &Summary| quantile(summary, 0.99);
    chart.data.push(Box::new(Raw(spans(named, "@faint", 2.0, median, most))));
    chart.data.push(Box::new(Raw(spans(named, "@b", 7.0, median, to_99))));
    chart.data.push(Box::new(Raw(medians(named))));
    chart
}

/// A line a run.
fn spans(
    named: &[Named],
    colour: &str,
    width: f64,
    from: impl Fn(&Summary) -> Option<i64>,
    to: impl Fn(&Summary) -> Option<i64>,
) -> Value {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (name, summary) in named {
        let Some((from, to)) = from(summary).zip(to(summary)) else { continue };
        x.extend([Some(axis_seconds(from as f64)), Some(axis_seconds(to as f64)), None]);
        y.extend([Some(name), Some(name), None]);
    }
    json!({
        "type": "scatter", "mode": "lines", "x": x, "y": y, "hoverinfo": "skip",
        "line": {"color": colour, "width": width},
    })
}

fn medians(named: &[Named]) -> Value {
    let text = |(name, summary): &Named| {
        let at = |p| quantile(summary, p).map(|ns| time(ns as f64));
        let p99 = at(0.99).map_or_else(String::new, |ns| format!("99 % {ns}, "));
        format!(
            "{name}<br>median {}, {p99}slowest {}",
            at(0.5).unwrap_or_default(),
            time(summary.max_ns as f64)
        )
    };
    let x =
        named.iter().map(|(_, summary)| quantile(summary, 0.5).map(|ns| axis_seconds(ns as f64)));
    json!({
        "type": "scatter", "mode": "markers", "x": x.collect::<Vec<_>>(),
        "y": named.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "hovertext": named.iter().map(text).collect::<Vec<_>>(), "hoverinfo": "text",
        "marker": {"color": "@a", "size": 10},
    })
}
