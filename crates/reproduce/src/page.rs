//! The page: what the documents say and what was seen, side by side.

mod card;
mod front;
mod plot;
mod tally;
mod words;

use crate::answers::Answered;
use crate::book::Book;
use document::{Document, Run};

/// What is said before the documents.
pub struct Opening {
    /// What was run, in a line: how much, when, on what.
    pub eyebrow: Vec<String>,
    /// What to know before the figures are read.
    pub remarks: Vec<String>,
    /// Where the runs are.
    pub folder: String,
}

/// All of it.
pub fn document(opening: &Opening, answered: &[Answered<'_>]) -> Document {
    Document {
        title: "The documents, made again · Fourstamp".into(),
        opening: front::opening(opening, answered),
        sections: vec![front::statements(answered)],
        runs: front::books(answered).into_iter().map(|book| of_book(book, answered)).collect(),
    }
}

fn of_book(book: &Book, answered: &[Answered<'_>]) -> Run {
    let own = || answered.iter().filter(|one| std::ptr::eq(one.book, book));
    let about = &book.document;
    Run {
        name: about.id.clone(),
        title: format!("{} · {}", about.id, about.title),
        brief: tally::brief(own()),
        parts: Vec::new(),
        opening: front::of_book(book),
        sections: own().map(card::section).collect(),
    }
}
