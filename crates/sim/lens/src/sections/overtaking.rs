//! Messages that were taken ahead of others which had arrived before them.

use crate::outcome::{NodeQueue, Outcome};
use document::{Cell, Column, Row, Section, Table, count, counted, part};

/// Where the engine searches its receive queues.
pub(super) fn section(outcome: &Outcome) -> Option<Section> {
    if outcome.queues.is_empty() {
        return None;
    }
    let sum = |of: fn(&NodeQueue) -> u64| outcome.queues.iter().map(of).sum::<u64>();
    let (taken, overtook) = (sum(|node| node.taken), sum(|node| node.overtook));
    let share = match taken {
        0 => String::new(),
        _ => format!(" ({})", part(overtook as f64 / taken as f64)),
    };
    let sentence = format!(
        "Of {} that nodes took out of their receive queues, {}{share} overtook: the engine \
        found them due before what was to run, and took them while a message that had arrived \
        earlier still waited. Anti-messages and GVT do not count.",
        counted(taken, "event message"),
        count(overtook),
    );
    Some(Section::new("overtaking", "Messages that overtook", sentence).table(table(outcome)))
}

/// A row a node.
fn table(outcome: &Outcome) -> Table {
    let columns = [
        Column::text("node", "Node"),
        Column::count("taken", "Taken out of the queue"),
        Column::count("overtook", "Overtook"),
        Column::share("share", "Of these"),
    ];
    let row = |node: &NodeQueue| -> Row {
        let share = (node.taken > 0).then(|| node.overtook as f64 / node.taken as f64);
        vec![Cell::from(node.node), node.taken.into(), node.overtook.into(), share.into()].into()
    };
    Table::new("overtaking", columns)
        .with(outcome.queues.iter().map(row))
        .folded_above(8, |nodes| format!("Table of all {nodes} nodes"))
}
