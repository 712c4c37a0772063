//! The documents that come with Fourstamp.

use crate::book::{Book, BookError};

/// Their files, in the order of the documents.
const FILES: [(&str, &str); 5] = [
    ("000.toml", include_str!("../documents/000.toml")),
    ("001.toml", include_str!("../documents/001.toml")),
    ("002.toml", include_str!("../documents/002.toml")),
    ("003.toml", include_str!("../documents/003.toml")),
    ("004.toml", include_str!("../documents/004.toml")),
];

/// All of them.
///
/// # Errors
/// When one of the files is no document, which a test excludes.
pub fn shipped() -> Result<Vec<Book>, BookError> {
    FILES.iter().map(|(file, text)| Book::parse(file, text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;
    use crate::recipe::{Launch, Scale, Where};

    #[test]
    fn every_expression_of_every_card_is_one() {
        for book in shipped().expect("the files are documents") {
            for card in &book.cards {
                let plots = card.plot.iter().map(|plot| &plot.take);
                for text in card.checks.iter().map(|check| &check.take).chain(plots) {
                    Query::new(&book.definitions, text)
                        .unwrap_or_else(|error| panic!("{}: {error}", card.id));
                }
            }
        }
    }

    #[test]
    fn every_word_of_every_recipe_stands_for_something() {
        let launch = Launch { number: 1, folder: "f", data: None, cores: 2 };
        for book in shipped().expect("the files are documents") {
            for (name, recipe) in &book.recipes {
                let machine = book.document.machine.clone().unwrap_or_default();
                for place in [Where::Here, Where::On(machine)] {
                    if recipe.setting(&place).is_none() {
                        continue;
                    }
                    for scale in [Scale::Quick, Scale::Usual, Scale::Full] {
                        recipe.commands(name, &place, scale, &launch).expect("known words");
                    }
                }
            }
        }
    }

    #[test]
    fn a_card_has_something_to_see() {
        for book in shipped().expect("the files are documents") {
            for card in &book.cards {
                let seen = card.draw.is_some() || card.plot.is_some() || !card.checks.is_empty();
                assert!(seen, "{}/{} shows nothing", book.document.id, card.id);
            }
        }
    }
}
