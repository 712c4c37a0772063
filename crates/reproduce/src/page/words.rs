//! Names, verdicts and values, as both the front table and the cards write them.

use crate::answers::{Answered, Outcome};
use crate::card::CheckUnit;
use crate::recipe::Where;
use crate::verdict::Verdict;
use document::{Cell, Colour};

/// What links lead to a card by.
pub fn id(one: &Answered<'_>) -> String {
    format!("card-{}", one.book.whole_id(one.card).replace(['/', '.'], "-"))
}

/// A place in words.
pub fn of_place(place: &Where) -> String {
    match place {
        Where::Here => "this machine".into(),
        Where::On(machine) => format!("{machine}, simulated"),
    }
}

/// A verdict in its colour.
fn verdict_cell(verdict: Verdict) -> Cell {
    let colour = match verdict {
        Verdict::Holds => Some(Colour("d")),
        Verdict::DoesNotHold | Verdict::Contradiction => Some(Colour("c")),
        Verdict::Undecided => Some(Colour("b")),
        Verdict::Shown | Verdict::Drawn | Verdict::NotPossible => None,
    };
    let cell = Cell::new(verdict.words());
    colour.into_iter().fold(cell, Cell::coloured)
}

/// A value with its interval, in words.
fn value_words(outcome: &Outcome) -> String {
    let is_truth = outcome.unit == CheckUnit::Truth;
    let show = |value: f64| match (is_truth, value) {
        (true, 1.0) => "true".to_owned(),
        (true, 0.0) => "false".to_owned(),
        (true, part) => format!("true of {} of launches", document::part(part)),
        (false, value) => outcome.unit.show(value, outcome.is_fine),
    };
    match (outcome.judged.value, outcome.judged.interval) {
        (None, _) => String::new(),
        (Some(value), Some((low, high))) if !is_truth && low != high => {
            format!("{} ({} to {})", show(value), show(low), show(high))
        }
        (Some(value), _) => show(value),
    }
}

/// The verdict with the value that it rests on and why below it; a value that is only shown alone.
pub fn seen(outcome: &Outcome) -> Cell {
    below(outcome, value_words(outcome))
}

/// The same where nothing beside it says what the value is of.
pub fn seen_alone(outcome: &Outcome) -> Cell {
    let value = value_words(outcome);
    below(outcome, if value.is_empty() { value } else { format!("{}: {value}", outcome.says) })
}

fn below(outcome: &Outcome, value: String) -> Cell {
    let judged = &outcome.judged;
    let value = Some(value).filter(|words| !words.is_empty());
    let why = Some(judged.why.clone()).filter(|why| !why.is_empty());
    match judged.verdict {
        Verdict::Shown => why.into_iter().fold(Cell::new(value), Cell::small),
        // Why it counts as drawn has the number of messages, and of how many.
        Verdict::Drawn => why.into_iter().fold(verdict_cell(Verdict::Drawn), Cell::small),
        verdict => value.into_iter().chain(why).fold(verdict_cell(verdict), Cell::small),
    }
}
