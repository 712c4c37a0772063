//! Peaks and knees.

use document::Point;
use stats::analysis::{Analysis, Parameter, Peak};

use super::views;

/// `group` is the peak's number and the figure; the range is its bounds.
pub(super) fn peaks(analysis: &Analysis) -> Vec<Point> {
    let mut points = Vec::new();
    for (stage, view) in views(analysis) {
        for (at, peak) in view.peaks.iter().enumerate() {
            for (figure, value, unit) in figures(peak) {
                let point = Point::of(format!("{at} {figure}"), value, unit).stage(stage);
                points.push(point.over(peak.from_ns, peak.to_ns));
            }
        }
    }
    points
}

fn figures(peak: &Peak) -> Vec<(String, f64, &'static str)> {
    let with_ends = [
        ("place", peak.place_ns, peak.place_interval_ns, "ns"),
        ("width", peak.width_ns, peak.width_interval_ns, "ns"),
        ("mass", peak.mass, peak.mass_interval, "part"),
        ("time", peak.time_share, peak.time_interval, "part"),
    ];
    let mut rows = Vec::new();
    for (name, value, interval, unit) in with_ends {
        rows.push((name.to_owned(), value, unit));
        if let Some((low, high)) = interval {
            rows.push((format!("{name} low"), low, unit));
            rows.push((format!("{name} high"), high, unit));
        }
    }
    rows.push(("messages".to_owned(), peak.count as f64, "messages"));
    rows.push(("chance".to_owned(), peak.chance, "part"));
    rows
}

/// The range is a knee's bracket or a segment's sizes, in bytes; latency and gap are LogGP's, one
/// way, as far as they are known.
pub(super) fn knees(analysis: &Analysis) -> Vec<Point> {
    let Some(sweep) = &analysis.sweep else { return Vec::new() };
    let stage = if sweep.round_trip { "cycle" } else { "end-to-end" };
    let mut points = Vec::new();
    for knee in &sweep.knees {
        let (jump, low, high) = knee.jump_ns;
        let figures = [
            ("jump", jump, "ns"),
            ("jump low", low, "ns"),
            ("jump high", high, "ns"),
            ("jump relative", knee.jump, "part"),
        ];
        points.extend(figures.map(|(name, value, unit)| {
            Point::of(name, value, unit).over(knee.before_bytes, knee.after_bytes)
        }));
    }
    for segment in &sweep.segments {
        for (name, parameter) in [("latency", segment.latency_ns), ("gap", segment.gap_ns)] {
            points.extend(known(parameter).into_iter().map(|(end, ns)| {
                let point = Point::of(format!("{name}{end}"), ns, "ns");
                point.over(segment.from_bytes, segment.to_bytes)
            }));
        }
    }
    if let Some(packets) = &sweep.packets {
        let (low, high) = packets.payload_interval;
        let payload = packets.payload_bytes;
        points.extend(
            [("payload", payload), ("payload low", low), ("payload high", high)]
                .map(|(name, bytes)| Point::of(name, bytes, "bytes")),
        );
        points.push(Point::of("packet step", packets.step_ns, "ns"));
    }
    points.into_iter().map(|point| point.stage(stage)).collect()
}

fn known(parameter: Parameter) -> Vec<(&'static str, f64)> {
    match parameter {
        Parameter::Known(value, low, high) => vec![("", value), (" low", low), (" high", high)],
        Parameter::AtMost(high) => vec![(" high", high)],
        Parameter::Unknown(_) => Vec::new(),
    }
}
