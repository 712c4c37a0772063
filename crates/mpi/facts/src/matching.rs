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
    /// Messages that matched but differ in size: of the doubtful pairs, and in runs that were
    /// closed before there were those, of all.
    pub sizes_differ: u64,
    /// Messages that did not fit into what they were received into.
    #[serde(skip_serializing_if = "is_none")]
    pub truncated: u64,
    /// Pairs of ranks whose sends and receives, or some of them, cannot belong together as they
    /// were matched. Those count as unmatched. The first pairs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub doubtful_pairs: Vec<DoubtfulPair>,
    /// Such messages of all pairs.
    #[serde(skip_serializing_if = "is_none")]
    pub doubtful_messages: u64,
    /// Receives of which nobody knows what they got.
    #[serde(flatten)]
    pub from_any: FromAny,
    /// Those that threads posted at once.
    #[serde(skip_serializing_if = "ByThreads::is_none")]
    pub by_threads: ByThreads,
    /// Messages to and from processes outside the world, or through communicators that were never
    /// registered.
    pub outside: u64,
    /// Requests that the program cancelled.
    pub cancelled: u64,
}

/// Receives posted for any source, or any tag, of which nobody knows what they got.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FromAny {
    /// Those that were still open when the program ended.
    pub open_receives: u64,
    /// Those that ended, of which the library did not say what they got.
    #[serde(skip_serializing_if = "is_none")]
    pub untold_receives: u64,
    /// Receives after one of either kind, which may have got what belongs to it.
    pub uncertain: u64,
}

/// Sends, and receives, that a thread posted while another one of its rank was posting one with the
/// same communicator, tag and partner: which of the two came first is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ByThreads {
    /// Sends.
    pub sends: u64,
    /// Receives.
    pub receives: u64,
}

impl ByThreads {
    /// Whether there were none.
    pub fn is_none(&self) -> bool {
        *self == ByThreads::default()
    }
}

/// A pair of ranks whose sends and receives cannot belong together as they were matched: all of
/// them, or those of some communicators and tags.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DoubtfulPair {
    /// The sender.
    pub src: u64,
    /// The receiver.
    pub dst: u64,
    /// Communicators and tags that it is about; 0: all messages from one to the other.
    #[serde(skip_serializing_if = "is_none")]
    pub channels: u64,
    /// The tag, where that is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<i32>,
    /// Messages of these that were matched.
    pub messages: u64,
    /// Those of which sender and receiver give different sizes.
    pub sizes_differ: u64,
    /// Those that were taken before they were sent, or released before their receive was posted.
    pub too_early: u64,
    /// Sends and receives that were left over, though both ranks ended well.
    pub left_over: u64,
    /// Whether a request was cancelled and given back before anyone knew what came of it.
    pub unknown: bool,
}

/// Old runs are written as they were.
fn is_none(count: &u64) -> bool {
    *count == 0
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
