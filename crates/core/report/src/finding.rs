//! The answer in words: where the time went, what the slowest messages did, and what was lost.

use stats::analysis::{Analysis, Finding, Stage, Summary};

use crate::facts::{Facts, Lost};
use crate::palette::{PARTS, name, title};
use document::{NONE, counted, part, time};

/// Which stage is the largest, of the messages and of the time, in one sentence.
pub fn finding_sentence(analysis: &Analysis) -> String {
    let Some(finding) = &analysis.finding else {
        return without_finding(analysis);
    };
    if !are_shares(finding) {
        return negative_sentence(analysis);
    }
    let (time, messages) = finding.largest();
    let (usual, of) = finding.usual();
    let (stage, time, messages) = (title(finding.stage), part(time), part(messages));
    if usual == finding.stage || of <= 0.0 {
        return format!(
            "{stage} is the largest stage of {messages} of the messages and takes {time} of the \
            total time."
        );
    }
    format!(
        "{stage} is the largest stage of {messages} of the messages and takes {time} of the total \
        time; {} is the largest of \
         {} of the messages.",
        name(usual),
        part(of)
    )
}

/// Whether the parts of the time are parts: none is negative, so none is more than the whole.
fn are_shares(finding: &Finding) -> bool {
    finding.time.iter().all(|share| *share >= 0.0)
}

/// Why the time cannot be split into stages where one of them is negative.
fn negative_sentence(analysis: &Analysis) -> String {
    let all = [Stage::EndToEnd].into_iter().chain(PARTS).zip(analysis.anomalies.negative);
    let worst = all.skip(1).max_by_key(|(_, n)| *n);
    let (stage, n) = worst.unwrap_or((Stage::Transit, 0));
    format!("{} is negative in {}, so shares mean nothing.", title(stage), of(n, analysis))
}

/// The slowest messages are no different where a stage's part of their time is within this of its
/// part of all time.
const ALIKE: f64 = 0.1;

/// What the slowest messages did, in one sentence; `None` where there are too few to set any apart.
pub fn tail_sentence(analysis: &Analysis) -> Option<String> {
    let finding = analysis.finding.as_ref().filter(|finding| are_shares(finding))?;
    if analysis.messages < 100 {
        return None;
    }
    let few = analysis.messages < 10_000;
    let slowest = if few { "The slowest 10" } else { "The slowest 0.1\u{a0}%" };
    let share = part(finding.tail_share);
    let stage = name(finding.tail_stage);
    // The weight is always that of the slowest 0.1 %, which in a small run are not the ten spoken
    // of.
    let weight = if few {
        String::new()
    } else {
        format!(" They took {} of all time.", part(finding.tail_weight))
    };
    let (time, messages) = finding.largest();
    let alike = (finding.tail_share - time).abs() < ALIKE;
    let like_the_rest = finding.tail_stage == finding.stage && messages >= 0.5 && alike;
    Some(if like_the_rest {
        format!("{slowest} are no different: {share} of their time is {stage}.{weight}")
    } else if finding.tail_stage == finding.stage {
        format!("{slowest} spent {share} of their time in {stage}.{weight}")
    } else {
        format!("{slowest} are different: {share} of their time is {stage}.{weight}")
    })
}

/// Whether the run allows conclusions.
pub(crate) fn is_conclusive(facts: &Facts) -> bool {
    facts.product.warning.is_none()
}

/// What the slowest messages did, where the run allows to say so.
pub(crate) fn tail(facts: &Facts, analysis: &Analysis) -> Option<String> {
    is_conclusive(facts).then(|| tail_sentence(analysis)).flatten()
}

/// What was lost or looks odd, one line each; empty when nothing was.
pub(crate) fn losses(facts: &Facts, analysis: &Analysis) -> Vec<String> {
    let mut lines = facts.product.losses.clone();
    lines.extend(lost_lines(&facts.lost));
    let anomalies = &analysis.anomalies;
    for (stage, n) in [Stage::EndToEnd].iter().chain(&PARTS).zip(anomalies.negative) {
        if n > 0 {
            lines.push(format!(
                "{} came out negative in {}; shown as recorded.",
                name(*stage),
                of(n, analysis)
            ));
        }
    }
    for (stamp, n) in ["ready", "sent", "arrived", "taken"].iter().zip(anomalies.missing) {
        if n > 0 {
            lines.push(format!(
                "{stamp} is missing from {}; the stages that need it are left out.",
                of(n, analysis)
            ));
        }
    }
    lines
}

fn lost_lines(lost: &Lost) -> Vec<String> {
    let mut lines = Vec::new();
    let counts = [
        (lost.dropped, "message", "dropped because a buffer was full"),
        (lost.damaged_chunks, "damaged chunk", "of the live logs left out"),
        (lost.damaged_rows, "message", "known to have been in damaged chunks"),
        (lost.missing_buffers, "node", "whose last messages were lost with their buffer"),
        (lost.unmatched_sends, "send", "without a matching receive"),
        (lost.unmatched_receives, "receive", "without a matching send"),
        (
            lost.rows_without_sheet,
            "message",
            "not read, because their node's description is missing",
        ),
        (lost.rows_of_unknown_nodes, "message", "of a node of which nothing is known"),
        (lost.pauses, "pause", "of the measurement to write a full buffer out"),
    ];
    lines.extend(
        counts
            .iter()
            .filter(|(n, ..)| *n > 0)
            .map(|(n, noun, what)| format!("{} {what}.", counted(*n, noun))),
    );
    lines.extend(lost.failures.iter().cloned());
    if lost.cut {
        let rest =
            if lines.is_empty() { "; what had been recorded by then is all here" } else { "" };
        lines.insert(0, format!("The run was cut before its end{rest}."));
    }
    lines
}

/// Remarks on how stamps came about: no loss, but the reader should know.
pub(crate) fn remarks(analysis: &Analysis) -> Vec<String> {
    let anomalies = &analysis.anomalies;
    let cases = [
        (
            anomalies.within_clock_error,
            "a transit below the clocks' error bound, so that its sign proves nothing",
        ),
        (anomalies.bracketed, "an arrived stamp that is bracketed, not observed"),
        (anomalies.modelled, "an arrived stamp that is modelled, not observed"),
    ];
    cases
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| {
            let has = if *n == 1 { "has" } else { "have" };
            format!("{} {has} {what}.", of(*n, analysis))
        })
        .collect()
}

fn of(n: u64, analysis: &Analysis) -> String {
    let whole = analysis.messages.max(1) as f64;
    format!("{} ({})", counted(n, "message"), part(n as f64 / whole))
}

fn without_finding(analysis: &Analysis) -> String {
    if let Some(cycles) = &analysis.cycles
        && analysis.messages == 0
    {
        return format!("Only whole cycles were recorded: {}.", median_words(&cycles.summary));
    }
    match analysis.stage(Stage::EndToEnd) {
        _ if analysis.messages == 0 => "No message was recorded.".to_owned(),
        Some(view) => format!(
            "No message has all four stamps, so the time cannot be split into stages; end to end, \
            {}.",
            median_words(&view.summary)
        ),
        None => "No message has all four stamps, so there is no time to show.".to_owned(),
    }
}

fn median_words(summary: &Summary) -> String {
    match quantile(summary, 0.5) {
        Some(ns) => format!("the median is {}", time(ns as f64)),
        None => format!("the mean is {}", time(summary.mean_ns)),
    }
}

/// The largest stage with its part, of the messages and of the time, for tables: `transit 99 %`,
/// `receive wait 61 %`.
pub(crate) fn largest(finding: Option<&Finding>) -> [String; 2] {
    let Some(finding) = finding else { return [NONE.to_owned(), NONE.to_owned()] };
    let (usual, of) = finding.usual();
    [
        format!("{} {}", name(usual), part(of)),
        format!("{} {}", name(finding.stage), part(finding.largest().0)),
    ]
}

/// The parts of end to end that the run has, each with its place among all of them.
pub(crate) fn parts(analysis: &Analysis) -> Vec<(usize, Stage)> {
    PARTS.into_iter().enumerate().filter(|(_, stage)| analysis.stage(*stage).is_some()).collect()
}

/// A quantile that the summary holds.
pub fn quantile(summary: &Summary, p: f64) -> Option<i64> {
    summary.quantiles.iter().find(|q| (q.p - p).abs() < 1e-9).map(|q| q.value_ns)
}

/// Each part's share of the three together, for share bars: stage and share, 0 to 1. The figures of
/// the headline.
pub(crate) fn stage_shares(analysis: &Analysis) -> Vec<(Stage, f64)> {
    let Some(finding) = analysis.finding.as_ref().filter(|finding| are_shares(finding)) else {
        return Vec::new();
    };
    parts(analysis).into_iter().map(|(at, stage)| (stage, finding.time[at])).collect()
}

/// The parts of a typical message: of those about the median end-to-end time.
pub(crate) fn typical_shares(analysis: &Analysis) -> Vec<(Stage, f64)> {
    let Some(typical) =
        analysis.shares.iter().find(|share| share.from_p <= 0.5 && share.to_p > 0.5)
    else {
        return Vec::new();
    };
    let whole: f64 = typical.stage_mean_ns.iter().sum();
    if whole <= 0.0 {
        return Vec::new();
    }
    let mean = |at: usize| typical.stage_mean_ns[at].max(0.0);
    parts(analysis).into_iter().map(|(at, stage)| (stage, mean(at) / whole)).collect()
}

/// Sentence about several runs together.
pub(crate) fn overall_sentence(runs: &[(&Facts, &Analysis)]) -> String {
    let medians: Vec<(f64, String)> = runs
        .iter()
        .filter_map(|(facts, analysis)| {
            let view = analysis.stage(Stage::EndToEnd)?;
            Some((quantile(&view.summary, 0.5)? as f64, facts.title()))
        })
        .collect();
    let fastest = medians.iter().min_by(|a, b| a.0.total_cmp(&b.0));
    let slowest = medians.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(fastest), Some(slowest)) = (fastest, slowest) else {
        return "No run recorded a message with all its stamps.".to_owned();
    };
    format!(
        "The median message takes from {} ({}) to {} ({}). {}",
        time(fastest.0),
        fastest.1,
        time(slowest.0),
        slowest.1,
        most_common(runs)
    )
}

/// The largest stage of most runs, by the messages and by the time: two different things where a
/// minority dominates.
fn most_common(runs: &[(&Facts, &Analysis)]) -> String {
    let conclusive = runs.iter().filter(|(facts, _)| is_conclusive(facts));
    let found: Vec<&Finding> = conclusive.filter_map(|(_, a)| a.finding.as_ref()).collect();
    if found.is_empty() {
        return "No run can be split into stages.".to_owned();
    }
    let by_messages = commonest(found.iter().map(|finding| finding.usual().0).collect());
    let by_time = commonest(found.iter().map(|finding| finding.stage).collect());
    let (of_messages, of_time) =
        (in_runs(by_messages.1, found.len()), in_runs(by_time.1, found.len()));
    if by_messages == by_time {
        return format!(
            "{} is most often a message's largest stage, and takes the largest share of the time, \
            each {of_time}.",
            title(by_time.0)
        );
    }
    format!(
        "{} is most often a message's largest stage {of_messages}; {} takes the largest share of \
        the time {of_time}.",
        title(by_messages.0),
        name(by_time.0)
    )
}

/// The stage that comes most often, and how often.
fn commonest(stages: Vec<Stage>) -> (Stage, usize) {
    let count = |stage: Stage| stages.iter().filter(|other| **other == stage).count();
    let most = PARTS.into_iter().max_by_key(|stage| count(*stage)).unwrap_or(Stage::Transit);
    (most, count(most))
}

fn in_runs(n: usize, of: usize) -> String {
    if n == of { "in every run".to_owned() } else { format!("in {n} of {of} runs") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::plain;

    fn said(tail_stage: Stage, tail_share: f64) -> String {
        let finding = Finding {
            stage: Stage::ReceiveWait,
            time: [0.0, 0.06, 0.94],
            messages: [0.0, 0.01, 0.99],
            tail_stage,
            tail_share,
            tail_weight: 0.2,
        };
        let analysis = Analysis { messages: 20_000, finding: Some(finding), ..Analysis::default() };
        plain(&tail_sentence(&analysis).expect("enough messages"))
    }

    #[test]
    fn a_negative_stage_is_the_headline_and_has_no_bar() {
        let finding = Finding {
            stage: Stage::Transit,
            time: [-20.0, 20.5, 0.5],
            messages: [0.0, 1.0, 0.0],
            tail_stage: Stage::Transit,
            tail_share: 20.5,
            tail_weight: 0.2,
        };
        let anomalies =
            stats::analysis::Anomalies { negative: [0, 150, 0, 0], ..Default::default() };
        let finding = Some(finding);
        let analysis = Analysis { messages: 200, finding, anomalies, ..Analysis::default() };
        assert_eq!(
            plain(&finding_sentence(&analysis)),
            "Send wait is negative in 150 messages (75 %), so shares mean nothing."
        );
        assert!(stage_shares(&analysis).is_empty() && tail_sentence(&analysis).is_none());
    }

    #[test]
    fn the_slowest_are_no_different_only_where_their_time_went_as_all_time_did() {
        assert!(
            said(Stage::ReceiveWait, 0.97)
                .contains("are no different: 97 % of their time is receive")
        );
        assert!(
            said(Stage::ReceiveWait, 0.5)
                .contains("0.1 % spent 50 % of their time in receive wait")
        );
        assert!(said(Stage::Transit, 0.5).contains("are different: 50 % of their time is transit"));
    }
}
