//! The sums of each run that its product has, compared.

use document::{Block, Cell, Column, Row, Section, Table, Unit, counted, ratio};
use stats::compare::{Outcome, TotalDifference};

use super::ComparedTotals;
use super::words::{chance, outcome_colour, plain_part};
use crate::ratios::reason_text;

pub(super) fn section(totals: &ComparedTotals, confidence: f64) -> Option<Section> {
    let see = format!(
        "Sums over each run, one value a run: the geometric mean of the runs of each side (the \
        arithmetic one where a run has 0), with the {} interval between runs. They are no part of \
        the verdict; \u{201c}by chance\u{201d} is corrected for all of these sums.",
        plain_part(confidence)
    );
    if totals.differences.is_empty() && totals.without == 0 {
        return None;
    }
    let mut section = Section::new("totals", "Sums", see);
    if totals.without > 0 {
        let text = format!(
            "Not compared: {} without such sums, of an earlier version or of another kind.",
            counted(totals.without as u64, "run")
        );
        section.blocks.push(Block::Note(None, text));
    }
    if totals.left_out > 0 {
        let text = format!("Left out: {}.", counted(totals.left_out as u64, "smaller sum"));
        section.blocks.push(Block::Note(None, text));
    }
    if totals.differences.is_empty() {
        return Some(section);
    }
    Some(section.table(table(&totals.differences)))
}

fn table(all: &[TotalDifference]) -> Table {
    let columns = [
        Column::text("sum", "Sum"),
        Column::time("a", "A"),
        Column::time("b", "B"),
        Column::new("ratio", "B/A", Unit::Ratio).with_interval(),
        Column::new("chance", "By chance", Unit::Number),
        Column::text("outcome", "B is"),
    ];
    let row = |of: &TotalDifference| -> Row {
        let mut word = Cell::new(outcome_words(of));
        word.colour = outcome_colour(of.outcome);
        let shown = |value: f64| Cell::new(value).shown(ratio(value)).between(of.interval);
        vec![
            Cell::new(of.name.as_str()),
            of.values_ns.0.into(),
            of.values_ns.1.into(),
            of.ratio.map_or_else(Cell::default, shown),
            of.chance.map_or_else(Cell::default, |p| Cell::new(p).shown(chance(p))),
            word,
        ]
        .into()
    };
    Table::new("compared-totals", columns).with(all.iter().map(row))
}

fn outcome_words(of: &TotalDifference) -> String {
    let why = of.reason.map_or_else(String::new, |why| format!(": {}", reason_text(why)));
    let word = match of.outcome {
        Outcome::Slower => "longer",
        Outcome::Faster => "shorter",
        Outcome::NotSlower => "not longer",
        Outcome::Undecided => "undecided",
    };
    format!("{word}{why}")
}
