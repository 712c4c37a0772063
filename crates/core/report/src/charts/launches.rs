//! How much launches differ: one launch proves nothing.

use plotly::Scatter;
use plotly::common::{Line, Marker, Mode as TraceMode};
use plotly::layout::{Axis, AxisType};
use serde_json::json;
use stats::analysis::{Analysis, LaunchSpread, Summary};

use crate::finding::quantile;
use document::chart::{Chart, layout, mode, time_axis};
use document::{Colour, Section};
use document::{axis_seconds, part, quantile_name};

/// The quantiles drawn, with their colours: the darker, the more typical.
const SHOWN: [(f64, &str); 4] = [(0.5, "@a"), (0.9, "@s2"), (0.99, "@s4"), (0.999, "@s6")];

pub(super) fn section(analysis: &Analysis) -> Option<Section> {
    let spread = &analysis.launches;
    if spread.launches.len() < 2 {
        return None;
    }
    let what = if analysis.cycles.is_some() { "cycle times" } else { "end-to-end times" };
    let mut section = Section::new("launches", "Launches compared", sentence(spread, what));
    section.legend = SHOWN
        .iter()
        .filter(|(p, _)| spread.launches.iter().any(|(_, summary)| quantile(summary, *p).is_some()))
        .map(|(p, colour)| (quantile_name(*p), Colour(&colour[1..])))
        .collect();
    section.charts.push(chart(spread, what));
    Some(section)
}

pub(crate) fn sentence(spread: &LaunchSpread, what: &str) -> String {
    let launches = spread.launches.len();
    match (spread.between, spread.within) {
        (Some(between), Some(within)) => format!(
            "Quantiles of {what} in each of {launches} fresh launches. The medians vary by {} \
            between launches and by {} \
             within one: {}.",
            deviation(between),
            deviation(within),
            if between > 2.0 * within {
                "a figure from a single launch would mislead"
            } else {
                "launches agree about as well as parts of one do"
            }
        ),
        (Some(between), None) => {
            format!(
                "Quantiles of {what} in each of {launches} fresh launches. The medians vary by {}.",
                deviation(between)
            )
        }
        _ => format!("Quantiles of {what} in each of {launches} fresh launches."),
    }
}

/// A deviation as a part of the mean, which may well be more than all of it.
fn deviation(of: f64) -> String {
    if of < 1.0 { part(of) } else { format!("{:.0}\u{a0}%", of * 100.0) }
}

fn chart(spread: &LaunchSpread, what: &str) -> Chart {
    let axes = layout()
        .x_axis(Axis::new().title("launch").type_(AxisType::Category))
        .y_axis(time_axis(&format!("{what} (log)"), AxisType::Log));
    let label = format!("Quantiles of {what} in {} launches.", spread.launches.len());
    let mut chart = Chart::new("launches", 300, label, axes);
    for (p, colour) in SHOWN {
        if let Some(trace) = quantile_line(&spread.launches, p, colour) {
            chart.data.push(trace);
        }
    }
    chart.modes = vec![
        mode("log", None, json!({})),
        mode(
            "linear",
            None,
            json!({"yaxis.type": "linear", "yaxis.title.text": what, "yaxis.rangemode": "tozero"}),
        ),
    ];
    chart
}

fn quantile_line(
    launches: &[(u32, Summary)],
    p: f64,
    colour: &'static str,
) -> Option<Box<Scatter<String, f64>>> {
    let points: Vec<(u32, i64)> = launches
        .iter()
        .filter_map(|(launch, summary)| Some((*launch, quantile(summary, p)?)))
        .collect();
    if points.is_empty() {
        return None;
    }
    let x = points.iter().map(|(launch, _)| launch.to_string()).collect();
    let y = points.iter().map(|(_, ns)| axis_seconds(*ns as f64)).collect();
    Some(
        Scatter::new(x, y)
            .name(quantile_name(p))
            .mode(TraceMode::LinesMarkers)
            .line(Line::new().color(format!("{colour}/0.45")).width(1.2))
            .marker(Marker::new().color(colour).size(8))
            .hover_template(format!("launch %{{x}}: {} %{{y:.3~s}}s", quantile_name(p))),
    )
}
