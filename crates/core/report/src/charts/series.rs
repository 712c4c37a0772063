//! End-to-end time along the run, with the slowest messages marked.

use stats::analysis::{Analysis, SeriesBin, SlowMessage};

use crate::palette::{MARK, PARTS, name};
use document::chart::{Axis, Chart, Curve, Dots, seconds};
use document::{Colour, Section, axis_seconds, size, time, time_or_none};

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
        ("p99".to_owned(), Colour("s4")),
        ("Maximum".to_owned(), Colour("faint")),
        ("Slowest messages".to_owned(), MARK),
    ];
    section.charts.push(chart(analysis));
    section.page_only = true;
    Some(section)
}

/// A line: name, colour, width, and what it is of.
type Drawn = (&'static str, Colour, f64, fn(&SeriesBin) -> i64);

/// The last on top.
const LINES: [Drawn; 3] = [
    ("maximum", Colour("faint"), 1.0, |bin| bin.max_ns),
    ("p99", Colour("s4"), 1.6, |bin| bin.p99_ns),
    ("median", Colour("a"), 2.2, |bin| bin.p50_ns),
];

fn chart(analysis: &Analysis) -> Chart {
    let axes = (Axis::time("time since the run began"), Axis::time("end-to-end time").log());
    let label = "Median, p99 and maximum of end-to-end time along the run.".to_owned();
    let mut chart = Chart::new("series", 340, label, axes);
    let bins = parted(&analysis.series);
    let of = |get: &dyn Fn(&SeriesBin) -> i64| -> Vec<f64> {
        let seconds = |bin: &SeriesBin| axis_seconds(get(bin) as f64);
        bins.iter().map(|bin| bin.map_or(f64::NAN, seconds)).collect()
    };
    let middle = |bin: &SeriesBin| bin.from_ns + (bin.to_ns - bin.from_ns) / 2;
    for (name, colour, width, get) in LINES {
        let tip = |bin: &SeriesBin| {
            format!("{name} {} at {}", time(get(bin) as f64), time(middle(bin) as f64))
        };
        let tips = bins.iter().map(|bin| bin.map_or_else(String::new, tip)).collect();
        chart.draw(Curve::line(of(&middle), of(&get), colour, width).tips(tips));
    }
    chart.data.extend(slow_marks(&analysis.slowest).map(Into::into));
    let linear = chart.mode("linear").y(Axis::time("end-to-end time").from_0());
    chart.modes = vec![chart.mode("log"), linear];
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

fn slow_marks(slowest: &[SlowMessage]) -> Option<Curve> {
    let marked: Vec<(&SlowMessage, i64)> = slowest
        .iter()
        .take(MARKED_AT_MOST)
        .filter_map(|message| Some((message, message.stage_ns[0]?)))
        .collect();
    if marked.is_empty() {
        return None;
    }
    let x = seconds(marked.iter().map(|(message, _)| message.ready_ns));
    let y: Vec<f64> = marked.iter().map(|(_, ns)| axis_seconds(*ns as f64)).collect();
    let texts = marked.iter().map(|(message, _)| describe(message)).collect();
    Some(Curve::points(x, y, Dots::rings(MARK, 9.0)).tips(texts))
}

/// All that is known of a slow message, for the eye.
fn describe(message: &SlowMessage) -> String {
    let mut text = format!(
        "{} end to end\nlaunch {}, message {} of node {}, to node {}, {}",
        time_or_none(message.stage_ns[0]),
        message.launch,
        message.seq,
        message.src,
        message.dst,
        size(message.bytes)
    );
    for (stage, ns) in PARTS.iter().zip(&message.stage_ns[1..]) {
        text.push_str(&format!("\n{}: {}", name(*stage), time_or_none(*ns)));
    }
    text.push_str(&format!("\nready at {}", time(message.ready_ns as f64)));
    text
}
