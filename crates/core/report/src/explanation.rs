//! What an explanation says, in words. "Consistent with" is the most that seeing things together
//! allows.

mod advice;
mod delays;
mod groups;
mod overlaps;
#[cfg(test)]
mod planted;
mod reasons;
mod tables;

use stats::analysis::{Analysis, Episode, Explanation, IdleCore, Slow, Stage};

use self::advice::Recorder;
use crate::facts::Facts;
use crate::finding::finding_sentence;
use crate::opening::which_messages;
use crate::palette::name;
use crate::story::{account_words, begin, how_many};
use document::{Block, Document, Section, count, counted, part, time};

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
    let mut sections: Vec<Section> = overlaps::section(&explanation.overlaps).into_iter().collect();
    sections.extend(delays_of(explanation, most));
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
    groups.map(move |group| groups::paragraph(analysis, group, watched, periodic))
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

#[cfg(test)]
mod tests {
    use super::planted::{delay, group};
    use super::*;

    #[test]
    fn delays_and_peaks_beyond_the_first_are_counted() {
        let found = Explanation { episodes: vec![delay(0.02); 9], ..Explanation::default() };
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

    #[test]
    fn a_page_has_the_first_groups_and_says_how_many_it_leaves_out() {
        let found = |groups: usize, watched| Explanation {
            groups: vec![group(); groups],
            watched,
            ..Explanation::default()
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
}
