//! Why the time of a run cannot be split into stages: no message has all four stamps, or no time
//! passed.

use stats::analysis::{Analysis, Stage};

use super::{median_words, negative_sentence, of};
use crate::facts::Facts;
use document::counted;

/// The reason, and what can be said all the same.
pub(super) fn sentence(facts: &Facts, analysis: &Analysis) -> String {
    if analysis.messages == 0 {
        return match &analysis.cycles {
            Some(cycles) => {
                format!("Only whole cycles were recorded: {}.", median_words(&cycles.summary))
            }
            None => "No message was recorded.".to_owned(),
        };
    }
    let whole: u64 = analysis.shares.iter().map(|share| share.count).sum();
    if whole > 0 {
        return match analysis.anomalies.negative {
            [_, 0, 0, 0] => "All stages took 0 ns, less than a step of the clock.".to_owned(),
            _ => negative_sentence(analysis),
        };
    }
    let mut sentence = match analysis.anomalies.missing {
        [0, 0, 0, 0] => "No message left its node, so the time has no stages".to_owned(),
        _ => format!(
            "No message has all four stamps, so the time cannot be split into stages: {}",
            reasons(facts, analysis).join("; ")
        ),
    };
    if let Some(view) = analysis.stage(Stage::EndToEnd) {
        sentence.push_str(&format!("; end to end, {}", median_words(&view.summary)));
    }
    sentence + "."
}

/// Which stamps are not there, and why as far as the record knows.
fn reasons(facts: &Facts, analysis: &Analysis) -> Vec<String> {
    let anomalies = &analysis.anomalies;
    let mut reasons = match anomalies.missing {
        [0, 0, arrived, taken] if [arrived, taken] == [between(analysis); 2] => {
            let were = if taken == 1 { "was" } else { "were" };
            vec![format!("{} {were} sent, but no arrival is recorded", of(taken, analysis))]
        }
        missing => lacking(missing, analysis),
    };
    if facts.lost.rows_of_unknown_nodes > 0 {
        let nodes = unknown(&facts.lost.unknown_nodes);
        reasons.push(format!("nothing tells the clock of {nodes}"));
    }
    reasons.extend((anomalies.far_stamps > 0).then(|| far(anomalies.far_stamps)));
    reasons
}

/// Messages that left their node, where none of them lacks `ready` or `sent`.
fn between(analysis: &Analysis) -> u64 {
    analysis.stage(Stage::SendWait).map_or(analysis.messages, |view| view.summary.count)
}

/// `arrived is missing from 400 messages (100 %)`.
fn lacking(missing: [u64; 4], analysis: &Analysis) -> Vec<String> {
    let stamps = ["ready", "sent", "arrived", "taken"].into_iter().zip(missing);
    stamps
        .filter(|(_, n)| *n > 0)
        .map(|(stamp, n)| format!("{stamp} is missing from {}", of(n, analysis)))
        .collect()
}

/// Stamps that were refused.
pub(super) fn far(stamps: u64) -> String {
    let (lie, are) = if stamps == 1 { ("lies", "counts") } else { ("lie", "count") };
    format!(
        "{} {lie} more than 73 years from the start of the run and {are} as missing",
        counted(stamps, "stamp")
    )
}

/// Said of messages that name a node of which there is no description.
pub(super) fn of_unknown(nodes: &[u32]) -> String {
    format!("from or to {}", unknown(nodes))
}

/// Nodes without a description: a node leaves one when it joins.
fn unknown(nodes: &[u32]) -> String {
    let which = match nodes {
        [] => return "a node of which nothing is known".to_owned(),
        [one] => format!("node\u{a0}{one}"),
        several => listed(several),
    };
    let (it, is) = if nodes.len() == 1 {
        ("it", "its description is")
    } else {
        ("they", "their descriptions are")
    };
    format!("{which} ({it} never joined the run, or {is} lost)")
}

/// Nodes that are named; the rest is a number.
const NAMED: usize = 8;

/// `nodes 1, 2 and 3`, `nodes 1, 2, …, 8 and 12 more`.
fn listed(nodes: &[u32]) -> String {
    let numbers: Vec<String> = nodes.iter().map(u32::to_string).collect();
    match &numbers[..] {
        [all @ .., last] if numbers.len() <= NAMED => {
            format!("nodes\u{a0}{} and {last}", all.join(", "))
        }
        _ => {
            format!("nodes\u{a0}{} and {} more", numbers[..NAMED].join(", "), numbers.len() - NAMED)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Lost;
    use document::plain;
    use stats::analysis::{Anomalies, Share};

    fn said(messages: u64, anomalies: Anomalies, unknown_nodes: Vec<u32>) -> String {
        let rows_of_unknown_nodes = unknown_nodes.len() as u64;
        let lost = Lost { rows_of_unknown_nodes, unknown_nodes, ..Lost::default() };
        let facts = Facts { lost, ..Facts::default() };
        plain(&sentence(&facts, &Analysis { messages, anomalies, ..Analysis::default() }))
    }

    #[test]
    fn the_cause_is_said() {
        let missing = |missing| Anomalies { missing, ..Anomalies::default() };
        let begin = "No message has all four stamps, so the time cannot be split into stages: ";
        assert_eq!(
            said(200, missing([0, 0, 200, 200]), vec![]),
            format!("{begin}200 messages (100 %) were sent, but no arrival is recorded.")
        );
        assert_eq!(
            said(2, missing([0, 0, 2, 2]), vec![1, 3]),
            format!(
                "{begin}2 messages (100 %) were sent, but no arrival is recorded; nothing tells \
                the clock of nodes 1 and 3 (they never joined the run, or their descriptions are \
                lost)."
            )
        );
        let far = Anomalies { far_stamps: 4, ..missing([0, 4, 1, 0]) };
        assert_eq!(
            said(4, far, vec![]),
            format!(
                "{begin}sent is missing from 4 messages (100 %); arrived is missing from 1 message \
                (25 %); 4 stamps lie more than 73 years from the start of the run and count as \
                missing."
            )
        );
        assert_eq!(
            said(4, missing([0; 4]), vec![]),
            "No message left its node, so the time has no stages."
        );
        assert_eq!(said(0, missing([0; 4]), vec![]), "No message was recorded.");
    }

    #[test]
    fn stamps_that_are_there_are_not_said_to_be_missing() {
        let share =
            Share { from_p: 0.0, to_p: 1.0, count: 4, mean_ns: 0.0, stage_mean_ns: [0.0; 3] };
        let of = |negative| {
            let anomalies = Anomalies { negative, ..Anomalies::default() };
            let shares = vec![share];
            let analysis = Analysis { messages: 4, shares, anomalies, ..Analysis::default() };
            plain(&sentence(&Facts::default(), &analysis))
        };
        assert_eq!(of([0; 4]), "All stages took 0 ns, less than a step of the clock.");
        assert_eq!(
            of([4, 0, 0, 4]),
            "Receive wait is negative in 4 messages (100 %), so shares mean nothing."
        );
    }

    #[test]
    fn many_nodes_are_a_number() {
        let all: Vec<u32> = (0..20).collect();
        assert_eq!(plain(&listed(&all)), "nodes 0, 1, 2, 3, 4, 5, 6, 7 and 12 more");
    }
}
