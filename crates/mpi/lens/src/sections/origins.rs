//! Where the delays behind blocked time began.

use super::tables::doing_words;
use crate::found::{Mpi, Origin, Origins};
use crate::words::site_name;
use document::{Block, Cell, Column, Row, Section, Table, Value, counted, part, time};

pub(super) fn section(mpi: &Mpi) -> Option<Section> {
    let (found, account) = (mpi.origins.as_ref()?, mpi.account.as_ref()?);
    if account.blocked_ns <= 0 {
        return None;
    }
    let sentence = format!(
        "A rank that others wait for may be late because it waited itself. Here each moment of the \
        {} that ranks were blocked counts once, for the rank where the chain of waits ends at that \
        moment: it was not blocked, but computed, moved data or did not run.{}",
        time(account.blocked_ns as f64),
        most(mpi, found, account.blocked_ns)
    );
    let mut section = Section::new("mpi-origins", "Where delays began", sentence);
    section = section.table(table(mpi, found, account.blocked_ns));
    for note in notes(found) {
        section.blocks.push(Block::Note(None, note));
    }
    Some(section)
}

/// The rank and place to look at first.
fn most(mpi: &Mpi, found: &Origins, blocked_ns: i64) -> String {
    let Some(first) = found.origins.first() else { return String::new() };
    let share = part(first.ns as f64 / blocked_ns as f64);
    let place = first.site.and_then(|site| mpi.sites.get(&site));
    let place = place.map_or_else(String::new, |place| format!(", which came late to {place}"));
    let (rank, ns) = (first.rank, time(first.ns as f64));
    format!(" The most, {ns} ({share}), goes back to rank {rank}{place}.")
}

fn table(mpi: &Mpi, found: &Origins, blocked_ns: i64) -> Table {
    let columns = [
        Column::text("rank", "Rank"),
        Column::text("late", "Came late to"),
        Column::time("blocked", "Blocked time that goes back to it"),
        Column::share("share", "Of all"),
        Column::time("direct", "Waited for it directly").wide(),
        Column::text("meanwhile", "What it did in that time"),
    ];
    let row = |origin: &Origin| -> Row {
        let doing = origin.doing.iter().map(|one| doing_words(mpi, one)).collect();
        vec![
            Cell::from(origin.rank),
            site_name(mpi, origin.site.unwrap_or(0)).into(),
            origin.ns.into(),
            (origin.ns as f64 / blocked_ns as f64).into(),
            origin.direct_ns.into(),
            Value::Lines(doing).into(),
        ]
        .into()
    };
    let mut table = Table::new("mpi-origin-table", columns).with(found.origins.iter().map(row));
    table.wordy = true;
    table
}

/// What is not among the rows.
fn notes(found: &Origins) -> Vec<String> {
    let ns = |ns: i64| time(ns as f64);
    let mut notes = Vec::new();
    if found.left_out.0 > 0 {
        let (places, of) = found.left_out;
        notes.push(format!("Left out: {} more, {} together.", counted(places, "place"), ns(of)));
    }
    if found.circle_ns > 0 {
        notes.push(format!(
            "{} cannot be put down to a rank: the ranks wait for each other in a circle, or their \
            clocks are not close enough to tell.",
            ns(found.circle_ns)
        ));
    }
    if found.unknown_ns > 0 {
        notes.push(format!(
            "Where {} began is not known: the chain leads to a rank without a log, or is too long.",
            ns(found.unknown_ns)
        ));
    }
    if found.short_ns > 0 {
        notes.push(format!(
            "Calls that were blocked for less than {} are too many to be followed: {} together.",
            ns(found.followed_from_ns),
            ns(found.short_ns)
        ));
    }
    notes
}
