//! Delays of a run that was not watched: nothing is known of any of them, so they are a table.

use document::{Block, Cell, Column, Row, Section, Table};
use stats::analysis::Episode;

use crate::palette::name;

/// Whether nothing is known of what held it.
pub(super) fn is_bare(episode: &Episode) -> bool {
    let account = &episode.account;
    !account.watched && account.parts.is_empty() && account.ran_ns.is_none()
}

/// Them all; `None` where there is none.
pub(super) fn section<'a>(episodes: impl Iterator<Item = &'a Episode>) -> Option<Section> {
    let all: Vec<&Episode> = episodes.collect();
    if all.is_empty() {
        return None;
    }
    let sentence = "What held these messages is not known. A row has the slowest message and \
        those that waited for the same at the same time.";
    let blocks = vec![Block::Table(table(&all))];
    Some(Section { blocks, ..Section::new("delays", "Delays that hold most time", sentence) })
}

fn table(all: &[&Episode]) -> Table {
    let columns = [
        Column::time("delay", "Delay"),
        Column::text("stage", "Stage"),
        Column::time("from", "From"),
        Column::text("message", "Slowest message"),
        Column::text("nodes", "Nodes").wide(),
        Column::count("messages", "Messages"),
        Column::share("share", "Part of all time"),
    ];
    let row = |episode: &&Episode| -> Row {
        let of = &episode.slowest;
        let cells: Vec<Cell> = vec![
            episode.to_ns.saturating_sub(episode.from_ns).into(),
            name(episode.stage).into(),
            episode.from_ns.into(),
            format!("{}:{}:{}", of.launch, of.src, of.seq).into(),
            format!("{} → {}", of.src, of.dst).into(),
            episode.messages.into(),
            episode.share.into(),
        ];
        cells.into()
    };
    let mut note = "Part of all time: the whole lives of the row's messages, of those of all \
        messages."
        .to_owned();
    if all.iter().any(|episode| episode.at_least) {
        note += " Too many messages were late to look at all of them: there may be more than \
            stand here.";
    }
    Table { note: Some(note), ..Table::new("delays", columns).with(all.iter().map(row)) }
}
