//! What receivers did while messages lay in their sockets, in a report.

use crate::families::Families;
use crate::names;
use crate::pairs::{Pair, Pairs};
use crate::unread::{PARTS, Unread};
use document::{Block, Cell, Column, Row, Section, Table, Value, counted};
use streams::SocketsFacts;

/// The section, where it is known of any message.
pub fn section(facts: &SocketsFacts, families: &Families, pairs: &Pairs) -> Option<Section> {
    let is_known = |pair: &&Pair| pair.unread.known > 0;
    pairs.told.values().find(is_known)?;
    let sentence = "What the receiver did from when a message had arrived until it had read it. \
        Elsewhere: the thread that read it had not begun to wait for it; it did other work, served \
        others, or slept until another thread told it. Waking: it was in poll, select or epoll, or \
        in the read itself, until the kernel let it go on. Reading: from the end of that wait \
        until it had read the message; what it served first is in it.";
    let mut section = Section::new("sockets-unread", "While messages lay unread", sentence);
    let name = |key: i64| names::key(facts, families, key);
    let told = pairs.told.iter().filter(|(_, pair)| is_known(pair));
    let rows = told.map(|((from, to), pair)| row([name(*from), name(*to)], pair));
    section = section.table(Table::new("sockets-unread-table", columns()).with(rows));
    let unknown: u64 = pairs.told.values().map(|pair| pair.unread.unknown).sum();
    if unknown > 0 {
        let said = format!("Of {} it is not known.", counted(unknown, "message"));
        section.blocks.push(Block::Note(None, said));
    }
    Some(section)
}

fn columns() -> [Column; 8] {
    [
        Column::text("from", "From"),
        Column::text("to", "To"),
        Column::count("messages", "Messages"),
        Column::time("receive_wait", "Unread"),
        Column::time("elsewhere", "Elsewhere"),
        Column::time("waking", "Waking"),
        Column::time("reading", "Reading"),
        Column::text("parts", "Parts"),
    ]
}

fn row([from, to]: [String; 2], pair: &Pair) -> Row {
    let Unread { known, parts, .. } = pair.unread;
    let whole: i64 = parts.iter().sum();
    let share = |ns: i64| ns as f64 / whole as f64;
    let bar = PARTS.iter().zip(parts).map(|((name, colour), ns)| (*name, *colour, share(ns)));
    let bar = if whole > 0 { Cell::from(Value::Parts(bar.collect())) } else { Cell::default() };
    let mut cells: Vec<Cell> = vec![from.into(), to.into(), known.into()];
    cells.push(pair.unread.mean(whole).into());
    cells.extend(parts.map(|ns| Cell::from(pair.unread.mean(ns))));
    cells.push(bar);
    cells.into()
}
