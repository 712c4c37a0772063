//! Peaks and knees as CSV.

use std::io::Write;

use stats::analysis::{Analysis, Parameter, Peak};

use crate::csv::{number, views};

/// `group` is the peak's number and the figure; `x_from` and `x_to` are its bounds.
pub(crate) fn peaks(analysis: &Analysis, out: &mut dyn Write) -> std::io::Result<()> {
    for (stage, view) in views(analysis) {
        for (at, peak) in view.peaks.iter().enumerate() {
            let (from, to) = (number(peak.from_ns), number(peak.to_ns));
            for (figure, value, unit) in figures(peak) {
                writeln!(out, "peaks,{stage},{at} {figure},,{from},{to},{},{unit}", number(value))?;
            }
        }
    }
    Ok(())
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

/// `x_from` and `x_to` are a knee's bracket or a segment's sizes, in bytes; latency and gap are
/// LogGP's, one way, as far as they are known.
pub(crate) fn knees(analysis: &Analysis, out: &mut dyn Write) -> std::io::Result<()> {
    let Some(sweep) = &analysis.sweep else { return Ok(()) };
    let stage = if sweep.round_trip { "cycle" } else { "end-to-end" };
    for knee in &sweep.knees {
        let (from, to) = (knee.before_bytes, knee.after_bytes);
        let (jump, low, high) = knee.jump_ns;
        for (name, ns) in [("jump", jump), ("jump low", low), ("jump high", high)] {
            writeln!(out, "knees,{stage},{name},,{from},{to},{},ns", number(ns))?;
        }
        writeln!(out, "knees,{stage},jump relative,,{from},{to},{},part", number(knee.jump))?;
    }
    for segment in &sweep.segments {
        let (from, to) = (segment.from_bytes, segment.to_bytes);
        for (name, parameter) in [("latency", segment.latency_ns), ("gap", segment.gap_ns)] {
            let ends = match parameter {
                Parameter::Known(value, low, high) => {
                    vec![("", value), (" low", low), (" high", high)]
                }
                Parameter::AtMost(high) => vec![(" high", high)],
                Parameter::Unknown(_) => Vec::new(),
            };
            for (end, ns) in ends {
                writeln!(out, "knees,{stage},{name}{end},,{from},{to},{},ns", number(ns))?;
            }
        }
    }
    if let Some(packets) = &sweep.packets {
        let (low, high) = packets.payload_interval;
        for (name, bytes) in
            [("payload", packets.payload_bytes), ("payload low", low), ("payload high", high)]
        {
            writeln!(out, "knees,{stage},{name},,,,{},bytes", number(bytes))?;
        }
        writeln!(out, "knees,{stage},packet step,,,,{},ns", number(packets.step_ns))?;
    }
    Ok(())
}
