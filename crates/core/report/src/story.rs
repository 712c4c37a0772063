//! The story of a message, in words and as a small timeline.

mod drawing;
mod held;
mod leading;
mod links;
mod names;
mod phrases;
mod tables;
mod words;

#[cfg(test)]
mod tests;

pub use drawing::stories;
pub(crate) use drawing::{fold, place, section};
pub(crate) use held::{account_words, begin, how_many};
pub use leading::leading_to;
pub(crate) use leading::settle;
pub use names::ObjectNames;
pub(crate) use phrases::capital;

/// A story, and what is needed to put it into words.
#[derive(Clone, Debug)]
pub struct Told {
    /// The story.
    pub story: stats::story::Story,
    /// Launch of its message.
    pub launch: u32,
    /// What a node is called.
    pub noun: &'static str,
    /// What its product says of it, before all else.
    pub product: crate::ProductStory,
    /// What objects are called.
    pub names: ObjectNames,
    /// How it compares with the memo of 1988, where it is the message that replays it.
    pub memo: Option<stats::story::Memo>,
}
