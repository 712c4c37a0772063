//! Programs that talk over sockets as a product that reports know.

use crate::exchanges::Exchanges;
use crate::families::Families;
use crate::pairs::Pairs;
use crate::{exchange_section, facts, section, story, unread_section};
use record::{Run, RunInfo};
use report::{Facts, Lens, LensError, Part, ProductFacts, ProductStory, Reading};
use stats::analysis::Analysis;
use stats::story::Row;
use stats::{Tally, own};
use std::path::PathBuf;
use std::sync::Arc;
use streams::{KEY, SocketsFacts};

/// Runs of traced programs.
pub struct SocketsLens;

/// Such a run.
struct SocketsReading {
    run: PathBuf,
    facts: SocketsFacts,
    families: Arc<Families>,
}

impl Lens for SocketsLens {
    fn keys(&self) -> &'static [&'static str] {
        &[KEY]
    }

    fn facts(&self, info: &RunInfo) -> Option<ProductFacts> {
        Some(facts::product(&facts::of(info)?))
    }

    fn open(&self, run: &Run) -> Result<Option<Box<dyn Reading>>, LensError> {
        let facts = facts::of(&run.info);
        let run = run.path().to_path_buf();
        let reading = |facts| {
            let families = Arc::new(Families::of(&facts));
            Box::new(SocketsReading { run, facts, families }) as Box<dyn Reading>
        };
        Ok(facts.map(reading))
    }

    fn series(&self) -> &'static [&'static str] {
        &[]
    }
}

impl Reading for SocketsReading {
    fn is_traced(&self) -> bool {
        true
    }

    fn tally(&self) -> Box<dyn Tally> {
        Box::new(Pairs::of(&self.families))
    }

    fn story(&self, message: &Row) -> Result<ProductStory, LensError> {
        Ok(story::tell(&self.run, message)?)
    }

    fn finish(
        &self,
        tally: Box<dyn Tally>,
        _facts: &Facts,
        _analysis: &Analysis,
    ) -> Result<Option<Part>, LensError> {
        let pairs = own::<Pairs>(tally);
        let exchanges = Exchanges::read(&self.run, &self.facts, &self.families)?;
        let sections = [
            exchange_section::section(&self.facts, &self.families, &exchanges),
            section::section(&self.facts, &self.families, &pairs),
            unread_section::section(&self.facts, &self.families, &pairs),
        ];
        let sentence = exchange_section::headline(&self.facts, &exchanges);
        let below = exchange_section::below_headline(&self.facts, &exchanges);
        Ok(Some(Part {
            below: below.filter(|_| sentence.is_some()),
            sentence,
            sections: sections.into_iter().flatten().collect(),
            messages: exchange_section::messages(&exchanges),
            figures: serde_json::json!({ "sockets": self.facts }),
            ..Part::default()
        }))
    }
}
