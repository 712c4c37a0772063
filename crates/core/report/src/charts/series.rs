//! End-to-end time along the run, with the slowest messages marked.

use plotly::common::{HoverInfo, Marker, MarkerSymbol, Mode as TraceMode};
use plotly::layout::AxisType;
use plotly::{Scatter, Trace};
use serde_json::json;
use stats::analysis::{Analysis, SeriesBin, SlowMessage};

use crate::palette::{MARK, PARTS, name};
use document::chart::{Chart, layout, line, mode, seconds, time_axis};
use document::{Colour, Section};
use document::{axis_seconds, size, time, time_or_none};

/// More marks would hide each other.
const MARKED_AT_MOST: usize = 50;
/// Lines end where nothing was sent for more than this part of the run.
const GAP: f64 = 0.04;

pub(super) fn section(analysis: &Analysis) -> Option<Section> {
    if analysis.series.is_empty() {
        return None;
    }
    let sentence = "End-to-end time as the run went on. The median should stay level: a step is a \
    change of mode, a \
                    slope is a queue that grows. The slowest messages are marked; point at one to \
                    see where its time \
                    went.";
    let mut section = Section::new("series", "Along the run", sentence.to_owned());
    section.legend = vec![
        ("Median".to_owned(), Colour("a")),
        ("99\u{a0}%".to_owned(), Colour("s4")),
        ("Maximum".to_owned(), Colour("faint")),
        ("Slowest messages".to_owned(), Colour("mark")),
    ];
    section.charts.push(chart(analysis));
    section.page_only = true;
    Some(section)
}

fn chart(analysis: &Analysis) -> Chart {
    let axes = layout()
        .x_axis(time_axis("time since the run began", AxisType::Linear))
        .y_axis(time_axis("end-to-end time (log)", AxisType::Log));
    let label = "Median, 99 % quantile and maximum of end-to-end time along the run.".to_owned();
    let mut chart = Chart::new("series", 340, label, axes);
    let bins = parted(&analysis.series);
    let of = |get: fn(&SeriesBin) -> i64| -> Vec<f64> {
        let seconds = |bin: &SeriesBin| axis_seconds(get(bin) as f64);
        bins.iter().map(|bin| bin.map_or(f64::NAN, seconds)).collect()
    };
    let x = || of(|bin| bin.from_ns + (bin.to_ns - bin.from_ns) / 2);
    let tip = |what: &str| format!("{what} %{{y:.3~s}}s at %{{x:.4~s}}s");
    chart.data.push(
        line(x(), of(|bin| bin.max_ns), "Maximum", "@faint", 1.0).hover_template(tip("maximum")),
    );
    chart
        .data
        .push(line(x(), of(|bin| bin.p99_ns), "99 %", "@s4", 1.6).hover_template(tip("99 %")));
    chart
        .data
        .push(line(x(), of(|bin| bin.p50_ns), "Median", "@a", 2.2).hover_template(tip("median")));
    if let Some(trace) = slow_marks(&analysis.slowest) {
        chart.data.push(trace);
    }
    chart.modes = vec![
        mode("log", None, json!({})),
        mode(
            "linear",
            None,
            json!({
                "yaxis.type": "linear", "yaxis.title.text": "end-to-end time",
                "yaxis.rangemode": "tozero",
            }),
        ),
    ];
    chart
}

/// The slices that have messages; `None` where nothing was sent for so long that a line across
/// would tell of what was not: between launches.
fn parted(series: &[SeriesBin]) -> Vec<Option<&SeriesBin>> {
    let Some((first, last)) = series.first().zip(series.last()) else { return Vec::new() };
    let long = ((last.to_ns - first.from_ns) as f64 * GAP) as i64;
    let mut all: Vec<Option<&SeriesBin>> = Vec::new();
    let mut until = None;
    for bin in series.iter().filter(|bin| bin.count > 0) {
        if until.is_some_and(|until| bin.from_ns - until > long) {
            all.push(None);
        }
        all.push(Some(bin));
        until = Some(bin.to_ns);
    }
    all
}

fn slow_marks(slowest: &[SlowMessage]) -> Option<Box<dyn Trace>> {
    let marked: Vec<(&SlowMessage, i64)> = slowest
        .iter()
        .take(MARKED_AT_MOST)
        .filter_map(|message| Some((message, message.stage_ns[0]?)))
        .collect();
    if marked.is_empty() {
        return None;
    }
    let x = seconds(marked.iter().map(|(message, _)| message.ready_ns));
    let y = marked.iter().map(|(_, ns)| axis_seconds(*ns as f64)).collect();
    let texts = marked.iter().map(|(message, _)| describe(message)).collect();
    let marker = Marker::new().color(MARK).size(9).symbol(MarkerSymbol::CircleOpen);
    Some(
        Scatter::new(x, y)
            .mode(TraceMode::Markers)
            .name("Slowest messages")
            .marker(marker)
            .text_array(texts)
            .hover_info(HoverInfo::Text),
    )
}

/// All that is known of a slow message, for the eye.
fn describe(message: &SlowMessage) -> String {
    let mut text = format!(
        "<b>{}</b> end to end<br>launch {}, message {} of node {}, to node {}, {}",
        time_or_none(message.stage_ns[0]),
        message.launch,
        message.seq,
        message.src,
        message.dst,
        size(message.bytes)
    );
    for (stage, ns) in PARTS.iter().zip(&message.stage_ns[1..]) {
        text.push_str(&format!("<br>{}: {}", name(*stage), time_or_none(*ns)));
    }
    text.push_str(&format!("<br>ready at {}", time(message.ready_ns as f64)));
    text
}
