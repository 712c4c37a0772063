//! Programs that talk over sockets as a product that reports know.

use crate::pairs::Pairs;
use crate::{facts, section};
use record::{Run, RunInfo};
use report::{Facts, Lens, LensError, Part, ProductFacts, Reading};
use stats::analysis::Analysis;
use stats::{Tally, own};
use streams::{KEY, SocketsFacts};

/// Runs of traced programs.
pub struct SocketsLens;

/// Such a run.
struct SocketsReading {
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
        Ok(facts.map(|facts| Box::new(SocketsReading { facts }) as Box<dyn Reading>))
    }

    fn series(&self) -> &'static [&'static str] {
        &[]
    }
}

impl Reading for SocketsReading {
    fn tally(&self) -> Box<dyn Tally> {
        Box::new(Pairs::default())
    }

    fn finish(
        &self,
        tally: Box<dyn Tally>,
        _facts: &Facts,
        _analysis: &Analysis,
    ) -> Result<Option<Part>, LensError> {
        let pairs = own::<Pairs>(tally);
        Ok(Some(Part {
            sections: section::section(&self.facts, &pairs).into_iter().collect(),
            figures: serde_json::json!({ "sockets": self.facts }),
            ..Part::default()
        }))
    }
}
