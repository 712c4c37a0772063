//! Whether a message behaved as the one that the memo of 1988 tells of.

use super::fact::{Fact, Story};
use crate::analysis::Stage;

/// The memo's message waited for over 99 % of its life in the receive queue; a run on a busy
/// machine may delay it elsewhere, too.
const WAITED: f64 = 0.9;

/// What the memo tells of its message, measured on another one.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Memo {
    /// Part of its life that it spent in the receive queue, 0 to 1; the memo's: over 0.99.
    pub waited: f64,
    /// Messages before it in the queue when it arrived; the memo's: none.
    pub before: u64,
    /// Messages of its receiver to itself that were cancelled while it waited.
    pub cancelled: u64,
    /// So many could have been; the memo's: all 64.
    pub of: u64,
}

impl Memo {
    /// Of a story of a message to an object that has sent `of` messages to itself.
    pub fn of(story: &Story, of: u64) -> Memo {
        let chapter = story.chapters.iter().find(|chapter| chapter.stage == Stage::ReceiveWait);
        let facts = || chapter.into_iter().flat_map(|chapter| &chapter.facts);
        let before = facts().find_map(|fact| match fact {
            Fact::Queue { before, mates, .. } => Some(before + mates),
            _ => None,
        });
        let cancelled = facts().find_map(|fact| match fact {
            Fact::ForThatObject { cancelled, .. } => Some(*cancelled),
            _ => None,
        });
        Memo {
            waited: chapter.map_or(0.0, |chapter| chapter.share),
            before: before.unwrap_or(0),
            cancelled: cancelled.unwrap_or(0),
            of,
        }
    }

    /// Whether it is the memo's story: it waited behind nothing but the cancelling of most of these
    /// messages.
    pub fn is_the_same(&self) -> bool {
        self.waited >= WAITED && self.before == 0 && 2 * self.cancelled > self.of
    }
}
