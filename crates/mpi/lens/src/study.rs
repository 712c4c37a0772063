//! One box against two: the ping-pong of document 003 within a box and between two, as its table
//! 1.1, and its times by message size.
//!
//! The time is that of the whole round trip, which is what the document measures ("send and
//! receive", to the other and back).

mod packets;
mod sizes;
mod trials;

use document::{Block, Document};
use shaped::link::Link;
use stats::analysis::{SizePoint, Summary};

/// Payload of a trial's messages: two integers.
pub const TRIAL_BYTES: u64 = 8;
/// Bytes of an integer.
pub const INTEGER_BYTES: u64 = 4;
/// Both processes in one box, and each in a box of its own, as the tables say.
pub const ONE_BOX: &str = "one box";
pub const TWO_BOXES: &str = "two boxes";

/// What was measured.
#[derive(Default)]
pub struct BoxStudy<'a> {
    /// What carried the messages.
    pub over: &'a str,
    /// The link between the two boxes, where its rate is known.
    pub link: Option<&'a Link>,
    pub trials: Vec<Trial<'a>>,
    pub sweeps: Vec<Sweep<'a>>,
    /// What was left out, and why.
    pub remarks: Vec<String>,
}

/// Many round trips of one size.
#[derive(Clone, Copy)]
pub struct Trial<'a> {
    pub boxes: &'static str,
    /// From 1.
    pub trial: u32,
    /// Its round trips.
    pub cycles: &'a Summary,
}

/// Round trips of all sizes.
#[derive(Clone, Copy)]
pub struct Sweep<'a> {
    pub boxes: &'static str,
    /// From 1.
    pub trial: u32,
    pub sizes: &'a [SizePoint],
    /// Its knees and packets, where there are enough sizes.
    pub fit: Option<&'a stats::analysis::Sweep>,
}

impl BoxStudy<'_> {
    /// The study alone.
    pub fn document(&self) -> Document {
        let mut opening: Vec<Block> = trials::finding(self)
            .or_else(|| sizes::finding(self))
            .map(Block::Finding)
            .into_iter()
            .collect();
        let said = trials::of_the_link(self).into_iter().chain(sizes::of_the_link(self));
        opening.extend(said.map(Block::Lead));
        if !self.remarks.is_empty() {
            opening.push(Block::List(self.remarks.clone()));
        }
        if !self.trials.is_empty() {
            opening.extend(trials::blocks(self));
        }
        opening.extend(sizes::blocks(self));
        let title = "One box against two · Fourstamp".into();
        let sections = packets::section(self).into_iter().collect();
        Document { title, opening, sections, ..Document::default() }
    }

    /// The study with what is said of its runs below it.
    pub fn page(&self, runs: Document) -> Document {
        let mut page = self.document();
        let has_finding = page.opening.iter().any(|block| matches!(block, Block::Finding(_)));
        page.opening.push(Block::Heading("The runs".to_owned()));
        page.opening.extend(runs.opening.into_iter().filter_map(|block| match block {
            Block::Eyebrow(words) if words == [runs.title.as_str()] => None,
            // A page has one.
            Block::Finding(words) if has_finding => Some(Block::Lead(words)),
            other => Some(other),
        }));
        page.sections.extend(runs.sections);
        Document { runs: runs.runs, ..page }
    }
}

/// As people write it: two digits behind the point.
fn micros(ns: f64) -> String {
    format!("{:.2}", ns / 1e3)
}

#[cfg(test)]
mod tests;
