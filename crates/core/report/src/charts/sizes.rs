//! Time against message size, with the jumps marked.

use stats::analysis::{Analysis, Knee, SizePoint, Sweep};

use crate::knees;
use crate::palette::MARK;
use crate::tables::{self, JUMP};
use document::chart::{Axis, Chart, Curve, Dash, Dots, Mode, Quantity, seconds};
use document::{Colour, Section, axis_seconds, ratio, size, time};

pub(super) fn section(analysis: &Analysis) -> Option<Section> {
    if analysis.sizes.len() < 2 {
        return None;
    }
    let what = if analysis.cycles.is_some() { "cycle time" } else { "end-to-end time" };
    let sweep = analysis.sweep.as_ref();
    let mut sentence =
        sweep.map_or_else(|| sentence(&analysis.sizes, what), |sweep| knees::sentence(sweep, what));
    sentence.extend(knees::too_few(&analysis.sizes).map(|text| format!(" {text}.")));
    let mut section = Section::new("sizes", "By message size", sentence);
    section.legend = vec![
        ("Median".to_owned(), Colour("a")),
        ("p99".to_owned(), Colour("s4")),
        ("Fastest".to_owned(), Colour("faint")),
        (if sweep.is_some() { "Knee" } else { "Jump" }.to_owned(), MARK),
    ];
    section.charts.push(chart(&analysis.sizes, sweep, what));
    section.blocks.extend(sweep.into_iter().flat_map(knees::tables));
    Some(section.table(tables::sizes(&analysis.sizes)))
}

/// The steepest jump in words.
pub(crate) fn sentence(sizes: &[SizePoint], what: &str) -> String {
    let sizes: Vec<&SizePoint> = sizes.iter().filter(|point| point.is_enough()).collect();
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

/// A line: name, colour, width, and what it is of.
type Drawn = (&'static str, Colour, f64, fn(&SizePoint) -> Option<i64>);

/// The last on top.
const LINES: [Drawn; 3] = [
    ("fastest", Colour("faint"), 1.0, |point| Some(point.min_ns)),
    ("p99", Colour("s4"), 1.6, tables::p99),
    ("median", Colour("a"), 2.2, |point| Some(point.p50_ns)),
];

fn chart(sizes: &[SizePoint], sweep: Option<&Sweep>, what: &str) -> Chart {
    let label = format!("Median and p99 of {what} against message size.");
    let mut chart = Chart::new("sizes", 360, label, (size_axis(sizes), Axis::time(what).log()));
    for (name, colour, width, get) in LINES {
        let known: Vec<(&SizePoint, i64)> =
            sizes.iter().filter_map(|point| Some((point, get(point)?))).collect();
        if known.is_empty() {
            continue;
        }
        let x: Vec<f64> = known.iter().map(|(point, _)| place(point.bytes)).collect();
        let y = seconds(known.iter().map(|(_, ns)| *ns));
        let tip = |(of, ns): &(&SizePoint, i64)| {
            format!("{}: {name} {}", size(of.bytes), time(*ns as f64))
        };
        let line = Curve::line(x, y, colour, width).tips(known.iter().map(tip).collect());
        let is_median = name == "median";
        chart.draw(if is_median { line.dots(Dots::discs(colour, 5.0)) } else { line });
    }
    match sweep {
        Some(sweep) => chart.data.extend(fitted(sweep).map(Into::into)),
        None => chart.data.extend(jumps(sizes).map(Into::into)),
    }
    chart.modes = modes(&chart, what);
    chart
}

/// A log axis has no place for 0 B; half a byte stands left of 1 B, and is labelled as what it is.
fn place(bytes: u64) -> f64 {
    if bytes == 0 { 0.5 } else { bytes as f64 }
}

/// The straight lines of a sweep's segments, and its knees.
fn fitted(sweep: &Sweep) -> [Curve; 2] {
    let (mut x, mut y): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    for segment in &sweep.segments {
        for bytes in steps(segment.from_bytes, segment.to_bytes) {
            x.push(place(bytes));
            y.push(axis_seconds(segment.base_ns + segment.slope_ns * bytes as f64));
        }
        // A gap: the line is not drawn across a knee.
        x.push(f64::NAN);
        y.push(f64::NAN);
    }
    let lines = Curve::line(x, y, MARK, 1.4).dashed(Dash::Dot);
    let at = |knee: &Knee| {
        let after = sweep.segments.iter().find(|segment| segment.to_bytes >= knee.after_bytes);
        after.map_or(0.0, |line| {
            axis_seconds(line.base_ns + line.slope_ns * knee.after_bytes as f64)
        })
    };
    let jumps: Vec<&Knee> = sweep.knees.iter().filter(|knee| knee.jumps()).collect();
    let text = |knee: &&Knee| format!("{}\n{}", ratio(1.0 + knee.jump), knees::bracket(knee));
    let x: Vec<f64> = jumps.iter().map(|knee| place(knee.after_bytes)).collect();
    let y: Vec<f64> = jumps.iter().map(|knee| at(knee)).collect();
    let marks = Curve::points(x, y, Dots::rings(MARK, 13.0));
    [lines, marks.tips(jumps.iter().map(text).collect())]
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
fn jumps(sizes: &[SizePoint]) -> Option<Curve> {
    let jumps: Vec<&SizePoint> = sizes.iter().skip(1).filter(|point| point.jump > JUMP).collect();
    let x: Vec<f64> = jumps.iter().map(|point| place(point.bytes)).collect();
    let y = seconds(jumps.iter().map(|point| point.p50_ns));
    let text = |point: &&SizePoint| {
        format!("{} from the size before to {}", ratio(1.0 + point.jump), size(point.bytes))
    };
    let tips = jumps.iter().map(text).collect();
    (!jumps.is_empty()).then(|| Curve::points(x, y, Dots::rings(MARK, 13.0)).tips(tips))
}

fn modes(chart: &Chart, what: &str) -> Vec<Mode> {
    let linear = chart.mode("linear").x(Axis::new(Quantity::Bytes, "payload"));
    vec![chart.mode("log-log"), linear.y(Axis::time(what).from_0())]
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
    Axis::new(Quantity::Bytes, "payload").log().ticks(ticks)
}
