//! Table 1.1: each trial's least, largest and average time with its standard deviation, as the
//! document has it, and our quantiles beside them.
//!
//! The time is that of the whole round trip, which is what the document measures ("send and
//! receive", to the other and back).

use super::Measured;
use super::TRIAL_BYTES;
use crate::commands::shaped::link::Link;
use comfy_table::{CellAlignment, Table, presets};
use record::csv_field;
use report::ratio_text;
use stats::analysis::Summary;

const QUANTILES: [(f64, &str); 3] = [(0.5, "p50"), (0.99, "p99"), (0.999, "p99.9")];
/// An Ethernet frame with 8 bytes: they, our header, and those of TCP, IP and Ethernet.
const FRAME_BYTES: u64 = TRIAL_BYTES + 44 + 66;

/// For people.
pub fn text(trials: &[Measured], over: &str) -> String {
    let mut text = format!(
        "Round trip of {TRIAL_BYTES} bytes (2 integers) over {over}, \u{b5}s; {} round trips a \
        trial\n",
        trials.iter().filter_map(summary).map(|summary| summary.count).max().unwrap_or(0)
    );
    for boxes in ["one box", "two boxes"] {
        let of_these: Vec<&Measured> =
            trials.iter().filter(|measured| measured.boxes == boxes).collect();
        if !of_these.is_empty() {
            text.push_str(&format!("\n{boxes}\n{}\n", block(&of_these)));
        }
    }
    text
}

fn block(trials: &[&Measured]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let fixed = ["trial", "min", "max", "average", "SD"].into_iter();
    table.set_header(fixed.chain(QUANTILES.map(|(_, name)| name)));
    for measured in trials {
        let Some(s) = summary(measured) else { continue };
        let figures = [s.min_ns as f64, s.max_ns as f64, s.mean_ns, s.sd_ns].map(micros);
        let quantiles = QUANTILES.map(|(p, _)| at(s, p).map_or("-".into(), |ns| micros(ns as f64)));
        table.add_row([measured.trial.to_string()].into_iter().chain(figures).chain(quantiles));
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    trimmed(&table)
}

/// Without what a table leaves at the ends of its lines.
pub fn trimmed(table: &Table) -> String {
    table.lines().map(|line| line.trim_end().to_string()).collect::<Vec<_>>().join("\n")
}

/// For programs.
pub fn csv(trials: &[Measured], over: &str) -> String {
    let mut text =
        "trial,boxes,over,bytes,count,min_ns,max_ns,average_ns,sd_ns,p50_ns,p99_ns,p99.9_ns\n"
            .to_string();
    let over = csv_field(over);
    for measured in trials {
        let Some(s) = summary(measured) else { continue };
        let [p50, p99, p999] =
            QUANTILES.map(|(p, _)| at(s, p).map_or(String::new(), |ns| ns.to_string()));
        text.push_str(&format!(
            "{},{},{over},{TRIAL_BYTES},{},{},{},{:.1},{:.1},{p50},{p99},{p999}\n",
            measured.trial, measured.boxes, s.count, s.min_ns, s.max_ns, s.mean_ns, s.sd_ns
        ));
    }
    text
}

/// What to see in it.
pub fn sentences(trials: &[Measured], link: Option<&Link>) -> Vec<String> {
    let (Some(one), Some(two)) = (middle(trials, "one box"), middle(trials, "two boxes")) else {
        return Vec::new();
    };
    let mut sentences = vec![format!(
        "A round trip takes {} \u{b5}s in one box and {} \u{b5}s between two, {} as long (medians \
        of the trials' medians).",
        micros(one),
        micros(two),
        ratio_text(two / one)
    )];
    sentences.extend(link.map(|link| of_the_link(link, one, two)));
    sentences
}

/// How much of the difference is the link's.
fn of_the_link(link: &Link, one: f64, two: f64) -> String {
    let (latency, more) = (link.latency_ns(), two - one);
    let latency = match link.latency {
        Some(_) if more > 0.0 => format!(
            "Of the {} \u{b5}s more, the link's latency is {} \u{b5}s ({:.0} %).",
            micros(more),
            micros(latency),
            100.0 * latency / more
        ),
        Some(_) => {
            "The link's latency does not show: something else took longer in one box.".into()
        }
        None => "The link adds no latency of its own.".into(),
    };
    // A sender's shaper has the whole round trip to forget a frame.
    let refill = link.rate_ns(FRAME_BYTES) / 2.0;
    let rate = match refill < two {
        true => format!(
            "A message this small passes it at once: its frame of about {FRAME_BYTES} bytes takes \
            {} \u{b5}s of the rate, less than a round trip. Any other difference is the way \
             through the devices instead of loopback or memory.",
            micros(refill)
        ),
        false => format!(
            "Its rate holds even these back: a frame of about {FRAME_BYTES} bytes takes {} \u{b5}s \
            of it.",
            micros(refill)
        ),
    };
    format!("{latency} {rate}")
}

/// The median of the trials' medians, ns.
fn middle(trials: &[Measured], boxes: &str) -> Option<f64> {
    let of_these = trials.iter().filter(|measured| measured.boxes == boxes);
    let mut medians: Vec<i64> =
        of_these.filter_map(|measured| at(summary(measured)?, 0.5)).collect();
    medians.sort_unstable();
    let half = medians.len() / 2;
    match medians.len() % 2 {
        0 if half > 0 => Some((medians[half - 1] + medians[half]) as f64 / 2.0),
        0 => None,
        _ => Some(medians[half] as f64),
    }
}

fn summary(measured: &Measured) -> Option<&Summary> {
    measured.run.analysis.cycles.as_ref().map(|view| &view.summary)
}

/// A quantile, if there are enough round trips for it.
fn at(summary: &Summary, p: f64) -> Option<i64> {
    summary
        .quantiles
        .iter()
        .find(|quantile| (quantile.p - p).abs() < 1e-9)
        .map(|quantile| quantile.value_ns)
}

/// As people write it: two digits behind the point.
pub fn micros(ns: f64) -> String {
    format!("{:.2}", ns / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_is_the_links_is_said() {
        let slow = Link { rate_bits: 10_000, latency: None };
        assert!(of_the_link(&slow, 1e4, 1e5).contains("holds even these back"));
        let far = Link { rate_bits: 1_000_000_000, latency: Some(Duration::from_millis(1)) };
        let said = of_the_link(&far, 10_000.0, 2_510_000.0);
        assert!(said.contains("2000.00 \u{b5}s (80 %)") && said.contains("at once"), "{said}");
        assert!(of_the_link(&far, 2e6, 1e6).contains("does not show"));
    }
}
