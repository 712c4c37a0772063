//! Runs as a document: one, or several side by side.

use document::{Document, Run, Section};
use stats::analysis::Analysis;

use crate::charts;
use crate::facts::Facts;
use crate::finding::stage_shares;
use crate::headline::Floor;
use crate::lens::Part;
use crate::opening;
use crate::palette;
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
    /// The story of its slowest message, where it is told.
    pub told: Option<&'a Told>,
}

impl Page<'_> {
    /// All of it.
    pub fn document(&self) -> Document {
        let title = self.title.to_owned();
        match self.runs {
            [] => Document { title, ..Document::default() },
            [entry] => Document {
                title,
                opening: opening::of_run(entry, self.floors),
                sections: entry.sections(),
                runs: Vec::new(),
            },
            several => Document {
                title,
                opening: opening::of_several(self),
                sections: Vec::new(),
                runs: several.iter().map(Entry::run).collect(),
            },
        }
    }
}

impl Entry<'_> {
    fn run(&self) -> Run {
        Run {
            name: self.path.to_owned(),
            title: self.facts.title(),
            brief: opening::brief(self.analysis),
            parts: palette::parts(&stage_shares(self.analysis)),
            opening: opening::of_run(self, &[]),
            sections: self.sections(),
        }
    }

    fn sections(&self) -> Vec<Section> {
        let own = self.parts.iter().flat_map(|part| part.sections.iter().cloned());
        own.chain(charts::sections(self)).collect()
    }
}
