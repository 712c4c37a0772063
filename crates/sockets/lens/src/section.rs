//! Who talks to whom.

use crate::families::Families;
use crate::framing;
use crate::names;
use crate::pairs::{Pair, Pairs};
use document::{Block, Cell, Column, Row, Section, Table, counted};
use streams::SocketsFacts;

/// The section, where there were messages.
pub fn section(facts: &SocketsFacts, families: &Families, pairs: &Pairs) -> Option<Section> {
    if pairs.told.is_empty() {
        return None;
    }
    let place = if facts.pipes.is_some() { "socket or pipe" } else { "socket" };
    let mut sentence = format!(
        "Means of each stage, from one process to another. A long receive wait is the \
        receiver's: the bytes lay in its {place} until it read them. A long send wait is the \
        sender's: its {place} had no room, or its thread no core."
    );
    if framing::ports(facts).is_some() {
        sentence.push_str(
            " Where several calls wrote a message, as a rule found it, the time between them is \
            part of its send wait.",
        );
    }
    let mut section = Section::new("sockets-pairs", "Who talks to whom", sentence);
    section = section.table(table(facts, families, pairs));
    let said = names::families_said(facts, families);
    section.blocks.extend(said.map(|said| Block::Note(None, said)));
    if pairs.untold > 0 {
        let untold = counted(pairs.untold, "message");
        let said = format!("{untold} of further pairs are not in the table.");
        section.blocks.push(Block::Note(None, said));
    }
    Some(section)
}

fn table(facts: &SocketsFacts, families: &Families, pairs: &Pairs) -> Table {
    let columns = [
        Column::text("from", "From"),
        Column::text("to", "To"),
        Column::count("messages", "Messages"),
        Column::time("send_wait", "Send wait"),
        Column::time("transit", "Transit"),
        Column::time("receive_wait", "Receive wait"),
        Column::time("longest_receive_wait", "Longest").wide(),
    ];
    let name = |key: i64| names::key(facts, families, key);
    let rows = pairs.told.iter().map(|((from, to), pair)| row([name(*from), name(*to)], pair));
    Table::new("sockets-pair-table", columns).with(rows)
}

fn row([from, to]: [String; 2], pair: &Pair) -> Row {
    let mean = |stage: usize| {
        let (sum, count) = pair.stages[stage];
        (count > 0).then(|| sum / count as i64)
    };
    let longest = (pair.stages[2].1 > 0).then_some(pair.longest[2]);
    let cells: Vec<Cell> = vec![
        from.into(),
        to.into(),
        pair.messages.into(),
        mean(0).into(),
        mean(1).into(),
        mean(2).into(),
        longest.into(),
    ];
    cells.into()
}
