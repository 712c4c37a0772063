//! Time against message size, with the jumps marked.

use plotly::common::{HoverInfo, Marker, MarkerSymbol, Mode as TraceMode};
use plotly::layout::{Axis, AxisType};
use plotly::{Scatter, Trace};
use serde_json::json;
use stats::analysis::{Analysis, Knee, SizePoint, Sweep};

use crate::knees;
use crate::palette::MARK;
use crate::tables::{self, JUMP};
use document::chart::{Chart, Raw, layout, line, mode, seconds, time_axis};
use document::ratio;
use document::{Colour, Section};
use document::{axis_seconds, size, time};

pub(super) fn section(analysis: &Analysis) -> Option<Section> {
    if analysis.sizes.len() < 2 {
        return None;
    }
    let what = if analysis.cycles.is_some() { "cycle time" } else { "end-to-end time" };
    let sweep = analysis.sweep.as_ref();
    let sentence =
        sweep.map_or_else(|| sentence(&analysis.sizes, what), |sweep| knees::sentence(sweep, what));
    let mut section = Section::new("sizes", "By message size", sentence);
    section.legend = vec![
        ("Median".to_owned(), Colour("a")),
        ("99\u{a0}%".to_owned(), Colour("s4")),
        ("Fastest".to_owned(), Colour("faint")),
        (if sweep.is_some() { "Knee" } else { "Jump" }.to_owned(), Colour("mark")),
    ];
    section.charts.push(chart(&analysis.sizes, sweep, what));
    section.blocks.extend(sweep.into_iter().flat_map(knees::tables));
    Some(section.table(tables::sizes(&analysis.sizes)))
}

/// The steepest jump in words.
pub(crate) fn sentence(sizes: &[SizePoint], what: &str) -> String {
    let steepest = sizes.iter().enumerate().skip(1).max_by(|a, b| a.1.jump.total_cmp(&b.1.jump));
    match steepest {
        Some((i, point)) if point.jump > JUMP => format!(
            "The steepest jump of the median {what} lies between {} and {}: from {} to {}, {}.",
            size(sizes[i - 1].bytes),
            size(point.bytes),
            time(sizes[i - 1].p50_ns as f64),
            time(point.p50_ns as f64),
            ratio(1.0 + point.jump)
        ),
        _ => format!(
            "No step from one size to the next makes the median {what} more than {} as long.",
            ratio(1.0 + JUMP)
        ),
    }
}

fn chart(sizes: &[SizePoint], sweep: Option<&Sweep>, what: &str) -> Chart {
    let x = || sizes.iter().map(|point| place(point.bytes)).collect::<Vec<f64>>();
    let axes = layout()
        .x_axis(size_axis(sizes))
        .y_axis(time_axis(&format!("{what} (log)"), AxisType::Log));
    let label = format!("Median and 99 % quantile of {what} against message size.");
    let mut chart = Chart::new("sizes", 360, label, axes);
    let tip = |what: &str| format!("%{{x:,}} B: {what} %{{y:.3~s}}s");
    chart.data.push(
        line(x(), seconds(sizes.iter().map(|s| s.min_ns)), "Fastest", "@faint", 1.0)
            .hover_template(tip("fastest")),
    );
    chart.data.push(
        line(x(), seconds(sizes.iter().map(|s| s.p99_ns)), "99 %", "@s4", 1.6)
            .hover_template(tip("99 %")),
    );
    chart.data.push(
        line(x(), seconds(sizes.iter().map(|s| s.p50_ns)), "Median", "@a", 2.2)
            .mode(TraceMode::LinesMarkers)
            .marker(Marker::new().color("@a").size(5))
            .hover_template(tip("median")),
    );
    match sweep {
        Some(sweep) => chart.data.extend(fitted(sweep)),
        None => chart.data.extend(jumps(sizes)),
    }
    chart.modes = modes(what);
    chart
}

/// A log axis has no place for 0 B; half a byte stands left of 1 B, and is labelled as what it is.
fn place(bytes: u64) -> f64 {
    if bytes == 0 { 0.5 } else { bytes as f64 }
}

/// The straight lines of a sweep's segments, and its knees.
fn fitted(sweep: &Sweep) -> Vec<Box<dyn Trace>> {
    let (mut x, mut y): (Vec<Option<f64>>, Vec<Option<f64>>) = (Vec::new(), Vec::new());
    for segment in &sweep.segments {
        for bytes in steps(segment.from_bytes, segment.to_bytes) {
            x.push(Some(place(bytes)));
            y.push(Some(axis_seconds(segment.base_ns + segment.slope_ns * bytes as f64)));
        }
        // A gap: the line is not drawn across a knee.
        x.push(None);
        y.push(None);
    }
    let lines = Raw(json!({
        "type": "scatter", "mode": "lines", "name": "Straight lines", "x": x, "y": y,
        "hoverinfo": "skip", "line": {"color": MARK, "width": 1.4, "dash": "dot"},
    }));
    let at = |knee: &Knee| {
        let after = sweep.segments.iter().find(|segment| segment.to_bytes >= knee.after_bytes);
        after.map_or(0.0, |line| {
            axis_seconds(line.base_ns + line.slope_ns * knee.after_bytes as f64)
        })
    };
    let jumps: Vec<&Knee> = sweep.knees.iter().filter(|knee| knee.jumps()).collect();
    let text =
        |knee: &&Knee| format!("<b>{}</b><br>{}", ratio(1.0 + knee.jump), knees::bracket(knee));
    let marks = Raw(json!({
        "type": "scatter", "mode": "markers", "name": "Knee",
        "x": jumps.iter().map(|knee| place(knee.after_bytes)).collect::<Vec<f64>>(),
        "y": jumps.iter().map(|knee| at(knee)).collect::<Vec<f64>>(),
        "hovertext": jumps.iter().map(text).collect::<Vec<String>>(), "hoverinfo": "text",
        "marker": {"color": MARK, "size": 13, "symbol": "circle-open"},
    }));
    vec![Box::new(lines), Box::new(marks)]
}

/// Sizes close enough that a straight line is one on log scales too.
fn steps(from: u64, to: u64) -> Vec<u64> {
    let mut all = vec![from];
    while let Some(&last) = all.last().filter(|last| **last < to) {
        all.push((last + last / 8 + 1).min(to));
    }
    all
}

/// Marks of jumps from one size to the next, where no lines could be fitted.
fn jumps(sizes: &[SizePoint]) -> Option<Box<dyn Trace>> {
    let jumps: Vec<&SizePoint> = sizes.iter().skip(1).filter(|point| point.jump > JUMP).collect();
    if jumps.is_empty() {
        return None;
    }
    Some(
        Scatter::new(
            jumps.iter().map(|s| place(s.bytes)).collect(),
            seconds(jumps.iter().map(|s| s.p50_ns)),
        )
        .mode(TraceMode::Markers)
        .name("Jump")
        .marker(Marker::new().color(MARK).size(13).symbol(MarkerSymbol::CircleOpen))
        .text_array(
            jumps
                .iter()
                .map(|s| {
                    format!(
                        "<b>{}</b> from the size before to {}",
                        ratio(1.0 + s.jump),
                        size(s.bytes)
                    )
                })
                .collect(),
        )
        .hover_info(HoverInfo::Text),
    )
}

fn modes(what: &str) -> Vec<document::Mode> {
    let linear = json!({
        "xaxis.type": "linear", "xaxis.tickvals": null, "xaxis.ticktext": null,
        "xaxis.tickmode": "auto", "xaxis.tickformat": "~s", "xaxis.ticksuffix": "B",
        "yaxis.type": "linear", "yaxis.title.text": what, "yaxis.rangemode": "tozero",
    });
    vec![mode("log-log", None, json!({})), mode("linear", None, linear)]
}

/// Sizes on a log axis, labelled at powers of four.
fn size_axis(sizes: &[SizePoint]) -> Axis {
    let largest = sizes.last().map_or(1, |point| point.bytes);
    let mut ticks: Vec<(f64, String)> = Vec::new();
    if sizes.first().is_some_and(|point| point.bytes == 0) {
        ticks.push((0.5, size(0)));
    }
    let mut bytes = 1u64;
    while bytes <= largest.saturating_mul(2) && bytes < 1 << 40 {
        ticks.push((bytes as f64, size(bytes)));
        bytes *= 4;
    }
    Axis::new()
        .title("payload (log)")
        .type_(AxisType::Log)
        .tick_values(ticks.iter().map(|(at, _)| *at).collect())
        .tick_text(ticks.into_iter().map(|(_, text)| text).collect())
        .zero_line(false)
}
