//! Runs as a document: one, or several side by side.

use document::{Document, Run, Section};

use crate::entry::{Entry, Page};
use crate::finding::stage_shares;
use crate::{charts, opening, palette, story};

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
                sections: charts::several::section(several).into_iter().collect(),
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
        let own = own.map(|section| story::settle(section, self.told));
        own.chain(charts::sections(self)).collect()
    }
}
