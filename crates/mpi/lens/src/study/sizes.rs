//! Times by message size: the sweep, its jumps, and the link's part.

use document::{Block, Cell, Column, Row, Table, Unit};
use shaped::link::Link;
use stats::analysis::SizePoint;

use super::packets::{Joined, joined};
use super::{BoxStudy, INTEGER_BYTES, ONE_BOX, Sweep, TWO_BOXES, micros};

/// A median that rises by less than this over that of the next smaller size is no jump.
const JUMP_MIN: f64 = 0.08;
/// Jumps that are listed.
const JUMPS: usize = 3;

/// For people powers of four and the largest, and the steepest jumps; for scripts every size.
pub(super) fn blocks(study: &BoxStudy) -> Vec<Block> {
    let joined = joined(&study.sweeps);
    let Some(first) = joined.first() else { return Vec::new() };
    let jumps = joined.iter().flat_map(|of| jumps(of.boxes, &of.sizes));
    vec![
        Block::Heading("Round trip by message size".to_owned()),
        Block::Table(medians(&first.sizes, &joined)),
        Block::List(jumps.collect()),
        Block::Table(all(&study.sweeps)),
    ]
}

/// What to see where there were no trials of two integers.
pub(super) fn finding(study: &BoxStudy) -> Option<String> {
    let joined = joined(&study.sweeps);
    let each: Vec<String> = joined.iter().filter_map(grown).collect();
    (!each.is_empty())
        .then(|| format!("A round trip over {} takes {}.", study.over, each.join("; ")))
}

fn grown(of: &Joined) -> Option<String> {
    let (small, large) = (of.sizes.first()?, of.sizes.last()?);
    Some(format!(
        "{} \u{b5}s with {} bytes and {} \u{b5}s with {} in {}",
        micros(small.p50_ns as f64),
        small.bytes,
        micros(large.p50_ns as f64),
        large.bytes,
        of.boxes
    ))
}

/// A row a size, the boxes side by side.
fn medians(sizes: &[SizePoint], sweeps: &[Joined]) -> Table {
    let largest = sizes.last().map_or(0, |point| point.bytes);
    let shown = |bytes: u64| {
        bytes == largest || (bytes.is_power_of_two() && bytes.trailing_zeros().is_multiple_of(2))
    };
    let mut columns = vec![Column::count("bytes", "Bytes"), Column::count("integers", "Integers")];
    for sweep in sweeps {
        let (name, keys) = match sweep.boxes {
            ONE_BOX => ("1 box", ["one_p50", "one_p99"]),
            _ => ("2 boxes", ["two_p50", "two_p99"]),
        };
        let heads = ["p50", "p99"].map(|quantile| format!("{name} {quantile}"));
        columns.extend(keys.into_iter().zip(heads).map(|(key, head)| Column::time(key, head)));
    }
    let row = |point: &SizePoint| -> Row {
        let integers = point.bytes / INTEGER_BYTES;
        let is_whole = point.bytes.is_multiple_of(INTEGER_BYTES);
        let figures = sweeps.iter().flat_map(|sweep| {
            let same = sweep.sizes.iter().find(|other| other.bytes == point.bytes);
            [same.map(|same| same.p50_ns), same.map(|same| same.p99_ns)].map(Cell::from)
        });
        let head = [Cell::from(point.bytes), is_whole.then_some(integers).into()];
        head.into_iter().chain(figures).collect::<Vec<Cell>>().into()
    };
    let mut table = Table::new("medians", columns);
    table.rows = sizes.iter().filter(|point| shown(point.bytes)).map(row).collect();
    table
}

/// A row a size and where it was measured.
fn all(sweeps: &[Sweep]) -> Table {
    let columns = [
        Column::text("boxes", ""),
        Column::new("bytes", "", Unit::Bytes),
        Column::count("count", ""),
        Column::time("min", ""),
        Column::time("p50", ""),
        Column::time("p99", ""),
        Column::new("jump", "", Unit::Change),
        Column::count("trial", ""),
    ];
    let mut table = Table::new("sizes", columns).data();
    for sweep in sweeps {
        let row = |point: &SizePoint| {
            let [min, p50, p99] = [point.min_ns, point.p50_ns, point.p99_ns].map(Cell::from);
            let (bytes, count) = (point.bytes.into(), point.count.into());
            let (jump, trial) = (point.jump.into(), sweep.trial.into());
            Row::from([sweep.boxes.into(), bytes, count, min, p50, p99, jump, trial])
        };
        table.rows.extend(sweep.sizes.iter().map(row));
    }
    table
}

/// A line a jump.
pub(super) fn jumps(boxes: &str, sizes: &[SizePoint]) -> Vec<String> {
    let jumps = steepest(sizes);
    if jumps.is_empty() {
        let least = JUMP_MIN * 100.0;
        return vec![format!(
            "{boxes}: no size takes {least:.0} % longer than the next smaller one"
        )];
    }
    let line = |(below, above): (SizePoint, SizePoint)| {
        format!(
            "{boxes}, a jump of the median: between {} and {} bytes from {} to {} \u{b5}s \
            (+{:.0} %)",
            below.bytes,
            above.bytes,
            micros(below.p50_ns as f64),
            micros(above.p50_ns as f64),
            above.jump * 100.0
        )
    };
    jumps.into_iter().map(line).collect()
}

/// The sizes on both sides of the steepest jumps, the steepest first.
pub(super) fn steepest(sizes: &[SizePoint]) -> Vec<(SizePoint, SizePoint)> {
    let pairs = sizes.windows(2).map(|pair| (pair[0], pair[1]));
    let mut jumps: Vec<_> = pairs.filter(|(_, above)| above.jump >= JUMP_MIN).collect();
    jumps.sort_by(|a, b| b.1.jump.total_cmp(&a.1.jump));
    jumps.truncate(JUMPS);
    jumps
}

/// How much of what size costs between two boxes is the link's rate.
pub(super) fn of_the_link(study: &BoxStudy) -> Option<String> {
    let joined = joined(&study.sweeps);
    let two = joined.iter().find(|of| of.boxes == TWO_BOXES)?;
    of_the_rate(study.link?, &two.sizes)
}

/// The fastest round trips are compared: what else the machine does is in all others.
pub(super) fn of_the_rate(link: &Link, sizes: &[SizePoint]) -> Option<String> {
    let (small, large) = (sizes.first()?, sizes.last()?);
    let grown = (large.min_ns - small.min_ns) as f64;
    if grown <= 0.0 {
        return None;
    }
    let rate = link.rate_ns(large.bytes - small.bytes);
    let seen = if rate > 1.05 * grown {
        "so they were not held to it: a link may let a burst pass".to_owned()
    } else {
        format!("{:.0} % of it", 100.0 * rate / grown)
    };
    Some(format!(
        "Between two boxes the fastest round trip grows by {} \u{b5}s from {} to {} bytes; the \
        link's rate ({}) alone takes {} \u{b5}s for these, {seen}.",
        micros(grown),
        small.bytes,
        large.bytes,
        link.text(),
        micros(rate),
    ))
}
