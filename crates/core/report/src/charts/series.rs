//! End-to-end time along the run, with the slowest messages marked.

use stats::analysis::{Analysis, SeriesBin, SlowMessage};

use crate::palette::{MARK, PARTS, name};
use document::chart::{Axis, Chart, Curve, Dots, seconds};
use document::{Colour, Section, axis_seconds, size, time, time_or_none};

/// More marks would hide each other.
const MARKED_AT_MOST: usize = 50;
/// Lines end where nothing was sent for more than this part of the run.
const GAP: f64 = 0.04;
/// A slice of fewer messages has no median to speak of: it would be one message or another.
const MESSAGES_LEAST: u64 = 10;

pub(super) fn section(analysis: &Analysis) -> Option<Section> {
    if analysis.series.is_empty() {
        return None;
    }
    let few = analysis.series.iter().any(|bin| (1..MESSAGES_LEAST).contains(&bin.count));
    let left_out = match few {
        true => " Slices of the run with fewer than ten messages show only their slowest.",
        false => "",
    };
    let sentence = format!(
        "End-to-end time as the run went on. The median should stay level: a step is a change of \
        mode, a slope is a queue that grows. The slowest messages are marked; point at one to see \
        where its time went.{left_out}"
    );
    let mut section = Section::new("series", "Along the run", sentence);
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

/// A line: name, colour, width, messages that a slice of it has at least, and what it is of.
type Drawn = (&'static str, Colour, f64, u64, fn(&SeriesBin) -> i64);

/// The last on top.
const LINES: [Drawn; 3] = [
    ("maximum", Colour("faint"), 1.0, 1, |bin| bin.max_ns),
    ("p99", Colour("s4"), 1.6, MESSAGES_LEAST, |bin| bin.p99_ns),
    ("median", Colour("a"), 2.2, MESSAGES_LEAST, |bin| bin.p50_ns),
];

fn chart(analysis: &Analysis) -> Chart {
    let axes = (Axis::time("time since the run began"), Axis::time("end-to-end time").log());
    let label = "Median, p99 and maximum of end-to-end time along the run.".to_owned();
    let mut chart = Chart::new("series", 340, label, axes);
    let middle = |bin: &SeriesBin| bin.from_ns + (bin.to_ns - bin.from_ns) / 2;
    for (name, colour, width, least, get) in LINES {
        let bins = parted(&analysis.series, least);
        let of = |get: &dyn Fn(&SeriesBin) -> i64| -> Vec<f64> {
            let seconds = |bin: &SeriesBin| axis_seconds(get(bin) as f64);
            bins.iter().map(|bin| bin.map_or(f64::NAN, seconds)).collect()
        };
        if bins.is_empty() {
            continue;
        }
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

/// The slices that have so many messages; `None` where nothing was sent for so long that a line
/// across would tell of what was not: between launches.
fn parted(series: &[SeriesBin], least: u64) -> Vec<Option<&SeriesBin>> {
    let Some((first, last)) = series.first().zip(series.last()) else { return Vec::new() };
    let long = ((last.to_ns - first.from_ns) as f64 * GAP) as i64;
    let mut all: Vec<Option<&SeriesBin>> = Vec::new();
    let mut until = None;
    for bin in series.iter().filter(|bin| bin.count >= least) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_passes_over_slices_of_a_few_messages() {
        let bin = |(at, count): (usize, u64)| {
            let from_ns = at as i64;
            SeriesBin { from_ns, to_ns: from_ns + 1, count, p50_ns: 5, p99_ns: 6, max_ns: 7 }
        };
        let series: Vec<SeriesBin> =
            [12, 2, 9, 10, 0, 300].into_iter().enumerate().map(bin).collect();
        let counts = |least: u64| -> Vec<u64> {
            parted(&series, least).iter().flatten().map(|bin| bin.count).collect()
        };
        assert_eq!(counts(MESSAGES_LEAST), [12, 10, 300]);
        assert_eq!(counts(1), [12, 2, 9, 10, 300]);
    }
}
