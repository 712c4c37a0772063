//! What can be made again: every card with its runs, their time and what they need.

use crate::book::Book;
use crate::choice::Chosen;
use crate::recipe::{Scale, Where};
use document::{Block, Cell, Column, Document, Table};
use std::collections::BTreeSet;

/// The list as a document. `lacks` says what of a recipe's needs is missing, in words.
pub fn list(
    books: &[Book],
    chosen: &[Chosen],
    scale: Scale,
    lacks: impl Fn(&crate::Recipe) -> Option<String>,
) -> Document {
    let mut table = Table::new(
        "reproduce",
        [
            Column::text("id", "id"),
            Column::text("kind", "kind"),
            Column::text("title", "title"),
            Column::text("document", "document").data(),
            Column::text("recipes", "runs"),
            Column::seconds("time", "time"),
            Column::text("needs", "needs").wide(),
            Column::text("possible", "possible here"),
        ],
    );
    table.wordy = true;
    for (at, card) in chosen {
        let book = &books[*at];
        let card = &book.cards[*card];
        let here = book.recipes_of(card, &Where::Here);
        let there = book.recipes_of(card, &Where::On(String::new()));
        let recipes: BTreeSet<&str> = here.into_iter().chain(there).collect();
        let found = || recipes.iter().filter_map(|name| book.recipes.get(*name));
        let time: u32 = found().map(|recipe| seconds(recipe, scale)).sum();
        let mut needs: Vec<&str> =
            found().flat_map(|recipe| &recipe.needs).map(|need| need.words()).collect();
        needs.sort_unstable();
        needs.dedup();
        let missing = found().find_map(&lacks);
        let names: Vec<&str> = recipes.iter().copied().collect();
        table.push([
            Cell::new(book.whole_id(card)),
            Cell::new(card.kind.word()),
            Cell::new(card.title.as_str()),
            Cell::new(book.document.title.as_str()),
            Cell::new(names.join(" ")),
            Cell::new(f64::from(time)),
            Cell::new(needs.join("; ")),
            Cell::new(missing.map_or_else(|| "yes".to_owned(), |what| format!("no: {what}"))),
        ]);
    }
    let said = "Cards that share runs share their time. Make one: fourstamp reproduce ID; all of a \
                document: fourstamp reproduce 000.";
    Document {
        title: "What can be made again · Fourstamp".into(),
        opening: vec![Block::Table(table), Block::Note(None, said.into())],
        ..Document::default()
    }
}

/// About how long a recipe takes, here and simulated.
fn seconds(recipe: &crate::Recipe, scale: Scale) -> u32 {
    let places = [Where::Here, Where::On(String::new())];
    let settings = places.iter().filter_map(|place| recipe.setting(place));
    settings.map(|it| it.launches[scale.place()] * it.seconds[scale.place()]).sum()
}
