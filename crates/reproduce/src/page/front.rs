//! The first screen: how many statements hold, and the table of all of them.

use super::Opening;
use super::tally::{by_place, finding};
use super::words::{id, seen_alone};
use crate::answers::{Answered, Outcome};
use crate::book::Book;
use document::{Block, Cell, Column, Section, Table};

/// The first screen.
pub fn opening(opening: &Opening, answered: &[Answered<'_>]) -> Vec<Block> {
    let mut blocks = vec![Block::Eyebrow(opening.eyebrow.clone())];
    blocks.push(Block::Finding(finding(answered)));
    blocks.push(Block::Lead(
        "A statement about what was measured holds when the whole 99 % interval between launches \
         meets it, and does not hold when none of it does; else it is undecided. What is counted, \
         or simulated under a seed, is the same each time and needs no interval. A figure of which \
         the document says no more is drawn. Bounds were fixed before measuring; what does not \
         hold stays."
            .into(),
    ));
    if !opening.remarks.is_empty() {
        blocks.push(Block::Warning(opening.remarks.clone()));
    }
    blocks.push(Block::Table(summary(answered)));
    blocks.push(Block::Table(verdicts(answered)));
    let runs = format!("Runs: {0}/runs; again from them: reproduce --from {0}", opening.folder);
    blocks.push(Block::Note(None, runs));
    blocks
}

/// Every statement in a line, and where it is.
pub fn statements(answered: &[Answered<'_>]) -> Section {
    let sentence = "Each figure, table, system and claim; what the document says, what was seen, \
                    and whether it holds. The documents below have each with its figure.";
    let mut section = Section::new("claims", "All statements", sentence);
    section.page_only = true;
    section.table(claims(answered))
}

/// How many of each document's statements hold.
fn summary(answered: &[Answered<'_>]) -> Table {
    let mut table = Table::new(
        "documents",
        [
            Column::text("document", "document"),
            Column::text("title", "title").wide(),
            Column::text("where", "where"),
            Column::count("drawn", "drawn"),
            Column::count("holds", "holds"),
            Column::count("does_not_hold", "does not"),
            Column::count("undecided", "undecided"),
            Column::count("not_possible", "not possible"),
            Column::count("contradicts", "contradicts itself"),
        ],
    );
    for book in books(answered) {
        let own = answered.iter().filter(|one| std::ptr::eq(one.book, book));
        for tally in by_place(own) {
            let mut row = vec![
                Cell::new(book.document.id.as_str()),
                Cell::new(book.document.title.as_str()),
                Cell::new(if tally.is_simulated() { "its machine" } else { "here" }),
            ];
            row.extend(tally.counts().map(Cell::new));
            table.push(row);
        }
    }
    table
}

/// The documents that cards are of, in their order.
pub fn books<'a>(answered: &'a [Answered<'a>]) -> Vec<&'a Book> {
    let mut books: Vec<&Book> = Vec::new();
    for one in answered {
        if !books.iter().any(|book| std::ptr::eq(*book, one.book)) {
            books.push(one.book);
        }
    }
    books
}

/// What a document is.
pub fn of_book(book: &Book) -> Vec<Block> {
    let about = &book.document;
    vec![
        Block::Eyebrow(vec![about.author.clone(), about.date.clone()]),
        Block::Lead(about.about.clone()),
    ]
}

/// A row a card, for people.
fn claims(answered: &[Answered<'_>]) -> Table {
    let mut columns = vec![
        Column::text("id", "id"),
        Column::text("title", "what"),
        Column::text("document", "document"),
    ];
    for answered in answered.first().iter().flat_map(|one| &one.places) {
        columns.push(if answered.place.is_simulated() {
            Column::text("machine", "its machine, simulated")
        } else {
            Column::text("here", "this machine")
        });
    }
    let mut table = Table::new("claims", columns);
    table.wordy = true;
    for one in answered {
        table.push(row(one, answered));
    }
    table
}

/// The statement of a card that decides its verdict, or its first value.
fn deciding<'a>(one: &'a Answered<'_>, place: usize) -> Option<&'a Outcome> {
    let outcomes = &one.places[place].outcomes;
    let worst = one.verdict(place);
    let decides = |outcome: &&Outcome| Some(outcome.judged.verdict) == worst;
    outcomes.iter().find(decides).or_else(|| outcomes.first())
}

fn row(one: &Answered<'_>, answered: &[Answered<'_>]) -> Vec<Cell> {
    let said = one.card.checks.iter().find_map(|check| check.document.clone());
    let drawn = one.card.draw.as_ref().and_then(|draw| draw.document);
    let drawn =
        drawn.map(|[shown, of]| format!("{} of {}", document::count(shown), document::count(of)));
    let run = books(answered).iter().position(|book| std::ptr::eq(*book, one.book));
    let mut cells = vec![
        Cell::new(one.book.whole_id(one.card)).leads_to(format!(
            "r{}-{}",
            run.unwrap_or(0),
            id(one)
        )),
        Cell::new(one.card.title.as_str()),
        Cell::new(drawn.or(said)),
    ];
    for at in 0..one.places.len() {
        cells.push(deciding(one, at).map_or_else(Cell::default, seen_alone));
    }
    cells
}

/// A row a value and place, for scripts.
fn verdicts(answered: &[Answered<'_>]) -> Table {
    let mut table = Table::new(
        "verdicts",
        [
            Column::text("id", "id"),
            Column::text("says", "says"),
            Column::text("kind", "kind"),
            Column::text("document", "document"),
            Column::text("must", "must"),
            Column::text("unit", "unit"),
            Column::text("place", "place"),
            Column::new("value", "value", document::Unit::Number),
            Column::new("low", "low", document::Unit::Number),
            Column::new("high", "high", document::Unit::Number),
            Column::count("launches", "launches"),
            Column::text("verdict", "verdict"),
            Column::text("why", "why"),
            Column::text("command", "command"),
        ],
    )
    .data();
    for one in answered {
        for place in &one.places {
            for outcome in &place.outcomes {
                let judged = &outcome.judged;
                table.push([
                    Cell::new(one.book.whole_id(one.card)),
                    Cell::new(outcome.says.as_str()),
                    Cell::new(outcome.kind.word()),
                    Cell::new(outcome.document.clone()),
                    Cell::new(outcome.must.clone()),
                    Cell::new(outcome.unit.word()),
                    Cell::new(place.place.name()),
                    Cell::new(judged.value),
                    Cell::new(judged.interval.map(|(low, _)| low)),
                    Cell::new(judged.interval.map(|(_, high)| high)),
                    Cell::new(judged.launches),
                    Cell::new(judged.verdict.words()),
                    Cell::new(judged.why.as_str()),
                    Cell::new(place.commands.join("; ")),
                ]);
            }
        }
    }
    table
}
