//! Programs that talk over sockets as a product that reports know.

use crate::exchanges::Exchanges;
use crate::pairs::Pairs;
use crate::{exchange_section, facts, section, story};
use record::{Run, RunInfo};
use report::{Facts, Lens, LensError, Part, ProductFacts, ProductStory, Reading};
use stats::analysis::Analysis;
use stats::story::Row;
use stats::{Tally, own};
use std::path::PathBuf;
use streams::{KEY, SocketsFacts};

/// Runs of traced programs.
pub struct SocketsLens;

/// Such a run.
struct SocketsReading {
    run: PathBuf,
    facts: SocketsFacts,
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
        Ok(facts.map(|facts| Box::new(SocketsReading { run, facts }) as Box<dyn Reading>))
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
        Box::new(Pairs::default())
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
        let exchanges = Exchanges::read(&self.run, &self.facts)?;
        let sections = [
            exchange_section::section(&self.facts, &exchanges),
            section::section(&self.facts, &pairs),
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
