//! A document on a terminal: sentences, tables, bars; at least 80 columns wide.

mod bars;
mod grid;
mod tables;

use crate::block::{Block, Figures, Pairs};
use crate::chart::ChartText;
use crate::escape;
use crate::format::plain;
use crate::section::{Document, Run, Section};

/// What the terminal can show.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    /// Columns; fewer than 80 are taken as 80, and more than 160 as 160.
    pub width: usize,
    /// Whether colours are shown.
    pub colour: bool,
}

/// The document as text.
pub fn terminal(document: &Document, screen: Screen) -> String {
    let screen = Screen { width: screen.width.clamp(80, 160), ..screen };
    let mut parts = opening(&document.opening, screen);
    parts.extend(document.sections.iter().filter_map(|one| section(one, screen)));
    for run in &document.runs {
        parts.extend(of_run(run, screen));
    }
    parts.join("\n")
}

fn of_run(run: &Run, screen: Screen) -> Vec<String> {
    let mut parts = vec![screen.bold(&line(&run.title)) + "\n"];
    parts.extend(opening(&run.opening, screen));
    parts.extend(run.sections.iter().filter_map(|one| section(one, screen)));
    parts
}

/// Sentences that follow each other stand together; everything else stands apart.
fn opening(blocks: &[Block], screen: Screen) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut joins = false;
    for one in blocks {
        let text = block(one, screen);
        let sentence = matches!(
            one,
            Block::Eyebrow(_)
                | Block::Finding(_)
                | Block::Lead(_)
                | Block::Note(..)
                | Block::Warning(_)
                | Block::List(_)
                | Block::Figures(_)
                | Block::Pairs(_)
        );
        match parts.last_mut() {
            Some(last) if joins && sentence => last.push_str(&text),
            _ => parts.push(text),
        }
        joins = sentence;
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn section(section: &Section, screen: Screen) -> Option<String> {
    if section.page_only {
        return None;
    }
    let mut text = screen.bold(&line(&section.title));
    text.push('\n');
    text.push_str(&screen.wrapped(&section.sentence));
    for chart in section.charts.iter().filter_map(|chart| chart.text.as_ref()) {
        text.push_str(&match chart {
            ChartText::Spark { head, ends, counts } => {
                bars::spark(head, ends, counts, screen.width)
            }
            ChartText::Sparks { ends, rows } => {
                rows.iter().map(|(head, n)| bars::spark(head, ends, n, screen.width)).collect()
            }
            ChartText::Levels { head, ends, values } => {
                bars::levels(head, ends, values, screen.width)
            }
        });
    }
    let mut is_below_words = false;
    for one in &section.blocks {
        let is_drawing = matches!(one, Block::Lanes(_));
        if is_drawing && is_below_words {
            text.push('\n');
        }
        text.push_str(&block(one, screen));
        is_below_words = !is_drawing;
    }
    Some(text)
}

fn block(block: &Block, screen: Screen) -> String {
    match block {
        // A window is called after the program; here the command has just been typed.
        Block::Eyebrow(parts) => screen.wrapped(parts.join(", ").trim_end_matches(" · Fourstamp")),
        Block::Finding(words) => {
            let text = screen.wrapped(words);
            text.lines().map(|line| screen.bold(line) + "\n").collect()
        }
        Block::Lead(words) => screen.wrapped(words),
        Block::Note(None, words) => screen.wrapped(words),
        Block::Note(Some(about), words) => screen.wrapped(&format!("{about}: {words}")),
        Block::Warning(lines) => lines.iter().map(|line| warning(line, screen)).collect(),
        Block::Heading(words) => screen.wrapped(words),
        Block::List(lines) => lines.iter().map(|line| screen.item(line)).collect(),
        Block::Figures(rows) => rows.iter().map(|row| figures(row, screen)).collect(),
        Block::Bars(all, parts) => bars::share_bars(all, parts, screen),
        Block::Pairs(groups) => groups.iter().map(|group| pairs(group, screen)).collect(),
        Block::Table(table) => tables::table(table, screen),
        Block::Lanes(lanes) => bars::lanes(lanes, screen.width),
        // What they show stands elsewhere, too.
        Block::Aside(_) | Block::Drawing(_) | Block::Chooser(_) => String::new(),
        Block::Tracks(all) => bars::tracks(all, screen),
        Block::Fold(fold) => {
            let inside: String = fold.blocks.iter().map(|one| self::block(one, screen)).collect();
            screen.wrapped(&fold.words) + &inside
        }
    }
}

fn warning(text: &str, screen: Screen) -> String {
    let text = screen.wrapped(&format!("! {text}"));
    text.lines().map(|line| screen.warn(line) + "\n").collect()
}

fn figures(row: &Figures, screen: Screen) -> String {
    let tiles: Vec<String> =
        row.tiles.iter().map(|(name, value)| format!("{name} {value}")).collect();
    screen.wrapped(&format!("{}: {}.", row.head, tiles.join(", ")))
}

fn pairs(group: &Pairs, screen: Screen) -> String {
    let said: Vec<String> = group.filled().map(|(name, value)| format!("{name} {value}")).collect();
    if said.is_empty() {
        return String::new();
    }
    screen.wrapped(&format!("{}: {}.", group.head, said.join("; ")))
}

/// Text that has its lines already, each broken between words where it is longer than the terminal
/// is wide; what goes on stands below the second column, if the line has columns near its begin.
pub fn fitted(text: &str, width: usize) -> String {
    let one = |line: &str| {
        // Whoever paints a line has seen to its width.
        if line.chars().count() <= width || line.contains('\u{1b}') {
            return line.to_owned();
        }
        let (inset, rest) = line.split_at(line.len() - line.trim_start().len());
        let column = rest.find("  ").map_or(0, |gap| {
            let after = rest[gap..].trim_start();
            rest[..rest.len() - after.len()].chars().count()
        });
        let indent = inset.len() + if column + inset.len() <= 24 { column } else { 0 };
        textwrap::fill(line, wrapping(width, &" ".repeat(indent)))
    };
    text.split_inclusive('\n')
        .map(|line| match line.strip_suffix('\n') {
            Some(line) => one(line) + "\n",
            None => one(line),
        })
        .collect()
}

/// Lines are broken at plain gaps, and nowhere else.
fn wrapping(width: usize, indent: &str) -> textwrap::Options<'_> {
    textwrap::Options::new(width)
        .subsequent_indent(indent)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit)
        .break_words(false)
}

/// One line of text from anywhere, with plain gaps.
fn line(text: &str) -> String {
    plain(&escape::terminal(text))
}

/// The command that a sentence ends with stays in one line where one is long enough for it, so that
/// it can be copied.
fn unparted(text: &str, width: usize) -> String {
    let Some(at) = text.rfind(": fourstamp ") else { return text.to_owned() };
    let (said, command) = text.split_at(at + 2);
    if command.contains(". ") || command.chars().count() > width {
        return text.to_owned();
    }
    format!("{said}{}", command.replace(' ', "\u{a0}"))
}

impl Screen {
    /// Text in lines that fit. Each line that goes on is indented no further.
    fn wrapped(self, text: &str) -> String {
        self.filled(text, "")
    }

    fn item(self, text: &str) -> String {
        self.filled(&format!("- {text}"), "  ")
    }

    fn filled(self, text: &str, indent: &str) -> String {
        // A number is never parted from its unit: the gap between them becomes a plain one below.
        let text = unparted(&escape::terminal(text), self.width - indent.len());
        let words = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        if words.is_empty() {
            return String::new();
        }
        plain(&textwrap::fill(&words, wrapping(self.width, indent))) + "\n"
    }

    fn bold(self, text: &str) -> String {
        if self.colour { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    fn warn(self, text: &str) -> String {
        if self.colour { format!("\u{1b}[1;33m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    fn paint(self, colour: crate::Colour, text: &str) -> String {
        match colour.ansi() {
            Some(code) if self.colour => format!("\u{1b}[38;5;{code}m{text}\u{1b}[0m"),
            _ => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_stand_apart_from_the_words_above_them() {
        let lanes = || {
            let lanes = Vec::new();
            Block::Lanes(crate::Lanes { label: String::new(), length: "1 s".to_owned(), lanes })
        };
        let told = |blocks: Vec<Block>| {
            let section = Section { blocks, ..Section::new("s", "Title", "") };
            let document = Document { sections: vec![section], ..Document::default() };
            terminal(&document, Screen { width: 80, colour: false })
        };
        let below = told(vec![Block::Lead("Words.".to_owned()), lanes()]);
        assert!(below.starts_with("Title\nWords.\n\n "), "{below}");
        assert!(told(vec![lanes(), lanes()]).lines().all(|line| !line.is_empty()));
    }

    #[test]
    fn a_line_is_broken_between_words_and_goes_on_below_its_column() {
        let line = " ✓ clock    time-stamp counter: a reading costs 9 ns";
        let said = " ✓ clock    time-stamp counter: a\n            reading costs 9 ns";
        assert_eq!(fitted(&format!("{line}\nshort\n"), 34), format!("{said}\nshort\n"));
        assert_eq!(fitted("one two three", 8), "one two\nthree");
        assert_eq!(fitted(line, 80), line);
    }
}
