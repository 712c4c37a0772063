//! A story as a document: the message's life in lanes, then its chapters.

use document::{Block, Colour, Document, Fold, LaneOf as Shown, Lanes, Section, count, time};
use record::Kind;
use stats::analysis::Stage;
use stats::story::{Lane, LaneOf, Story};

use super::Told;
use super::held::label as held_label;
use super::phrases::memo_sentence;
use super::tables;
use super::words::{Words, first, id};
use crate::palette;

/// The stories of some messages, one after the other, and the same as tables for scripts.
/// `is_incomplete`: rows of their run are missing.
pub fn stories(all: &[Told], is_incomplete: bool) -> Document {
    let mut parts = all.iter().map(story);
    let mut whole = parts.next().unwrap_or_default();
    for part in parts {
        let head = Section { blocks: part.opening, ..Section::new("message", part.title, "") };
        whole.sections.push(head);
        whole.sections.extend(part.sections);
    }
    if is_incomplete {
        let sentence = "This run's record is not whole (see `lost` in run.json): what is missing \
            may have been part of this.";
        whole.sections.push(Section::new("incomplete", "What is missing", sentence));
    }
    whole.opening.extend(tables::all(all).map(Block::Table));
    whole
}

/// The story of one message.
fn story(told: &Told) -> Document {
    let Told { story, launch, memo, .. } = told;
    let words = Words::of(told);
    let who = Block::Lead(format!("{} {}", words.opening(*launch), words.picked()));
    let mut opening = match first(told) {
        Some(first) => vec![Block::Finding(first), who, Block::Lead(words.headline())],
        None => vec![who, Block::Finding(words.headline())],
    };
    opening.extend(words.usual().map(Block::Lead));
    opening.extend(drawing(told).map(Block::Lanes));
    let mut sections: Vec<Section> = story
        .chapters
        .iter()
        .map(|chapter| {
            let mut section = Section::new("chapter", words.heading(chapter), "");
            section.blocks.push(Block::List(words.sentences(chapter)));
            section
        })
        .collect();
    let notes: Vec<Block> = memo
        .iter()
        .map(memo_sentence)
        .chain(left_out(story))
        .map(|text| Block::Note(None, text))
        .collect();
    if !notes.is_empty() {
        sections.push(Section { blocks: notes, ..Section::new("notes", "Notes", "") });
    }
    Document { title: words.title().to_owned(), opening, sections, runs: Vec::new() }
}

fn left_out(story: &Story) -> Option<String> {
    (story.left_out > 0).then(|| {
        format!(
            "Too much went on to look at all of it: the {} earliest rows around it were left out.",
            count(story.left_out)
        )
    })
}

/// The section of a run's message: the slowest one, or the one that its program is about.
pub(crate) fn section(told: &Told) -> Option<Section> {
    let Told { launch, memo, .. } = told;
    let words = Words::of(told);
    let said = [words.picked(), words.opening(*launch), words.headline()];
    let sentence = first(told).into_iter().chain(said).collect::<Vec<_>>().join(" ");
    let mut blocks = chapters(told)?;
    blocks.extend(memo.iter().map(|memo| Block::Note(None, memo_sentence(memo))));
    Some(Section { blocks, ..Section::new(SECTION, words.title(), sentence) })
}

/// The id of that section.
const SECTION: &str = "story";

/// The story of one of a run's slowest messages.
pub(crate) fn fold(told: &Told) -> Option<Fold> {
    let Told { story, launch, .. } = told;
    let words = Words::of(told);
    let name = id(*launch, &story.message);
    let mut blocks: Vec<Block> = first(told)
        .into_iter()
        .chain([words.opening(*launch)])
        .map(|said| Block::Note(None, said))
        .collect();
    blocks.extend(chapters(told)?);
    let said = told.product.sentences.first().cloned().into_iter().chain([words.headline()]);
    let words = format!("{name}: {}", said.collect::<Vec<_>>().join(" "));
    Some(Fold { name: anchor(&name), words, blocks })
}

/// Where the page has the story of the message of this name, if it is one of those told.
pub(crate) fn place(told: &[Told], name: &str) -> Option<String> {
    let at = told.iter().position(|told| id(told.launch, &told.story.message) == name)?;
    drawing(&told[at])?;
    Some(if at == 0 { format!("r0-{SECTION}") } else { anchor(name) })
}

/// What the fold of a story is called.
pub(super) fn anchor(name: &str) -> String {
    format!("story-{}", name.replace(':', "-"))
}

/// The lanes of a message and what is known of each stage.
fn chapters(told: &Told) -> Option<Vec<Block>> {
    let words = Words::of(told);
    let mut blocks: Vec<Block> =
        words.usual().map(|usual| Block::Note(None, usual)).into_iter().collect();
    blocks.push(Block::Lanes(drawing(told)?));
    for chapter in told.story.chapters.iter().filter(|chapter| !chapter.facts.is_empty()) {
        blocks.push(Block::Heading(words.heading(chapter)));
        blocks.push(Block::List(words.sentences(chapter)));
    }
    Some(blocks)
}

/// The lanes over the message's life; `None` where that is not known.
fn drawing(told: &Told) -> Option<Lanes> {
    let (story, words) = (&told.story, Words::of(told));
    let life = story.message.stage(Stage::EndToEnd).filter(|(ready, taken)| ready < taken)?;
    Some(Lanes {
        label: "What went on while the message was on its way".to_owned(),
        length: time((life.1 - life.0) as f64),
        lanes: story.lanes.iter().map(|lane| shown(lane, &words, life)).collect(),
    })
}

fn shown(lane: &Lane, words: &Words<'_>, (from, to): (i64, i64)) -> Shown {
    let place = |at: i64| (at.clamp(from, to) - from) as f64 / (to - from) as f64;
    let spans = lane.spans.iter().map(|(begin, end)| (place(*begin), place(*end))).collect();
    Shown { name: words.named(label(&lane.what)), colour: colour(&lane.what), spans }
}

/// What a lane is called.
fn label(what: &LaneOf) -> String {
    match what {
        LaneOf::Stage(stage) => palette::name(*stage).to_owned(),
        LaneOf::Taken { node } => format!("node {node}: took"),
        LaneOf::Cancelled { node } => format!("node {node}: cancelled"),
        LaneOf::Work { node, kind } => format!("node {node}: {}", kind.name()),
        LaneOf::Held { node, cause } => format!("node {node}: {}", held_label(*cause)),
    }
}

fn colour(what: &LaneOf) -> Colour {
    Colour(match what {
        LaneOf::Stage(Stage::SendWait) => "b",
        LaneOf::Stage(Stage::Transit) => "c",
        LaneOf::Stage(_) => "d",
        LaneOf::Work { kind: Kind::Execution, .. } => "work",
        LaneOf::Work { kind: Kind::Rollback, .. } | LaneOf::Cancelled { .. } => "undo",
        LaneOf::Work { kind: Kind::Collection, .. } => "collect",
        LaneOf::Work { .. } => "cycle",
        LaneOf::Taken { .. } | LaneOf::Held { .. } => "faint",
    })
}
