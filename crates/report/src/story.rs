//! The story of a message, in words and as a small timeline.

mod lanes;
mod names;
mod phrases;
mod terminal;
mod words;

pub use names::ObjectNames;
pub use terminal::story;
