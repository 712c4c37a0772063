//! Figures and claims of documents, made again.
//!
//! ```text
//!  documents/*.toml ──► Book: recipes, views, cards
//!                         │ Recipe::commands      who runs them brings
//!                         ▼                       an Evidence
//!                       run folders, JSON ──► Query (jq) ──► Judged ──► a page
//! ```
//!
//! A recipe makes runs and is shared, a view says what is read of them, a card is a figure, table,
//! system or claim with what must hold. All three are data: a document is one file, and no figure
//! has code of its own. Nothing here runs a program, opens a file or reads a clock.

#![forbid(unsafe_code)]

mod answers;
mod book;
mod card;
mod choice;
mod list;
mod page;
mod query;
mod recipe;
mod shipped;
mod verdict;

pub use answers::{Answered, AnsweredPlace, Evidence, Outcome, answer};
pub use book::{About, Book, BookError, View};
pub use card::{Card, CardKind, Check, CheckKind, CheckUnit, Draw, Given, Holds, Places, Plot};
pub use choice::{Chosen, Unknown, choose};
pub use list::list;
pub use page::{Opening, document};
pub use query::{Answer, Json, PRELUDE, Query, QueryError};
pub use recipe::{Launch, Need, NoWord, Recipe, Scale, Setting, Where, Word};
pub use shipped::shipped;
pub use verdict::{Basis, Judged, Verdict};
