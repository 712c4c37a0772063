//! Messages that were taken ahead of others which had arrived before them.

use crate::outcome::{NodeQueue, Outcome};
use crate::simulation::{MessageGroup, Simulation};
use document::{Cell, Column, Row, Section, Table, count, counted, part};

/// Where the engine searches its receive queues, or the stamps tell of some.
pub(super) fn section(outcome: Option<&Outcome>, simulation: &Simulation) -> Option<Section> {
    let searched = outcome.filter(|outcome| !outcome.queues.is_empty());
    let overtook = |of: &&MessageGroup| of.overtook.is_some_and(|of| searched.is_some() || of > 0);
    let stamped = simulation.messages.iter().find(overtook);
    let sentences = [searched.map(searched_words), stamped.map(stamped_words)];
    let sentence = sentences.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let section = Section::new("overtaking", "Messages that overtook", sentence);
    match searched {
        Some(outcome) => Some(section.table(table(outcome))),
        None => stamped.map(|_| section),
    }
}

fn searched_words(outcome: &Outcome) -> String {
    let sum = |of: fn(&NodeQueue) -> u64| outcome.queues.iter().map(of).sum::<u64>();
    let (taken, overtook) = (sum(|node| node.taken), sum(|node| node.overtook));
    format!(
        "Of {} that nodes took out of their receive queues, {}{} overtook: the engine \
        found them due before what was to run, and took them while a message that had arrived \
        earlier still waited. Anti-messages and GVT do not count.",
        counted(taken, "event message"),
        count(overtook),
        share(overtook, taken),
    )
}

/// A node that looks at its links in turn takes from one what came after what lies on another.
fn stamped_words(of: &MessageGroup) -> String {
    let overtook = of.overtook.unwrap_or(0);
    format!(
        "By the stamps, {}{} of {} between nodes were taken before one that had arrived at their \
        node earlier: by such a search, or because it lay on a link that was looked at later.",
        count(overtook),
        share(overtook, of.count),
        counted(of.count, "event message"),
    )
}

fn share(overtook: u64, of: u64) -> String {
    match of {
        0 => String::new(),
        _ => format!(" ({})", part(overtook as f64 / of as f64)),
    }
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
