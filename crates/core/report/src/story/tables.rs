//! Stories as tables for scripts: the sentences have the same for people.

use document::{Cell, Column, Row, Table, Unit};
use stats::analysis::Stage;

use super::Told;
use super::words::{Words, first, id};
use crate::palette::key as stage_key;

/// All of them.
pub(super) fn all(told: &[Told]) -> [Table; 3] {
    [messages(told), chapters(told), facts(told)].map(Table::data)
}

fn words(told: &Told) -> Words<'_> {
    Words::of(told)
}

/// As `--message` takes it.
fn name(told: &Told) -> Cell {
    id(told.launch, &told.story.message).into()
}

/// A row a message, the slowest first.
fn messages(all: &[Told]) -> Table {
    let mut columns = vec![Column::text("message", ""), Column::text("kind", "")];
    columns.extend(["launch", "src", "dst", "seq"].map(|key| Column::text(key, "")));
    columns.extend([Column::new("bytes", "", Unit::Bytes), Column::time("ready", "")]);
    let stages = [
        (Stage::EndToEnd, "end_to_end"),
        (Stage::SendWait, "send_wait"),
        (Stage::Transit, "transit"),
        (Stage::ReceiveWait, "receive_wait"),
    ];
    columns.extend(stages.map(|(_, key)| Column::time(key, "")));
    columns.extend([Column::time("usual", ""), Column::text("says", "")]);
    let row = |told: &Told| -> Row {
        let (message, usual) = (&told.story.message, &told.story.usual);
        let mut cells = vec![
            name(told),
            message.kind.name().into(),
            told.launch.into(),
            message.src.into(),
            message.dst.into(),
            message.seq.into(),
            message.bytes.into(),
            message.ready_ns.into(),
        ];
        let length = |stage| message.stage(stage).map(|(from, to)| to - from);
        cells.extend(stages.map(|(stage, _)| Cell::from(length(stage))));
        cells.push(usual.as_ref().map(|usual| usual.median_ns).into());
        let says = first(told).into_iter().chain([words(told).headline()]);
        cells.push(says.collect::<Vec<_>>().join(" ").into());
        cells.into()
    };
    Table::new("messages", columns).with(all.iter().map(row))
}

/// A row a stage of a message's life.
fn chapters(all: &[Told]) -> Table {
    let columns = [
        Column::text("message", ""),
        Column::text("stage", ""),
        Column::time("from", ""),
        Column::time("to", ""),
        Column::share("share", ""),
    ];
    let mut table = Table::new("chapters", columns);
    for told in all {
        for chapter in &told.story.chapters {
            let stage = stage_key(chapter.stage).into();
            let (from, to) = (chapter.from_ns.into(), chapter.to_ns.into());
            table.push([name(told), stage, from, to, chapter.share.into()]);
        }
    }
    table
}

/// A row a sentence.
fn facts(all: &[Told]) -> Table {
    let columns = ["message", "stage", "says"].map(|key| Column::text(key, ""));
    let mut table = Table::new("facts", columns);
    for told in all {
        for said in &told.product.sentences {
            table.push([name(told), "".into(), said.as_str().into()]);
        }
        for chapter in &told.story.chapters {
            for said in words(told).sentences(chapter) {
                table.push([name(told), stage_key(chapter.stage).into(), said.into()]);
            }
        }
    }
    table
}
