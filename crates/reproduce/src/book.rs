//! A document as data: how its runs are made, what is read of them, and every figure and claim.
//!
//! One file a document, in `documents`. Whoever adds a figure writes a card there, and no code.

use crate::card::Card;
use crate::recipe::{Recipe, Where};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A document.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Book {
    /// Definitions in jq that the expressions of its cards share.
    #[serde(default)]
    pub definitions: String,
    /// What it is.
    pub document: About,
    /// How runs are made, by name.
    pub recipes: BTreeMap<String, Recipe>,
    /// What is read of them, by the name that cards use.
    #[serde(default)]
    pub views: BTreeMap<String, View>,
    /// Its figures, tables, systems and claims, in its order.
    pub cards: Vec<Card>,
}

/// What a document is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The number by which it is called: `000`.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Who wrote it.
    pub author: String,
    /// When.
    pub date: String,
    /// The machine that comes with Fourstamp and stands for the document's.
    pub machine: Option<String>,
    /// What it measured, and what differs here.
    pub about: String,
}

/// JSON that values are taken from: of each launch of a recipe, what its last step printed; with
/// `report`, what `fourstamp report RUN --json` says of its run with these options instead, and
/// with `explain` what `fourstamp explain RUN --json` does.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Of which recipe.
    pub recipe: String,
    /// Of which recipe on the document's machine, where that is another.
    pub simulated: Option<String>,
    /// Options of `fourstamp report`, as one types them.
    pub report: Option<String>,
    /// Options of `fourstamp explain`, in the place of `report`.
    pub explain: Option<String>,
}

/// Why a document's file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// It is no such file.
    #[error("{file}: {why}")]
    Syntax {
        /// Which file.
        file: String,
        /// What is wrong, and where.
        why: String,
    },
    /// A card or a view names what is not there.
    #[error("{file}: {who} names {what}, which is not there")]
    Missing {
        /// Which file.
        file: String,
        /// Who names it.
        who: String,
        /// What is missing.
        what: String,
    },
    /// Two cards have one name.
    #[error("{file}: there are two cards {id}")]
    Twice {
        /// Which file.
        file: String,
        /// The name.
        id: String,
    },
}

impl View {
    /// The recipe whose launches it reads in a place.
    pub fn recipe_in(&self, place: &Where) -> &str {
        let simulated = self.simulated.as_ref().filter(|_| place.is_simulated());
        simulated.unwrap_or(&self.recipe)
    }
}

impl Book {
    /// The document in this text.
    ///
    /// # Errors
    /// When it is none, or names what is not there; `file` says where.
    pub fn parse(file: &str, text: &str) -> Result<Book, BookError> {
        let syntax = |error: toml::de::Error| BookError::Syntax {
            file: file.to_owned(),
            why: error.to_string(),
        };
        let mut book: Book = toml::from_str(text).map_err(syntax)?;
        book.check(file)?;
        book.complete();
        Ok(book)
    }

    /// The card of this name within the document.
    pub fn card(&self, id: &str) -> Option<&Card> {
        self.cards.iter().find(|card| card.id == id)
    }

    /// The name of a card among all documents.
    pub fn whole_id(&self, card: &Card) -> String {
        format!("{}/{}", self.document.id, card.id)
    }

    /// The recipes that a card needs in a place, each once, in the order of their names.
    pub fn recipes_of(&self, card: &Card, place: &Where) -> Vec<&str> {
        let viewed = card.views().filter_map(|view| self.views.get(view));
        let mut recipes: Vec<&str> = viewed.map(|view| view.recipe_in(place)).collect();
        recipes.sort_unstable();
        recipes.dedup();
        recipes
    }

    /// Recipes that are like others have what they lack from them.
    fn complete(&mut self) {
        let given = self.recipes.clone();
        for recipe in self.recipes.values_mut() {
            if let Some(other) = recipe.like.as_ref().and_then(|name| given.get(name)) {
                *recipe = recipe.clone().completed(other);
            }
        }
    }

    fn check(&self, file: &str) -> Result<(), BookError> {
        let missing = |who: String, what: &str| BookError::Missing {
            file: file.to_owned(),
            who,
            what: what.to_owned(),
        };
        for (name, recipe) in &self.recipes {
            let like = recipe.like.as_ref().filter(|other| !self.recipes.contains_key(*other));
            if let Some(other) = like {
                return Err(missing(format!("recipe {name}"), &format!("recipe {other}")));
            }
        }
        for (name, view) in &self.views {
            let named = view.simulated.iter().chain([&view.recipe]);
            if let Some(recipe) = named.into_iter().find(|name| !self.recipes.contains_key(*name)) {
                return Err(missing(format!("view {name}"), &format!("recipe {recipe}")));
            }
        }
        for (at, card) in self.cards.iter().enumerate() {
            let unknown = card.views().find(|view| !self.views.contains_key(*view));
            if let Some(view) = unknown {
                return Err(missing(format!("card {}", card.id), &format!("view {view}")));
            }
            if self.cards[..at].iter().any(|other| other.id == card.id) {
                return Err(BookError::Twice { file: file.to_owned(), id: card.id.clone() });
            }
        }
        Ok(())
    }
}
