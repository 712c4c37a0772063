//! Cells of a product's tables that lead to the story of a message, where the page tells it.

use document::{Block, Cell, Section, Table};

use super::Told;
use super::drawing::{anchor, place};
use super::words::id_of;

/// The cell, leading to the story of this message (launch, source, number) if that is told.
pub fn leading_to(cell: Cell, (launch, src, seq): (u32, u32, u64)) -> Cell {
    cell.leads_to(anchor(&id_of(launch, src, seq)))
}

/// The section with such cells leading to where the stories are, and nowhere without one.
pub(crate) fn settle(mut section: Section, told: &[Told]) -> Section {
    let names: Vec<String> =
        told.iter().map(|one| super::words::id(one.launch, &one.story.message)).collect();
    for block in &mut section.blocks {
        if let Block::Table(table) = block {
            settle_table(table, told, &names);
        }
    }
    section
}

fn settle_table(table: &mut Table, told: &[Told], names: &[String]) {
    for cell in table.rows.iter_mut().flat_map(|row| &mut row.cells) {
        let Some(to) = cell.leads_to.take() else { continue };
        cell.leads_to = match names.iter().find(|name| anchor(name) == to) {
            Some(name) => place(told, name),
            None if to.starts_with(&anchor("")) => None,
            None => Some(to),
        };
    }
}
