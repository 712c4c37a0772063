//! What the matching of an MPI run says of itself: how much of it can be trusted, and what it did
//! not see.

use serde::Deserialize;
use serde_json::Value;

use document::{count, counted, part, time};

/// The name under which the parameters of a run hold it.
pub(crate) const KEY: &str = "mpi";

/// Below this part of matched messages a report draws no conclusions.
const MATCHED_LEAST: f64 = 0.9;
/// Nor above this part of messages that arrive before they were sent.
const VIOLATIONS_MOST: f64 = 0.01;

/// The matching of an MPI run.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct MpiFacts {
    /// The MPI library and its version.
    pub library: Option<String>,
    /// Ranks of the program.
    pub ranks: u64,
    /// Calls recorded.
    pub calls: u64,
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
    /// Requests that the program cancelled.
    pub cancelled: u64,
    /// Calls of functions that are counted and not looked into.
    pub passed_through: std::collections::BTreeMap<String, u64>,
    /// Calls in which ranks were when they ended.
    pub in_progress: Vec<InProgress>,
    /// Ranks that left no log.
    pub missing_ranks: Vec<u64>,
    /// Logs of which something could not be read.
    pub damaged: Vec<Damaged>,
    /// Receives that were still open when the program ended.
    pub open_receives: u64,
    /// Messages that matched but differ in size.
    pub sizes_differ: u64,
}

/// A log of which something could not be read.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Damaged {
    /// The rank.
    pub rank: u64,
    /// Places that were skipped.
    pub places: u64,
    /// Words of 8 bytes skipped there, and missing elsewhere.
    pub words: u64,
    /// See `words`.
    pub missing_words: u64,
}

/// A call that a rank never left.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct InProgress {
    /// The rank.
    pub rank: u64,
    /// The function.
    pub call: String,
    /// The other rank, if there is one; -2 for any.
    pub peer: Option<i64>,
    /// The tag.
    pub tag: Option<i64>,
    /// When it was entered, ns on the timeline.
    pub since_ns: Option<i64>,
}

impl MpiFacts {
    /// Read what the parameters hold; `None` when it is nothing that an MPI run leaves.
    pub(crate) fn of(parameter: Option<&Value>) -> Option<MpiFacts> {
        serde_json::from_value(parameter?.clone()).ok()
    }

    /// Whether too little was matched, or too much of it cannot be, for any conclusion.
    pub fn is_poor(&self) -> bool {
        self.matched_too_little() || self.violates_too_often()
    }

    fn matched_too_little(&self) -> bool {
        self.match_rate.is_some_and(|rate| rate < MATCHED_LEAST)
    }

    fn violates_too_often(&self) -> bool {
        self.causality_violations as f64 > self.matched as f64 * VIOLATIONS_MOST
    }

    /// The line before all others: how far the run was understood.
    pub(crate) fn first_line(&self) -> String {
        let rate = self.match_rate.map_or_else(|| "An unknown part".to_owned(), part);
        format!(
            "{rate} of the messages matched; {}, {}, {}.",
            counted(self.unmatched_sends, "unmatched send"),
            counted(self.unmatched_receives, "unmatched receive"),
            counted(self.causality_violations, "causality violation")
        )
    }

    /// What takes the place of the finding in a run that allows none.
    pub(crate) fn warning(&self) -> Option<String> {
        if self.matched_too_little() {
            let rate = part(self.match_rate.unwrap_or(0.0));
            return Some(format!(
                "No conclusion can be drawn from this run: only {rate} of its messages could be \
                matched. The figures below \
                 are of these alone."
            ));
        }
        self.violates_too_often().then(|| {
            format!(
                "No conclusion can be drawn from this run: {} arrived before they were sent, so \
                that either the clocks or the \
                 matching are wrong.",
                counted(self.causality_violations, "message")
            )
        })
    }

    /// What was not seen, or not to its end, one line each.
    pub(crate) fn losses(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.in_progress.iter().map(in_progress).collect();
        if !self.missing_ranks.is_empty() {
            let ranks: Vec<String> = self.missing_ranks.iter().map(u64::to_string).collect();
            lines.push(format!(
                "Rank{} {} left no log: messages from and to there are missing.",
                if ranks.len() == 1 { "" } else { "s" },
                ranks.join(", ")
            ));
        }
        lines.extend(self.damaged.iter().map(damaged));
        if self.sizes_differ > 0 {
            let differ = counted(self.sizes_differ, "message");
            lines.push(format!(
                "{differ} came with another size than was sent: the matching may be wrong."
            ));
        }
        lines
    }

    /// What the reader should know, one line each.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.passed_through.is_empty() {
            let each = self.passed_through.iter().map(|(name, n)| format!("{name} ({n})"));
            lines.push(format!(
                "Counted, but not looked into: {}.",
                each.collect::<Vec<_>>().join(", ")
            ));
        }
        if self.cancelled > 0 {
            lines.push(format!("The program cancelled {}.", counted(self.cancelled, "request")));
        }
        if self.open_receives > 0 {
            let open = counted(self.open_receives, "receive");
            lines.push(format!("{open} still open when the program ended."));
        }
        lines
    }
}

fn damaged(log: &Damaged) -> String {
    format!(
        "The log of rank {} is damaged: {} skipped, {} bytes lost; messages may be missing.",
        log.rank,
        counted(log.places, "place"),
        count((log.words + log.missing_words) * 8)
    )
}

fn in_progress(call: &InProgress) -> String {
    let peer = match call.peer {
        Some(-2) => " with any rank".to_owned(),
        Some(peer) if peer >= 0 => format!(" with rank {peer}"),
        _ => String::new(),
    };
    let tag =
        call.tag.filter(|tag| *tag >= 0).map_or_else(String::new, |tag| format!(", tag {tag}"));
    let since = call.since_ns.map_or_else(String::new, |ns| format!(", since {}", time(ns as f64)));
    format!("Rank {} never left {}{peer}{tag}{since}.", call.rank, call.call)
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::plain;
    use serde_json::json;

    fn facts(matched: u64, unmatched: u64, violations: u64) -> MpiFacts {
        let rate = matched as f64 / (matched + unmatched) as f64;
        MpiFacts::of(Some(&json!({
            "library": "Open MPI \
            4.1.4", "matched": matched, "unmatched_sends": unmatched, "match_rate": rate,
            "causality_violations": violations,
        })))
        .unwrap()
    }

    #[test]
    fn a_poor_match_allows_no_conclusion() {
        assert!(!facts(1000, 0, 10).is_poor());
        assert!(facts(1000, 0, 11).is_poor());
        assert!(!facts(900, 100, 0).is_poor());
        assert!(facts(900, 101, 0).is_poor());
        assert_eq!(facts(1000, 0, 0).warning(), None);
        assert!(facts(1000, 0, 500).warning().unwrap().contains("before they were sent"));
        assert!(facts(10, 500, 0).warning().unwrap().contains("could be matched"));
    }

    #[test]
    fn the_first_line_says_how_far_the_run_was_understood() {
        assert_eq!(
            plain(&facts(900, 100, 1).first_line()),
            "90 % of the messages matched; 100 unmatched sends, 0 unmatched receives, 1 causality \
            violation."
        );
    }

    #[test]
    fn a_rank_that_never_came_back_is_told() {
        let facts = MpiFacts::of(Some(&json!({
            "in_progress": [{"rank": 2, "call": "MPI_Recv", "peer": 1, "tag": 7, "since_ns": 4_000_000_000_i64}],
            "missing_ranks": [3], "passed_through": {"MPI_Put": 3},
        })))
        .unwrap();
        assert_eq!(
            plain(&facts.losses()[0]),
            "Rank 2 never left MPI_Recv with rank 1, tag 7, since 4.00 s."
        );
        assert!(facts.losses()[1].starts_with("Rank 3 left no log"));
        assert_eq!(facts.remarks(), ["Counted, but not looked into: MPI_Put (3)."]);
    }
}
