//! Times by message size: the sweep, as a table, as CSV, and in a sentence.

use super::table::{micros, trimmed};
use super::{INTEGER_BYTES, Measured};
use crate::commands::shaped::link::Link;
use comfy_table::{CellAlignment, Table, presets};
use stats::analysis::SizePoint;

/// A median that rises by less than this over that of the next smaller size is no jump.
const JUMP_MIN: f64 = 0.08;
/// Jumps that are listed.
const JUMPS: usize = 3;

/// For people: powers of four and the largest, and the steepest jumps; `sizes.csv` has them all.
pub fn text(sweeps: &[Measured]) -> String {
    let Some(first) = sweeps.first() else { return String::new() };
    let largest = first.run.analysis.sizes.last().map_or(0, |point| point.bytes);
    let shown = |bytes: u64| {
        bytes == largest || (bytes.is_power_of_two() && bytes.trailing_zeros().is_multiple_of(2))
    };
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let columns = |measured: &Measured| [format!("{} p50", measured.boxes), "p99".into()];
    table.set_header(
        ["bytes".to_string(), "integers".into()].into_iter().chain(sweeps.iter().flat_map(columns)),
    );
    for point in first.run.analysis.sizes.iter().filter(|point| shown(point.bytes)) {
        let figures = sweeps.iter().flat_map(|measured| {
            let same = measured.run.analysis.sizes.iter().find(|other| other.bytes == point.bytes);
            same.map_or(["-".into(), "-".into()], |same| {
                [same.p50_ns, same.p99_ns].map(|ns| micros(ns as f64))
            })
        });
        let integers = match point.bytes % INTEGER_BYTES {
            0 => (point.bytes / INTEGER_BYTES).to_string(),
            _ => String::new(),
        };
        table.add_row([point.bytes.to_string(), integers].into_iter().chain(figures));
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut text = format!("Round trip by message size, \u{b5}s\n{}\n\n", trimmed(&table));
    for measured in sweeps {
        text.push_str(&jumps_text(measured.boxes, &measured.run.analysis.sizes));
    }
    text
}

fn jumps_text(boxes: &str, sizes: &[SizePoint]) -> String {
    let jumps = steepest(sizes);
    if jumps.is_empty() {
        return format!(
            "{boxes}: no size takes {:.0} % longer than the next smaller one\n",
            JUMP_MIN * 100.0
        );
    }
    let mut text = format!("{boxes}, steepest jumps of the median:\n");
    for (below, above) in jumps {
        text.push_str(&format!(
            "  between {} and {} bytes from {} to {} \u{b5}s (+{:.0} %)\n",
            below.bytes,
            above.bytes,
            micros(below.p50_ns as f64),
            micros(above.p50_ns as f64),
            above.jump * 100.0
        ));
    }
    text
}

/// The sizes on both sides of the steepest jumps, the steepest first.
fn steepest(sizes: &[SizePoint]) -> Vec<(SizePoint, SizePoint)> {
    let pairs = sizes.windows(2).map(|pair| (pair[0], pair[1]));
    let mut jumps: Vec<_> = pairs.filter(|(_, above)| above.jump >= JUMP_MIN).collect();
    jumps.sort_by(|a, b| b.1.jump.total_cmp(&a.1.jump));
    jumps.truncate(JUMPS);
    jumps
}

/// For programs: every size.
pub fn csv(sweeps: &[Measured]) -> String {
    let mut text = "boxes,bytes,count,min_ns,p50_ns,p99_ns,jump\n".to_string();
    for measured in sweeps {
        for point in &measured.run.analysis.sizes {
            text.push_str(&format!(
                "{},{},{},{},{},{},{:.4}\n",
                measured.boxes,
                point.bytes,
                point.count,
                point.min_ns,
                point.p50_ns,
                point.p99_ns,
                point.jump
            ));
        }
    }
    text
}

/// How much of what size costs between two boxes is the link's rate.
pub fn sentences(sweeps: &[Measured], link: Option<&Link>) -> Vec<String> {
    let two = sweeps.iter().find(|measured| measured.boxes == "two boxes");
    let (Some(link), Some(two)) = (link, two) else { return Vec::new() };
    of_the_rate(link, &two.run.analysis.sizes).into_iter().collect()
}

/// The fastest round trips are compared: what else the machine does is in all others.
fn of_the_rate(link: &Link, sizes: &[SizePoint]) -> Option<String> {
    let (small, large) = (sizes.first()?, sizes.last()?);
    let grown = (large.min_ns - small.min_ns) as f64;
    if grown <= 0.0 {
        return None;
    }
    let rate = link.rate_ns(large.bytes - small.bytes);
    Some(format!(
        "Between two boxes the fastest round trip grows by {} \u{b5}s from {} to {} bytes; the \
        link's rate ({}) alone takes {} \u{b5}s for these, {:.0} % of it.",
        micros(grown),
        small.bytes,
        large.bytes,
        link.text(),
        micros(rate),
        100.0 * rate / grown
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(bytes: u64, ns: i64, jump: f64) -> SizePoint {
        SizePoint { bytes, count: 10, p50_ns: ns, p99_ns: ns, min_ns: ns, jump }
    }

    #[test]
    fn the_steepest_jumps_come_first() {
        let sizes = [
            point(1, 100, 0.0),
            point(2, 150, 0.5),
            point(3, 151, 0.01),
            point(4, 302, 1.0),
            point(5, 400, 0.32),
        ];
        let jumps: Vec<(u64, u64)> =
            steepest(&sizes).iter().map(|(a, b)| (a.bytes, b.bytes)).collect();
        assert_eq!(jumps, [(3, 4), (1, 2), (4, 5)]);
        assert!(jumps_text("one box", &sizes[2..3]).contains("no size"), "one point has no jump");
    }

    #[test]
    fn the_rates_part_is_a_part_of_what_was_measured() {
        // 12,500 bytes each way at 100 Mbit/s: 2 ms of the 2.5.
        let link = Link { rate_bits: 100_000_000, latency: None };
        let said = of_the_rate(&link, &[point(0, 50_000, 0.0), point(12_500, 2_550_000, 0.0)]);
        assert!(said.as_ref().is_some_and(|said| said.contains("80 % of it")), "{said:?}");
        assert_eq!(of_the_rate(&link, &[point(0, 5, 0.0), point(1, 4, 0.0)]), None);
    }
}
