//! A story on a terminal.

use stats::analysis::Stage;
use stats::story::{LaneOf, Story};

use super::Told;
use super::lanes::{cells, label};
use super::phrases::memo_sentence;
use super::words::Words;
use crate::escape;
use crate::format::{count, plain, time};
use crate::terminal::{Paint, wrapped};

/// Columns of a lane's name, at most.
const LABEL: usize = 30;

/// A story, at most `width` columns wide (60 at least); `colour` adds terminal colours.
pub fn story(told: &Told, width: usize, colour: bool) -> String {
    let Told { story, launch, names, memo } = told;
    let width = width.clamp(60, 120);
    let (words, paint) = (Words { story, names }, Paint { colour });
    let mut text = wrapped(&safe(&words.opening(*launch)), width);
    text.push_str(&wrapped(&safe(&words.picked()), width));
    for line in wrapped(&safe(&words.headline()), width).lines() {
        text.push_str(&format!("{}\n", paint.bold(line)));
    }
    text.extend(words.usual().map(|usual| wrapped(&safe(&usual), width)));
    text.push_str(&timeline(story, width, &paint));
    for chapter in &story.chapters {
        text.push_str(&format!(
            "\n{}\n",
            paint.stage(chapter.stage, &safe(&words.heading(chapter)))
        ));
        words
            .sentences(chapter)
            .iter()
            .for_each(|sentence| text.push_str(&indented(&safe(sentence), width)));
    }
    if let Some(memo) = memo {
        text.push_str(&format!("\n{}", wrapped(&safe(&memo_sentence(memo)), width)));
    }
    if story.left_out > 0 {
        let left_out = count(story.left_out);
        let note = format!(
            "Too much went on to look at all of it: the {left_out} earliest rows around it were \
            left out."
        );
        text.push_str(&format!("\n{}", wrapped(&safe(&note), width)));
    }
    text
}

fn safe(text: &str) -> String {
    plain(&escape::terminal(text))
}

/// A sentence with its lines indented.
fn indented(sentence: &str, width: usize) -> String {
    let lines = wrapped(sentence, width - 4);
    let indented = lines.lines().enumerate();
    indented.map(|(at, line)| format!("  {} {line}\n", if at == 0 { "-" } else { " " })).collect()
}

/// A line for each lane, over the message's life.
fn timeline(story: &Story, width: usize, paint: &Paint) -> String {
    let Some(life) = story.message.stage(Stage::EndToEnd).filter(|(ready, taken)| ready < taken)
    else {
        return String::new();
    };
    let labels: Vec<String> =
        story.lanes.iter().map(|lane| short(&safe(&label(&lane.what)))).collect();
    let widest = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let room = width - widest - 4;
    let end = plain(&time((life.1 - life.0) as f64));
    let mut text = format!("\n  {:widest$}  0{end:>1$}\n", "", room - 1);
    for (lane, label) in story.lanes.iter().zip(&labels) {
        let drawn = cells(lane, life, room);
        let drawn = match lane.what {
            LaneOf::Stage(stage) => paint.stage(stage, &drawn),
            _ => drawn,
        };
        text.push_str(&format!("  {label:widest$}  {drawn}\n"));
    }
    text
}

fn short(label: &str) -> String {
    match label.chars().count() {
        long if long > LABEL => label.chars().take(LABEL - 1).chain(['…']).collect(),
        _ => label.to_owned(),
    }
}
