//! `fourstamp explain` on a terminal: the finding, the peaks, and what goes with what is slow.

use stats::analysis::{Analysis, Explanation};

use crate::escape;
use crate::explanation::{Paragraph, episodes, idle_sentence, paragraphs};
use crate::facts::Facts;
use crate::finding::finding_sentence;
use crate::format::{counted, plain};
use crate::terminal::{which_messages, wrapped};

/// The explanation of one run, at most `width` columns wide (80 at least), of `most` groups of slow
/// messages.
pub fn explain_terminal(
    facts: &Facts,
    analysis: &Analysis,
    explanation: &Explanation,
    most: usize,
    width: usize,
) -> String {
    let width = width.clamp(80, 120);
    let mut blocks = vec![opening(facts, analysis, explanation, width)];
    blocks.extend(episodes(explanation).iter().map(|paragraph| block(paragraph, width)));
    let paragraphs = paragraphs(analysis, explanation);
    blocks.extend(paragraphs.iter().take(most).map(|paragraph| block(paragraph, width)));
    if paragraphs.len() > most {
        let more = format!(
            "And {} more that took less time: --all shows them.",
            counted((paragraphs.len() - most) as u64, "peak")
        );
        blocks.push(wrapped(&plain(&more), width));
    }
    if explanation.groups.is_empty() && explanation.episodes.is_empty() {
        blocks.push(wrapped(
            "No stage has more than one peak, and there are too few messages to \
        set the slowest 0.1 % apart: there is nothing to explain.",
            width,
        ));
    }
    blocks.push(wrapped(
        "What goes together need not be cause and effect. Change one thing and see whether the \
        peak moves: fourstamp bench ... --intervene pin|priority|timer|batch. \
         For one message: fourstamp story RUN.",
        width,
    ));
    blocks.join("\n")
}

fn opening(facts: &Facts, analysis: &Analysis, explanation: &Explanation, width: usize) -> String {
    let mut text = wrapped(&escape::terminal(&facts.title()), width);
    text.push_str(&which_messages(facts, analysis, width));
    text.push_str(&wrapped(&plain(&finding_sentence(analysis)), width));
    if let Some(idle) = idle_sentence(&explanation.idle) {
        text.push_str(&wrapped(&plain(&idle), width));
    }
    if explanation.watched.0 == 0 {
        text.push_str(&wrapped(
            "The machine was not watched during this run: causes outside its own record are not \
            known.",
            width,
        ));
    }
    text
}

fn block(paragraph: &Paragraph, width: usize) -> String {
    let mut text = wrapped(&plain(&paragraph.title), width);
    text.push_str(&indented(&paragraph.opening, "  ", width));
    for reason in &paragraph.reasons {
        text.push_str(&indented(reason, "  - ", width));
    }
    text
}

/// Wrapped text behind `mark`, whose following lines stand below the first word.
fn indented(text: &str, mark: &str, width: usize) -> String {
    let gap = " ".repeat(mark.chars().count());
    let lines = wrapped(&plain(&escape::terminal(text)), width - gap.len());
    let line = |(at, line): (usize, &str)| format!("{}{line}\n", if at == 0 { mark } else { &gap });
    lines.lines().enumerate().map(line).collect()
}
