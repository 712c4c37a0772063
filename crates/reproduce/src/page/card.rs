//! A card: the figure as the document has it, what must hold, and what was seen.

use super::plot;
use super::words::{id, of_place, seen};
use crate::answers::{Answered, AnsweredPlace, Outcome};
use crate::recipe::Where;
use document::{Block, Cell, Column, Section, Table};

/// The section of a card.
pub fn section(one: &Answered<'_>) -> Section {
    let card = one.card;
    let id = id(one);
    let title = format!("{} · {}", card.id, card.title);
    let sentence = format!("{} ({})", card.says, card.place);
    let mut section = Section::new(id, title, sentence);
    let mut missing = Vec::new();
    for place in &one.places {
        add_figure(&mut section, one, place, &mut missing);
    }
    section.columns = section.charts.len().clamp(1, 2);
    if let Some(table) = values(one) {
        section.blocks.push(Block::Table(table));
    }
    if !missing.is_empty() {
        section.blocks.push(Block::List(missing));
    }
    section.blocks.extend(card.notes.iter().map(|note| Block::Note(None, note.clone())));
    let commands: Vec<String> =
        one.places.iter().flat_map(|place| place.commands.iter().cloned()).collect();
    if !commands.is_empty() {
        section.blocks.push(Block::Heading("By these commands".into()));
        section.blocks.push(Block::List(commands));
    }
    section
}

/// The figure of a place, or why there is none.
fn add_figure(
    section: &mut Section,
    one: &Answered<'_>,
    place: &AnsweredPlace,
    missing: &mut Vec<String>,
) {
    let name = of_place(&place.place);
    let id = format!("{}-{}", section.id, place.place.name());
    match &place.drawn {
        None => {}
        Some(Err(why)) => missing.push(format!("No figure of {name}: {why}.")),
        Some(Ok(drawn)) => {
            let mut chart = drawn.chart.clone();
            chart.id = id.clone();
            chart.title = format!("{} · {name}", drawn.title);
            section.charts.push(chart);
            for entry in &drawn.legend {
                if !section.legend.contains(entry) {
                    section.legend.push(entry.clone());
                }
            }
        }
    }
    let Some(wanted) = &one.card.plot else { return };
    match &place.plotted {
        None => {}
        Some(Err(why)) => missing.push(format!("No figure of {name}: {why}.")),
        Some(Ok(points)) => match plot::chart(wanted, points, id, &name) {
            Ok((chart, legend)) => {
                section.charts.push(chart);
                section.legend = legend;
            }
            Err(why) => missing.push(format!("No figure of {name}: {why}.")),
        },
    }
}

/// What must hold, and what was seen in each place.
fn values(one: &Answered<'_>) -> Option<Table> {
    let mut table = Table::new(
        "values",
        [
            Column::text("says", "what"),
            Column::text("document", "document"),
            Column::text("must", "must be"),
            Column::text("place", "where"),
            Column::text("seen", "seen"),
        ],
    );
    table.wordy = true;
    for place in &one.places {
        for outcome in &place.outcomes {
            table.push(row(outcome, &place.place));
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

fn row(outcome: &Outcome, place: &Where) -> [Cell; 5] {
    [
        Cell::new(outcome.says.as_str()),
        Cell::new(outcome.document.clone()),
        Cell::new(outcome.must.clone()),
        Cell::new(of_place(place)),
        seen(outcome),
    ]
}
