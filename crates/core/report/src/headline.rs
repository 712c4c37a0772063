//! Several runs side by side: the table that a tour ends with.

use document::{Cell, Column, Row, Table, Value, time};
use serde::{Deserialize, Serialize};
use stats::analysis::{Analysis, Stage};

use crate::facts::Facts;
use crate::finding::{largest, quantile, stage_shares, typical_shares};
use crate::palette;

/// What this machine can do at best, measured beside the runs: a cache line between two cores, a
/// plain TCP program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Floor {
    /// What was measured.
    pub name: String,
    /// Its median, ns.
    pub p50_ns: i64,
    /// Its 99 % quantile, ns.
    pub p99_ns: i64,
    /// What the figure means: `round trip, polling`.
    pub note: String,
}

/// The runs side by side: one row a run, its times first, with bars that show where its time went.
pub(crate) fn table(runs: &[(&Facts, &Analysis)]) -> Table {
    let columns = [
        Column::text("run", "Run"),
        Column::time("p50", "p50"),
        Column::time("p99", "p99"),
        Column::time("p99.9", "p99.9"),
        Column::time("max", "max"),
        Column::time("cycle", "cycle"),
        Column::text("typical", "A typical message").wide(),
        Column::text("all", "All time"),
        // The bars show it; a page has no room for these words, too.
        Column::text("most_often", "Most often largest").data(),
        Column::text("most_time", "Largest part of the time").wide(),
        Column::count("messages", "Messages").wide(),
    ];
    Table::new("runs", columns).with(runs.iter().enumerate().map(row))
}

fn row((at, (facts, analysis)): (usize, &(&Facts, &Analysis))) -> Row {
    let view = analysis.stage(Stage::EndToEnd);
    let time = |p| Cell::from(view.and_then(|view| quantile(&view.summary, p)));
    let cycle = analysis.cycles.as_ref().and_then(|view| quantile(&view.summary, 0.5));
    let [of_messages, of_time] = largest(analysis);
    let bar = |shares: Vec<(Stage, f64)>| Cell::from(Value::Parts(palette::parts(&shares)));
    vec![
        Cell::new(facts.title()).leads_to_run(at),
        time(0.5),
        time(0.99),
        time(0.999),
        view.map(|view| view.summary.max_ns).into(),
        cycle.into(),
        bar(typical_shares(analysis)),
        bar(stage_shares(analysis)),
        of_messages.into(),
        of_time.into(),
        analysis.messages.into(),
    ]
    .into()
}

/// `8.90 µs, p99 12.1 µs (round trip, polling)`.
pub(crate) fn floor_times(floor: &Floor) -> String {
    let note = if floor.note.is_empty() { String::new() } else { format!(" ({})", floor.note) };
    let (p50, p99) = (time(floor.p50_ns as f64), time(floor.p99_ns as f64));
    format!("{p50}, p99\u{a0}{p99}{note}")
}
