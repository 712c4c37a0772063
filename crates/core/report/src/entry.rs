//! What a document is made of: one run, or several side by side.

use stats::analysis::{Analysis, Explanation};

use crate::facts::Facts;
use crate::headline::Floor;
use crate::lens::Part;
use crate::story::Told;

/// What a page shows.
#[derive(Debug)]
pub struct Page<'a> {
    /// The title of the window; the finding is the headline.
    pub title: &'a str,
    /// The runs: one fills the page; several get a table that compares them, and a fold each.
    pub runs: &'a [Entry<'a>],
    /// What the machine can do at best.
    pub floors: &'a [Floor],
    /// Further remarks for the first screen of a page of several runs: what the machine offers and
    /// lacks.
    pub remarks: &'a [String],
}

/// One run of a page.
#[derive(Debug)]
pub struct Entry<'a> {
    /// Where it was read from.
    pub path: &'a str,
    /// What ran.
    pub facts: &'a Facts,
    /// What was found.
    pub analysis: &'a Analysis,
    /// What products say of it.
    pub parts: &'a [Part],
    /// The stories that are told: the first is a section, the others are folded.
    pub told: &'a [Told],
    /// What goes with its slow messages, where that was looked for.
    pub explained: Option<&'a Explanation>,
}

impl<'a> Entry<'a> {
    /// A run without stories and explanation, which need a closer look at it.
    pub fn new(path: &'a str, facts: &'a Facts, analysis: &'a Analysis) -> Entry<'a> {
        Entry { path, facts, analysis, parts: &[], told: &[], explained: None }
    }
}
