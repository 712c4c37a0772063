//! The answer in words: where the time went, what the slowest messages did, and what was lost.

mod open;
mod unsplit;

use stats::analysis::{Analysis, Finding, Stage, Summary};

use crate::facts::{Facts, Lost};
use crate::palette::{PARTS, name, title};
use crate::story::begin;
use document::{NONE, counted, part, time};

/// Which stage is the largest, of the messages and of the time, in one sentence. Where stages tie,
/// it picks none.
pub fn finding_sentence(facts: &Facts, analysis: &Analysis) -> String {
    match &analysis.finding {
        None => unsplit::sentence(facts, analysis),
        Some(finding) if are_shares(finding) => {
            let mut clauses = match open::is_open(finding, analysis.unsplit()) {
                true => vec![open::together(finding)],
                false => clauses(finding),
            };
            clauses.extend(open::either(analysis));
            format!("{}.", clauses.join("; "))
        }
        Some(_) => negative_sentence(analysis),
    }
}

/// From so many messages without a largest stage on, their part is said.
const WITHOUT_LARGEST: f64 = 0.01;

/// What it says: of the time, of the messages where that is not the same, of those that tie.
fn clauses(finding: &Finding) -> Vec<String> {
    let (time, messages) = finding.largest();
    let (time, messages) = (part(time), (messages > 0.0).then(|| part(messages)));
    let (usual, of) = finding.usual();
    let leaders = finding.most_time();
    let of_time = match (&leaders[..], messages) {
        ([one], Some(messages)) => format!(
            "{} is the largest stage of {messages} of the messages and takes {time} of the total \
            time",
            title(*one)
        ),
        ([one], None) => format!("{} takes {time} of the total time", title(*one)),
        _ => format!("{} each take {time} of the total time", begin(&named(&leaders))),
    };
    let of = part(of);
    let of_messages = match &usual[..] {
        [] => Some("no message has a stage longer than both others".to_owned()),
        [one] if leaders == [*one] => None,
        [one] => Some(format!("{} is the largest of {of} of the messages", name(*one))),
        _ => Some(format!("{} are each the largest of {of} of the messages", named(&usual))),
    };
    let ties = finding.without_largest();
    let ties = (ties >= WITHOUT_LARGEST && !usual.is_empty())
        .then(|| format!("{} of the messages have no stage longer than both others", part(ties)));
    [Some(of_time), of_messages, ties].into_iter().flatten().collect()
}

/// `send wait and transit`.
fn named(stages: &[Stage]) -> String {
    let names: Vec<&str> = stages.iter().map(|stage| name(*stage)).collect();
    match &names[..] {
        [] => NONE.to_owned(),
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        _ => names.concat(),
    }
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
    if finding.tail_stage != Stage::SendWait && open::is_open(finding, analysis.unsplit()) {
        return None;
    }
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
    if anomalies.far_stamps > 0 {
        lines.push(format!("{}.", begin(&unsplit::far(anomalies.far_stamps))));
    }
    lines
}

fn lost_lines(lost: &Lost) -> Vec<String> {
    let mut lines = Vec::new();
    let unknown = &unsplit::of_unknown(&lost.unknown_nodes);
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
        (lost.rows_of_unknown_nodes, "message", unknown),
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

fn median_words(summary: &Summary) -> String {
    match quantile(summary, 0.5) {
        Some(ns) => format!("the median is {}", time(ns as f64)),
        None => format!("the mean is {}", time(summary.mean_ns)),
    }
}

/// The largest stage with its part, of the messages and of the time, for tables: `transit 99 %`,
/// `receive wait 61 %`.
pub(crate) fn largest(analysis: &Analysis) -> [String; 2] {
    let none = || NONE.to_owned();
    let Some(finding) = &analysis.finding else { return [none(), none()] };
    if open::is_open(finding, analysis.unsplit()) {
        return [none(), format!("transit or receive wait {}", open::of_both(finding))];
    }
    let (usual, of) = finding.usual();
    [
        if usual.is_empty() { NONE.to_owned() } else { format!("{} {}", named(&usual), part(of)) },
        format!("{} {}", named(&finding.most_time()), part(finding.largest().0)),
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
    let found = conclusive.filter_map(|(_, analysis)| {
        let finding = analysis.finding.as_ref()?;
        (!open::is_open(finding, analysis.unsplit())).then_some(finding)
    });
    let found: Vec<&Finding> = found.collect();
    if found.is_empty() {
        return "Which stage is the largest is not known of any run.".to_owned();
    }
    let by_messages = commonest(found.iter().map(|finding| finding.usual().0));
    let by_time = commonest(found.iter().map(|finding| finding.most_time()));
    let known = [found.len(), runs.len()];
    let (of_messages, of_time) = (in_runs(by_messages.1, known), in_runs(by_time.1, known));
    if by_messages == by_time && by_time.0.len() == 1 {
        return format!(
            "{} is most often a message's largest stage, and takes the largest share of the time, \
            each {of_time}.",
            begin(&named(&by_time.0))
        );
    }
    let often = match &by_messages.0[..] {
        [] => "No run has a stage that is most often a message's largest".to_owned(),
        [one] => format!("{} is most often a message's largest stage {of_messages}", title(*one)),
        several => format!(
            "{} are most often a message's largest stage {of_messages} each",
            begin(&named(several))
        ),
    };
    let (takes, each) = if by_time.0.len() > 1 { ("take", " each") } else { ("takes", "") };
    format!("{often}; {} {takes} the largest share of the time {of_time}{each}.", named(&by_time.0))
}

/// The stages that lead most runs, and how many; several where they lead equally many.
fn commonest(leaders: impl Iterator<Item = Vec<Stage>>) -> (Vec<Stage>, usize) {
    let all: Vec<Stage> = leaders.flatten().collect();
    let count = |stage: &Stage| all.iter().filter(|other| *other == stage).count();
    let most = PARTS.iter().map(count).max().unwrap_or(0);
    (PARTS.into_iter().filter(|stage| most > 0 && count(stage) == most).collect(), most)
}

/// In so many of the runs where it is known, of which there are so many of all.
fn in_runs(n: usize, [known, all]: [usize; 2]) -> String {
    match (n == known, known == all) {
        (true, true) => "in every run".to_owned(),
        (false, true) => format!("in {n} of {all} runs"),
        (true, false) => format!("in the {known} of {all} runs where that is known"),
        (false, false) => format!("in {n} of the {known} runs where that is known"),
    }
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
            halves: [0.0, 0.01, 0.99],
            tail_stage,
            tail_share,
            tail_weight: 0.2,
        };
        let analysis = Analysis { messages: 20_000, finding: Some(finding), ..Analysis::default() };
        plain(&tail_sentence(&analysis).expect("enough messages"))
    }

    /// Those of a table of nine, in one of which it may be either of two stages.
    #[test]
    fn runs_in_which_it_is_not_known_are_not_said_to_be_like_the_others() {
        assert_eq!(in_runs(9, [9, 9]), "in every run");
        assert_eq!(in_runs(7, [9, 9]), "in 7 of 9 runs");
        assert_eq!(in_runs(7, [8, 9]), "in 7 of the 8 runs where that is known");
        assert_eq!(in_runs(8, [8, 9]), "in the 8 of 9 runs where that is known");
    }

    #[test]
    fn a_negative_stage_is_the_headline_and_has_no_bar() {
        let finding = Finding {
            stage: Stage::Transit,
            time: [-20.0, 20.5, 0.5],
            messages: [0.0, 1.0, 0.0],
            halves: [0.0, 1.0, 0.0],
            tail_stage: Stage::Transit,
            tail_share: 20.5,
            tail_weight: 0.2,
        };
        let anomalies =
            stats::analysis::Anomalies { negative: [0, 150, 0, 0], ..Default::default() };
        let finding = Some(finding);
        let analysis = Analysis { messages: 200, finding, anomalies, ..Analysis::default() };
        assert_eq!(
            plain(&finding_sentence(&Facts::default(), &analysis)),
            "Send wait is negative in 150 messages (75 %), so shares mean nothing."
        );
        assert!(stage_shares(&analysis).is_empty() && tail_sentence(&analysis).is_none());
    }

    #[test]
    fn a_tie_is_said_and_none_is_picked() {
        let said = |time, messages| {
            let (stage, tail_stage) = (Stage::Transit, Stage::Transit);
            let (tail_share, tail_weight) = (0.5, 0.1);
            let halves = [0.0; 3];
            let finding =
                Finding { stage, time, messages, halves, tail_stage, tail_share, tail_weight };
            plain(&clauses(&finding).join("; "))
        };
        assert_eq!(
            said([0.5, 0.5, 0.0], [0.25, 0.25, 0.0]),
            "Send wait and transit each take 50 % of the total time; send wait and transit are \
            each the largest of 25 % of the messages; 50 % of the messages have no stage longer \
            than both others"
        );
        assert_eq!(
            said([0.1, 0.6, 0.3], [0.0; 3]),
            "Transit takes 60 % of the total time; no message has a stage longer than both others"
        );
        assert_eq!(
            said([0.1, 0.6, 0.3], [0.1, 0.4, 0.4]),
            "Transit is the largest stage of 40 % of the messages and takes 60 % of the total \
            time; transit and receive wait are each the largest of 40 % of the messages; 10 % of \
            the messages have no stage longer than both others"
        );
        assert_eq!(
            said([0.1, 0.6, 0.3], [0.1, 0.895, 0.0]),
            "Transit is the largest stage of 90 % of the messages and takes 60 % of the total time"
        );
    }

    #[test]
    fn runs_of_which_as_many_are_led_by_one_stage_as_by_another_name_both() {
        let one = vec![Stage::Transit];
        let (both, other) = (vec![Stage::Transit, Stage::ReceiveWait], vec![Stage::ReceiveWait]);
        assert_eq!(commonest([one.clone(), other].into_iter()), (both.clone(), 1));
        assert_eq!(commonest([one.clone(), both].into_iter()), (one, 2));
        assert_eq!(commonest([vec![]].into_iter()), (vec![], 0));
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
