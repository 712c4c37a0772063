//! A story on the page: the same sentences as on a terminal, and the timeline as a drawing.

use record::Kind;
use stats::analysis::Stage;
use stats::story::{Lane, LaneOf, Story};

use super::Told;
use super::lanes::label;
use super::phrases::memo_sentence;
use super::words::Words;
use crate::charts::Section;
use crate::escape::html;
use crate::format::time;

/// Width of the drawing's part with the lanes, and height of a lane, in the drawing's own units.
const WIDTH: f64 = 720.0;
const LANE: f64 = 22.0;
/// Room for the lanes' names.
const NAMES: f64 = 170.0;
/// Narrower marks would not be seen.
const LEAST: f64 = 1.5;
/// Marks of a lane, at most: what would fall on the mark before it is left out.
const MARKS: usize = 2000;

/// The section of a run's message: the slowest one, or the one that its program is about.
pub(crate) fn section(run: &str, told: &Told) -> Option<Section> {
    let Told { story, launch, names, memo } = told;
    let words = Words { story, names };
    let sentence = format!("{} {} {}", words.picked(), words.opening(*launch), words.headline());
    let mut section = Section::new(run, "story", words.title(), sentence);
    let usual = words.usual().map(|usual| format!("<p class=note>{}</p>", html(&usual)));
    section.below = usual.unwrap_or_default();
    section.below.push_str(&drawing(story)?);
    for chapter in story.chapters.iter().filter(|chapter| !chapter.facts.is_empty()) {
        let sentences = words.sentences(chapter);
        let items: String =
            sentences.iter().map(|text| format!("<li>{}</li>", html(text))).collect();
        let heading = html(&words.heading(chapter));
        section.below.push_str(&format!("<h4>{heading}</h4><ul class=story>{items}</ul>"));
    }
    if let Some(memo) = memo {
        section.below.push_str(&format!("<p class=note>{}</p>", html(&memo_sentence(memo))));
    }
    Some(section)
}

/// The lanes over the message's life; `None` where that is not known.
fn drawing(story: &Story) -> Option<String> {
    let life = story.message.stage(Stage::EndToEnd).filter(|(ready, taken)| ready < taken)?;
    let height = LANE * (story.lanes.len() as f64 + 1.0);
    let end = html(&time((life.1 - life.0) as f64));
    let whole = NAMES + WIDTH;
    let mut text = format!(
        "<svg class=story viewBox=\"0 0 {whole} {height}\" role=img aria-label=\"What went on \
        while the message was on its way\">\
         <text x=\"{NAMES}\" y=\"14\">0</text><text x=\"{whole}\" y=\"14\" \
         text-anchor=end>{end}</text>"
    );
    for (at, lane) in story.lanes.iter().enumerate() {
        let top = LANE * (at as f64 + 1.0);
        let (name, class) = (html(&label(&lane.what)), class(&lane.what));
        text.push_str(&format!(
            "<text x=0 y=\"{}\">{name}</text><g class=\"{class}\">",
            top + 15.0
        ));
        text.push_str(&marks(lane, life, top));
        text.push_str("</g>");
    }
    text.push_str("</svg>");
    Some(text)
}

fn marks(lane: &Lane, (from, to): (i64, i64), top: f64) -> String {
    let place =
        |time: i64| NAMES + (time.clamp(from, to) - from) as f64 / (to - from) as f64 * WIDTH;
    let mut reached = f64::MIN;
    let mut text = String::new();
    let mut drawn = 0;
    for &(begin, end) in &lane.spans {
        let (left, right) = (place(begin), place(end).max(place(begin) + LEAST).min(NAMES + WIDTH));
        if right <= reached + 0.2 || drawn >= MARKS {
            continue;
        }
        let left = left.min(NAMES + WIDTH - LEAST);
        let (width, y) = ((right - left).max(LEAST), top + 3.0);
        text.push_str(&format!(
            "<rect x=\"{left:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"15\"/>"
        ));
        reached = right;
        drawn += 1;
    }
    text
}

/// The class that gives a lane its colour.
fn class(what: &LaneOf) -> &'static str {
    match what {
        LaneOf::Stage(Stage::SendWait) => "b",
        LaneOf::Stage(Stage::Transit) => "c",
        LaneOf::Stage(_) => "d",
        LaneOf::Work { kind: Kind::Execution, .. } => "work",
        LaneOf::Work { kind: Kind::Rollback, .. } | LaneOf::Cancelled { .. } => "undo",
        LaneOf::Work { kind: Kind::Collection, .. } => "collect",
        LaneOf::Work { .. } => "cycle",
        LaneOf::Taken { .. } | LaneOf::Held { .. } => "faint",
    }
}
