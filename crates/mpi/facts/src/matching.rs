//! How far sends and receives found each other.

use serde::{Deserialize, Serialize};

/// Below this part of matched messages a report draws no conclusions.
const MATCHED_LEAST: f64 = 0.9;
/// Nor above this part of messages that arrive before they were sent.
const VIOLATIONS_MOST: f64 = 0.01;

/// What came of matching.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Matching {
    /// Sends and receives posted.
    pub sends: u64,
    /// See `sends`.
    pub receives: u64,
    /// Messages: pairs of a send and a receive.
    pub matched: u64,
    /// Sends without a receive, and the other way round.
    pub unmatched_sends: u64,
    /// See `unmatched_sends`.
    pub unmatched_receives: u64,
    /// Part of the messages, matched or not, that were matched, 0 to 1.
    pub match_rate: Option<f64>,
    /// Messages that were there before they were sent.
    pub causality_violations: u64,
    /// Messages that matched but differ in size.
    pub sizes_differ: u64,
    /// Receives posted for any source that were still open when the program ended: nobody knows
    /// what they got.
    pub open_receives: u64,
    /// Receives after such a one, which may have got what belongs to it.
    pub uncertain: u64,
    /// Messages to and from processes outside the world, or through communicators that were never
    /// registered.
    pub outside: u64,
    /// Requests that the program cancelled.
    pub cancelled: u64,
}

impl Matching {
    /// Whether too little was matched for any conclusion.
    pub fn matched_too_little(&self) -> bool {
        self.match_rate.is_some_and(|rate| rate < MATCHED_LEAST)
    }

    /// Whether too much of what was matched cannot be.
    pub fn violates_too_often(&self) -> bool {
        self.causality_violations as f64 > self.matched as f64 * VIOLATIONS_MOST
    }

    /// Either of these.
    pub fn is_poor(&self) -> bool {
        self.matched_too_little() || self.violates_too_often()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_poor_match_allows_no_conclusion() {
        let poor = |matched: u64, unmatched: u64, causality_violations| {
            let match_rate = Some(matched as f64 / (matched + unmatched) as f64);
            Matching { matched, match_rate, causality_violations, ..Matching::default() }.is_poor()
        };
        assert!(!poor(1000, 0, 10));
        assert!(poor(1000, 0, 11));
        assert!(!poor(900, 100, 0));
        assert!(poor(900, 101, 0));
    }
}
