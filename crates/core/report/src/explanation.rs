//! What an explanation says, in words. "Consistent with" is the most that seeing things together
//! allows.

mod advice;
mod delays;
mod tables;

use record::Cause;
use stats::analysis::{
    Analysis, By, Episode, Explained, Explanation, IdleCore, Known, Noise, Reason, Slow, Stage,
    Trait, What, Who,
};

use self::advice::Recorder;
use crate::facts::Facts;
use crate::finding::finding_sentence;
use crate::opening::which_messages;
use crate::palette::name;
use crate::story::{account_words, begin, how_many};
use document::{Block, Document, Section, count, counted, part, size, time};

/// The explanation of one run, with `most` groups of slow messages.
pub fn explanation(
    facts: &Facts,
    analysis: &Analysis,
    explanation: &Explanation,
    most: usize,
) -> Document {
    let mut opening = vec![
        Block::Eyebrow(vec![facts.title()]),
        which_messages(facts, analysis),
        Block::Finding(finding_sentence(facts, analysis)),
    ];
    opening.extend(idle_sentence(&explanation.idle).map(|text| Block::Note(None, text)));
    if explanation.watched.0 == 0 {
        opening.push(Block::Note(None, advice::unwatched(facts)));
    }
    opening.extend(tables::all(explanation).map(Block::Table));
    let mut sections = delays_of(explanation, most);
    sections.extend(groups_of(facts, analysis, explanation, most));
    sections.push(closing(Recorder::of(facts), explanation, most));
    let title = format!("{}, explained · Fourstamp", facts.title());
    Document { title, opening, sections, runs: Vec::new() }
}

/// The first delays; those of a run that was not watched are one table, where nothing is known of
/// them.
fn delays_of(explanation: &Explanation, most: usize) -> Vec<Section> {
    let watched = explanation.watched.0 > 0;
    let (bare, known): (Vec<&Episode>, Vec<&Episode>) =
        explanation.episodes.iter().take(most).partition(|one| !watched && delays::is_bare(one));
    known.into_iter().map(episode).chain(delays::section(bare.into_iter())).collect()
}

fn groups_of<'a>(
    facts: &'a Facts,
    analysis: &'a Analysis,
    explanation: &'a Explanation,
    most: usize,
) -> impl Iterator<Item = Section> + 'a {
    let (watched, periodic) = (explanation.watched.0 > 0, advice::has_periodic_timer(facts));
    let groups = explanation.groups.iter().take(most);
    groups.map(move |group| paragraph(analysis, group, watched, periodic))
}

/// Groups of slow messages that a page has.
const ON_A_PAGE: usize = 5;

/// What goes with the slow messages of the run at `path`, as a part of its page.
pub(crate) fn section(
    path: &str,
    facts: &Facts,
    analysis: &Analysis,
    explanation: &Explanation,
) -> Option<Section> {
    let watched = explanation.watched.0 > 0;
    let mut found = delays_of(explanation, usize::MAX);
    found.extend(groups_of(facts, analysis, explanation, ON_A_PAGE));
    if found.is_empty() {
        return None;
    }
    let left = explanation.groups.len().saturating_sub(ON_A_PAGE);
    let more = match left {
        0 => "The figures".to_owned(),
        left => format!("{} more, and the figures", counted(left as u64, "group")),
    };
    let unwatched = match watched {
        true => String::new(),
        false => format!(" {}", advice::unwatched(facts)),
    };
    let sentence = format!(
        "What goes together need not be cause and effect.{unwatched} {more}: fourstamp \
        explain {}",
        shell_words::quote(path)
    );
    let mut section = Section::new("explained", "What goes with slow messages", sentence);
    for Section { title, sentence, blocks, .. } in found {
        section.blocks.push(Block::Heading(title));
        section.blocks.push(Block::Note(None, sentence));
        section.blocks.extend(blocks);
    }
    Some(section)
}

/// What is left out, and how to go on.
fn closing(recorder: Recorder, explanation: &Explanation, most: usize) -> Section {
    let mut blocks = Vec::new();
    let kinds =
        [(explanation.episodes.len(), "delay", "held"), (explanation.groups.len(), "peak", "took")];
    for (all, noun, verb) in kinds {
        let left = all.saturating_sub(most);
        if left > 0 {
            let (many, s) = (count(left as u64), if left == 1 { "" } else { "s" });
            let more =
                format!("And {many} more {noun}{s} that {verb} less time: --all shows them.");
            blocks.push(Block::Note(None, more));
        }
    }
    let nothing = explanation.groups.is_empty() && explanation.episodes.is_empty();
    let first = match nothing {
        true => {
            "No stage has more than one peak, and there are too few messages to set the slowest \
            0.1 % apart: there is nothing to explain."
        }
        false => recorder.advice(),
    };
    let sentence = format!("{first} For one message: fourstamp story RUN.");
    Section { blocks, ..Section::new("next", "What next", sentence) }
}

/// What goes with some slow messages: who they are, how many, and a sentence for each thing seen.
fn said(id: &'static str, title: String, opening: String, reasons: Vec<String>) -> Section {
    let blocks = if reasons.is_empty() { Vec::new() } else { vec![Block::List(reasons)] };
    Section { blocks, ..Section::new(id, title, opening) }
}

fn episode(episode: &Episode) -> Section {
    let Slow { launch, src, dst, seq } = episode.slowest;
    let length = time(episode.to_ns.saturating_sub(episode.from_ns) as f64);
    let (stage, at) = (name(episode.stage), time(episode.from_ns as f64));
    let title = format!("{length} of {stage} from {at} on");
    let messages = how_many(episode.messages, episode.at_least);
    let opening = format!(
        "{}{}; the slowest is {launch}:{src}:{seq}, from node\u{a0}{src} to node\u{a0}{dst}, in \
        launch\u{a0}{launch}.",
        begin(&messages),
        share_words(episode)
    );
    let node = if episode.stage == Stage::ReceiveWait { dst } else { src };
    said("episode", title, opening, account_words(&episode.account, episode.stage, node))
}

/// How much of all time that was. Of a part that is at least so small nothing is known.
fn share_words(episode: &Episode) -> String {
    let lives = if episode.messages == 1 { "whole life is" } else { "whole lives are" };
    let share = part(episode.share);
    match episode.at_least {
        false => format!(", whose {lives} {share} of all messages' time"),
        true if episode.share >= 0.001 => {
            format!(", whose {lives} at least {share} of all messages' time")
        }
        true => String::new(),
    }
}

/// What idle cores lost; `None` where they were not looked at.
fn idle_sentence(idle: &[IdleCore]) -> Option<String> {
    let worst = idle.iter().max_by(|a, b| lost(a).total_cmp(&lost(b)))?;
    let of_worst = format!(
        "{} of {} lost in {} of 1\u{a0}µs or more, the longest {}",
        part(lost(worst)),
        time(worst.spun_ns as f64),
        counted(worst.gaps, "gap"),
        time(worst.longest_ns as f64)
    );
    Some(if worst.gaps == 0 {
        format!(
            "Before the launches every core spun idle for {}: none stalled for 1\u{a0}µs.",
            time(worst.spun_ns as f64)
        )
    } else if idle.len() == 1 {
        format!("Its core spun idle before the launches: {of_worst}.")
    } else {
        format!(
            "Cores spun idle before the launches; that of node {} stalled most: {of_worst}.",
            worst.node
        )
    })
}

fn lost(core: &IdleCore) -> f64 {
    if core.spun_ns > 0 { core.lost_ns as f64 / core.spun_ns as f64 } else { 0.0 }
}

fn paragraph(analysis: &Analysis, group: &Explained, watched: bool, periodic: bool) -> Section {
    let mut reasons: Vec<String> = group.reasons.iter().map(reason).collect();
    let is_millisecond =
        |one: &Reason| matches!(one, Reason::Phase { known: Known::Millisecond, .. });
    if periodic && group.reasons.iter().any(is_millisecond) {
        reasons.push("The periodic retransmit timer of udp can have such a phase, too.".to_owned());
    }
    reasons.extend(
        group
            .noise
            .as_ref()
            .filter(|_| group.episodes > 0)
            .map(|noise| noise_sentence(group, noise)),
    );
    let noise_is_enough = group.noise.as_ref().is_some_and(is_enough);
    if group.apart > 0 && group.apart == group.count {
        reasons = vec!["All of them belong to the delays above.".to_owned()];
    } else if group.reasons.is_empty() && !noise_is_enough {
        let seen = if watched { "was watched" } else { "the run itself recorded" };
        reasons.push(format!(
            "Nothing that {seen} goes with them more often than chance would have it."
        ));
    }
    said("group", title(analysis, group), opening(group), reasons)
}

fn title(analysis: &Analysis, group: &Explained) -> String {
    let stage = name(group.stage);
    match group.who {
        Who::Slowest => {
            format!("The slowest 0.1\u{a0}%, {stage} {} and more", time(group.range_ns.0 as f64))
        }
        Who::Peak(at) => {
            let view = analysis.stage(group.stage);
            let peak = view.and_then(|view| view.peaks.get(at));
            peak.map_or_else(
                || format!("A peak of {stage}"),
                |peak| {
                    let (mass, share) = (part(peak.mass), part(peak.time_share));
                    format!(
                        "The peak of {stage} at {}: {mass} of messages, {share} of its time",
                        time(peak.place_ns)
                    )
                },
            )
        }
    }
}

const EPISODES: &str = "those of a pair within 10\u{a0}ms of each other count as one";

fn opening(group: &Explained) -> String {
    let late = group.range_ns.0.saturating_sub(group.median_ns) as f64;
    let times = if group.episodes == 1 {
        "at one time".to_owned()
    } else {
        format!("at {} times", count(group.episodes))
    };
    let above =
        format!("{} or more above the median of {}", time(late), time(group.median_ns as f64));
    let messages = counted(group.count, "message");
    match (group.apart, group.count - group.apart.min(group.count)) {
        (0, _) => format!("{messages}, {times} ({EPISODES}); {above}."),
        (_, 0) => format!("{messages}; {above}."),
        (apart, rest) => format!(
            "{messages}; {above}. {} of them {} to the delays above; what follows is of the other \
            {}, {times} ({EPISODES}).",
            count(apart),
            if apart == 1 { "belongs" } else { "belong" },
            count(rest)
        ),
    }
}

fn reason(reason: &Reason) -> String {
    match reason {
        Reason::Beside { what, with, of, expected, chance, covers } => {
            let counts = format!(
                "{} of {} times, where chance would give {}{}",
                count(*with),
                count(*of),
                few(*expected),
                surely(*chance)
            );
            let much = covers.map_or_else(String::new, |covers| match covers {
                covers if covers >= 0.8 => " It is long enough to be the whole delay.".to_owned(),
                covers => format!(" It covers {} of the delay (median).", part(covers)),
            });
            format!("Consistent with {}: {counts}.{much}", what_words(*what))
        }
        Reason::Alike { by, value, share, base } => {
            format!(
                "{} of them {}; of all messages {}.",
                part(*share),
                alike_words(*by, value),
                part(*base)
            )
        }
        Reason::Phase { known, strength, chance } => format!(
            "They come at a fixed phase of {} (strength {strength:.2} of 1{}): consistent with {}.",
            time(known.ns() as f64),
            surely(*chance),
            known_words(*known)
        ),
        Reason::Regular { period_ns, share } => {
            format!(
                "They come every {}: {} of the intervals are within 5\u{a0}% of that.",
                time(*period_ns as f64),
                part(*share)
            )
        }
        Reason::Place { known } => {
            format!(
                "They are late by about {}: consistent with {}.",
                time(known.ns() as f64),
                known_words(*known)
            )
        }
    }
}

/// An expected number: small ones are never none.
fn few(expected: f64) -> String {
    if expected >= 10.0 { count(expected.round() as u64) } else { format!("{expected:.1}") }
}

fn surely(chance: f64) -> String {
    if chance < 1e-6 { String::new() } else { format!(", p = {chance:.1e}") }
}

fn what_words(what: What) -> &'static str {
    match what {
        What::Cause(cause) => cause_words(cause),
        What::Work(kind) => kind.doing(),
    }
}

pub(crate) fn cause_words(cause: Cause) -> &'static str {
    match cause {
        Cause::Watched => "being watched",
        Cause::RunQueue => "their node's thread waiting for a core",
        Cause::Preempted => "their node's thread being taken off its core",
        Cause::Migrated => "their node's thread going to another core",
        Cause::Steal => "the hypervisor taking the core",
        Cause::Interrupts => "interrupts on their node's core",
        Cause::SoftNet => "packets handled in soft interrupts on their node's core",
        Cause::TcpRetransmits => "TCP segments sent again",
        Cause::TcpTimeouts => "TCP's retransmission time-out",
        Cause::Resent => "messages that the network layer sent again",
        Cause::Watcher => "our own watcher at work",
        Cause::IdleSpin | Cause::IdleGap => "an idle core stalling",
        Cause::Planted => "a planted delay",
        Cause::Ran => "their node's thread running",
        Cause::Stopped => "their node's process not running at all",
        Cause::MinorFaults => "page faults of their node's thread",
        Cause::MajorFaults => "page faults of their node's thread that read from a disk",
        Cause::Recording => "their node's thread waiting until its record had room",
    }
}

fn alike_words(by: Trait, value: &str) -> String {
    match by {
        Trait::Queued => "found others waiting in the receive queue".to_owned(),
        Trait::Early => "are among the first hundredth of their launch".to_owned(),
        Trait::Column(By::Pair) => format!("went {value}"),
        Trait::Column(By::Kind) => format!("are of kind {value}"),
        Trait::Column(By::Bytes) => {
            format!("have {}", value.parse().map_or_else(|_| value.to_owned(), size))
        }
        Trait::Column(By::Hops) => format!("crossed {value} links"),
        Trait::Column(By::Packets) => format!("took {value} packets"),
        Trait::Column(By::Launch) => format!("are of launch {value}"),
    }
}

fn known_words(known: Known) -> &'static str {
    match known {
        Known::Millisecond => {
            "something that comes at whole milliseconds, as the kernel's ticks do at 1000, 250 and \
            100\u{a0}Hz"
        }
        Known::Tick250 => "the kernel's tick at 250\u{a0}Hz",
        Known::Tick100 => "the kernel's tick at 100\u{a0}Hz, or our own watcher",
        Known::Tenth => "something that the system does ten times a second",
        Known::Second => "something that the system does every second",
        Known::DelayedAck => "TCP's delayed acknowledgement",
        Known::TcpTimeout => "TCP's least retransmission time-out",
    }
}

/// Whether idle cores stall as often as messages were late, as far as rates can be told apart.
fn is_enough(noise: &Noise) -> bool {
    noise.idle_per_s > 0.0 && noise.seen_per_s <= 1.25 * noise.idle_per_s
}

fn noise_sentence(group: &Explained, noise: &Noise) -> String {
    let late = time(group.range_ns.0.saturating_sub(group.median_ns) as f64);
    let Noise { idle_per_s, seen_per_s } = *noise;
    let seen = format!("messages came so late {seen_per_s:.1} times a second");
    if idle_per_s == 0.0 {
        format!(
            "Idle cores never stall for {late}, and {seen}, which is more than the \
            machine's noise."
        )
    } else if is_enough(noise) {
        format!(
            "Idle cores stall this long {idle_per_s:.1} times a second, and {seen}: \
            the machine's noise alone is enough."
        )
    } else {
        format!(
            "Idle cores stall this long {idle_per_s:.1} times a second, and {seen}: \
            the machine's noise is a part of it."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_says_no_more_than_was_seen() {
        let beside = Reason::Beside {
            what: What::Cause(Cause::RunQueue),
            with: 38,
            of: 41,
            expected: 0.4,
            chance: 1e-30,
            covers: Some(0.97),
        };
        assert_eq!(
            reason(&beside),
            "Consistent with their node's thread waiting for a core: 38 of 41 times, where chance \
            would give 0.4. It is long enough \
             to be the whole delay."
        );
        let alike =
            Reason::Alike { by: Trait::Queued, value: String::new(), share: 0.99, base: 0.03 };
        assert_eq!(
            reason(&alike),
            "99\u{a0}% of them found others waiting in the receive queue; of all messages 3\u{a0}%."
        );
    }

    #[test]
    fn delays_and_peaks_beyond_the_first_are_counted() {
        let delay = Episode {
            slowest: Slow { launch: 0, src: 1, dst: 0, seq: 7 },
            stage: Stage::ReceiveWait,
            from_ns: 0,
            to_ns: 1_000_000,
            messages: 1,
            time_ns: 1_000_000,
            share: 0.02,
            at_least: false,
            account: stats::analysis::Account::default(),
        };
        let found = Explanation { episodes: vec![delay; 9], ..Explanation::default() };
        let closed = closing(Recorder::Bench, &found, 7).blocks;
        let said = |blocks: &[Block]| match blocks {
            [Block::Note(None, words)] => words.clone(),
            _ => String::new(),
        };
        assert_eq!(said(&closed), "And 2 more delays that held less time: --all shows them.");
        assert!(closing(Recorder::Bench, &found, 9).blocks.is_empty());
        let nothing = closing(Recorder::Bench, &Explanation::default(), 9).sentence;
        assert!(nothing.contains("nothing to explain") && !nothing.contains("bench"), "{nothing}");
    }

    #[test]
    fn delays_of_a_run_that_was_not_watched_are_one_table() {
        let delay = |share| Episode {
            slowest: Slow { launch: 0, src: 1, dst: 0, seq: 7 },
            stage: Stage::ReceiveWait,
            from_ns: 0,
            to_ns: 3_000_000,
            messages: 2,
            time_ns: 6_100_000,
            share,
            at_least: false,
            account: stats::analysis::Account { of_ns: 3_000_000, ..Default::default() },
        };
        let episodes = vec![delay(0.04), delay(0.03)];
        let found =
            |watched| Explanation { episodes: episodes.clone(), watched, ..Default::default() };
        let unwatched = delays_of(&found((0, 2)), 7);
        assert_eq!(unwatched.len(), 1, "one heading");
        assert!(matches!(&unwatched[0].blocks[..], [Block::Table(table)] if table.rows.len() == 2));
        let watched = delays_of(&found((1, 2)), 7);
        assert_eq!(watched.len(), 2);
        assert_eq!(document::plain(&watched[0].title), "3.00 ms of receive wait from 0 ns on");
        let said = "2 messages, whose whole lives are 4 % of all messages' time; the slowest";
        let opening = document::plain(&watched[0].sentence);
        assert!(opening.starts_with(said), "{opening}");
    }

    fn group() -> Explained {
        Explained {
            stage: Stage::ReceiveWait,
            who: Who::Slowest,
            range_ns: (2_000_000, 9_000_000),
            median_ns: 100,
            count: 5,
            apart: 0,
            episodes: 3,
            reasons: Vec::new(),
            noise: None,
        }
    }

    #[test]
    fn a_page_has_the_first_groups_and_says_how_many_it_leaves_out() {
        let found = |groups: usize, watched| Explanation {
            episodes: Vec::new(),
            groups: vec![group(); groups],
            idle: Vec::new(),
            watched,
        };
        let section = |found: &Explanation| {
            section("my runs/1", &Facts::default(), &Analysis::default(), found)
        };
        assert!(section(&found(0, (1, 2))).is_none(), "nothing to say");
        let some = section(&found(7, (0, 0))).expect("a section");
        let heads = some.blocks.iter().filter(|block| matches!(block, Block::Heading(_)));
        assert_eq!(heads.count(), ON_A_PAGE);
        let end = "its own record are not known. 2\u{a0}groups more, and the figures: fourstamp \
            explain 'my runs/1'";
        assert!(some.sentence.ends_with(end), "{}", some.sentence);
        let all = section(&found(5, (1, 2))).expect("a section").sentence;
        assert!(all.ends_with("cause and effect. The figures: fourstamp explain 'my runs/1'"));
    }

    #[test]
    fn noise_is_called_enough_only_when_it_is() {
        let group = group();
        let said =
            |idle_per_s, seen_per_s| noise_sentence(&group, &Noise { idle_per_s, seen_per_s });
        assert!(said(5.0, 6.0).contains("is enough"));
        assert!(said(1.0, 6.0).contains("a part of it"));
        assert!(said(0.0, 6.0).contains("more than the machine's noise"));
    }
}
