//! Time against message size, with the jumps marked.

use plotly::Scatter;
use plotly::common::{HoverInfo, Marker, MarkerSymbol, Mode as TraceMode};
use plotly::layout::{Axis, AxisType};
use serde_json::json;
use stats::analysis::{Analysis, SizePoint};

use super::Section;
use crate::chart::{Chart, layout, line, mode, seconds, time_axis};
use crate::format::{part, size, time};
use crate::palette::MARK;
use crate::tables;

/// Medians that rise by more than this over the next smaller size are marked.
pub(crate) const JUMP: f64 = 0.25;

pub(super) fn section(run: &str, analysis: &Analysis) -> Option<Section> {
    if analysis.sizes.len() < 2 {
        return None;
    }
    let what = if analysis.cycles.is_some() { "cycle time" } else { "end-to-end time" };
    let mut section = Section::new(run, "sizes", "By message size", sentence(&analysis.sizes, what));
    section.legend = vec![
        ("Median".to_owned(), "a".to_owned()),
        ("99\u{a0}%".to_owned(), "s4".to_owned()),
        ("Fastest".to_owned(), "faint".to_owned()),
        ("Jump".to_owned(), "mark".to_owned()),
    ];
    section.charts.push(chart(run, &analysis.sizes, what));
    section.below = tables::sizes(&analysis.sizes);
    Some(section)
}

/// The steepest jump in words.
pub(crate) fn sentence(sizes: &[SizePoint], what: &str) -> String {
    let steepest = sizes.iter().enumerate().skip(1).max_by(|a, b| a.1.jump.total_cmp(&b.1.jump));
    match steepest {
        Some((i, point)) if point.jump > JUMP => format!(
            "The steepest jump of the median {what} lies between {} and {}: from {} to {}, {} more.",
            size(sizes[i - 1].bytes),
            size(point.bytes),
            time(sizes[i - 1].p50_ns as f64),
            time(point.p50_ns as f64),
            part(point.jump)
        ),
        _ => format!(
            "The median {what} grows without a jump of more than {} from one size to the next.",
            part(JUMP)
        ),
    }
}

fn chart(run: &str, sizes: &[SizePoint], what: &str) -> Chart {
    // A log axis has no place for 0 B; half a byte stands left of 1 B, and is labelled as what it is.
    let place = |bytes: u64| if bytes == 0 { 0.5 } else { bytes as f64 };
    let x = || sizes.iter().map(|point| place(point.bytes)).collect::<Vec<f64>>();
    let axes = layout().x_axis(size_axis(sizes)).y_axis(time_axis(&format!("{what} (log)"), AxisType::Log));
    let label = format!("Median and 99 % quantile of {what} against message size.");
    let mut chart = Chart::new(format!("{run}-sizes"), 360, label, axes);
    let tip = |what: &str| format!("%{{x:,}} B: {what} %{{y:.3~s}}s");
    chart.data.push(
        line(x(), seconds(sizes.iter().map(|s| s.min_ns)), "Fastest", "@faint", 1.0)
            .hover_template(tip("fastest")),
    );
    chart.data.push(
        line(x(), seconds(sizes.iter().map(|s| s.p99_ns)), "99 %", "@s4", 1.6).hover_template(tip("99 %")),
    );
    chart.data.push(
        line(x(), seconds(sizes.iter().map(|s| s.p50_ns)), "Median", "@a", 2.2)
            .mode(TraceMode::LinesMarkers)
            .marker(Marker::new().color("@a").size(5))
            .hover_template(tip("median")),
    );
    let jumps: Vec<&SizePoint> = sizes.iter().skip(1).filter(|point| point.jump > JUMP).collect();
    if !jumps.is_empty() {
        chart.data.push(
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
                    .map(|s| format!("jump of <b>{}</b> to {}", part(s.jump), size(s.bytes)))
                    .collect(),
            )
            .hover_info(HoverInfo::Text),
        );
    }
    chart.modes = modes(what);
    chart
}

fn modes(what: &str) -> Vec<crate::chart::Mode> {
    let linear = json!({
        "xaxis.type": "linear", "xaxis.tickvals": null, "xaxis.ticktext": null, "xaxis.tickmode": "auto",
        "xaxis.tickformat": "~s", "xaxis.ticksuffix": "B",
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
