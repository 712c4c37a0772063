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
            Column::text("kind", "kind").wide(),
            Column::text("title", "title"),
            Column::text("document", "document").data(),
            Column::text("recipes", "runs").wide(),
            Column::seconds("time", "time"),
            Column::text("needs", "needs").wide(),
            Column::text("possible", "possible here"),
        ],
    )
    .whole();
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
        let missing: Vec<String> = found().filter_map(&lacks).collect();
        let names: Vec<&str> = recipes.iter().copied().collect();
        table.push([
            Cell::new(book.whole_id(card)),
            Cell::new(card.kind.word()),
            Cell::new(card.title.as_str()),
            Cell::new(book.document.title.as_str()),
            Cell::new(names.join(" ")),
            Cell::new(f64::from(time)).shown(about(time)),
            Cell::new(needs.join("; ")),
            Cell::new(possible(&missing, recipes.len())),
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

/// Whether so many recipes can be made here, of which these lack something.
fn possible(missing: &[String], recipes: usize) -> String {
    match missing.first() {
        None => "yes".into(),
        Some(what) if missing.len() == recipes => format!("no: {what}"),
        Some(what) => format!("in part: {what}"),
    }
}

/// A time that is known to a second or so.
fn about(seconds: u32) -> String {
    match seconds {
        0 => "none".into(),
        1..120 => format!("{seconds} s"),
        _ => format!("{} min", seconds.div_ceil(60)),
    }
}

/// About how long a recipe takes, here and simulated.
fn seconds(recipe: &crate::Recipe, scale: Scale) -> u32 {
    let places = [Where::Here, Where::On(String::new())];
    let settings = places.iter().filter_map(|place| recipe.setting(place));
    settings.map(|it| it.launches[scale.place()] * it.seconds[scale.place()]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_some_recipes_lack_makes_a_card_possible_in_part() {
        let lack = |count| vec!["needs root".to_owned(); count];
        assert_eq!(possible(&lack(0), 2), "yes");
        assert_eq!(possible(&lack(1), 2), "in part: needs root");
        assert_eq!(possible(&lack(2), 2), "no: needs root");
    }

    #[test]
    fn a_time_is_told_as_well_as_it_is_known() {
        assert_eq!([0, 119, 121].map(about), ["none", "119 s", "3 min"]);
    }
}
