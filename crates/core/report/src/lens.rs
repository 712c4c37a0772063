//! What a product brings: its tally of a run's rows, and its part of the document.
//!
//! ```text
//!  run.json ──► Lens::facts ──► what the core's own pages must know of the run
//!  rows     ──► Reading::tally (one a thread, merged) ──► Reading::finish ──► Part: sections, ...
//! ```
//!
//! The core names no product: whoever puts a program together lists the lenses.

use document::{Block, Section, Series};
use record::{Run, RunInfo};
use stats::Tally;
use stats::analysis::Analysis;
use stats::story::Row;

use crate::facts::Facts;
use crate::product_facts::ProductFacts;

/// Why a product could not read its part of a run: says what, to what, and what to do.
pub type LensError = Box<dyn std::error::Error + Send + Sync>;

/// A product, as far as reports know it.
pub trait Lens: Sync {
    /// Parameters of `run.json` that hold its results, and so are none.
    fn keys(&self) -> &'static [&'static str];

    /// What `run.json` says; `None` when the run is not of this product.
    fn facts(&self, info: &RunInfo) -> Option<ProductFacts>;

    /// Begin to read a run; `None` when there is nothing in it for this product.
    ///
    /// # Errors
    /// When a file of this product cannot be read.
    fn open(&self, run: &Run) -> Result<Option<Box<dyn Reading>>, LensError>;

    /// Names of the series that its part may have.
    fn series(&self) -> &'static [&'static str];
}

/// A run that a product reads.
pub trait Reading: Sync {
    /// Whether messages are calls of a traced program; see [`stats::Options::traced`].
    fn is_traced(&self) -> bool {
        false
    }

    /// A tally that has seen nothing, for one thread.
    fn tally(&self) -> Box<dyn Tally>;

    /// What the story of a message begins with.
    ///
    /// # Errors
    /// When a file of this product cannot be read.
    fn story(&self, _message: &Row) -> Result<ProductStory, LensError> {
        Ok(ProductStory::default())
    }

    /// Sums over the run that are compared where runs are: name and ns, always in one order; none
    /// where the product has none, or this run lacks them.
    ///
    /// # Errors
    /// When a file of this product cannot be read.
    fn totals(&self) -> Result<Vec<(String, i64)>, LensError> {
        Ok(Vec::new())
    }

    /// What there is to say, from the tally of all rows; `None` when the rows had nothing for this
    /// product.
    ///
    /// # Errors
    /// When a file of this product cannot be read.
    fn finish(
        &self,
        tally: Box<dyn Tally>,
        facts: &Facts,
        analysis: &Analysis,
    ) -> Result<Option<Part>, LensError>;
}

/// What a product knows of one message.
#[derive(Clone, Debug, Default)]
pub struct ProductStory {
    /// What is said before all else; none where the product has nothing of its own to say.
    pub sentences: Vec<String>,
    /// Its figures, for `--json`.
    pub figures: serde_json::Value,
}

/// A product's part of a run's document.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// What stands in place of the numbers of nodes, launches and messages.
    pub counts: Option<Vec<String>>,
    /// The run's most important sentence, in place of the one about stages.
    pub sentence: Option<String>,
    /// What stands below that sentence.
    pub below: Option<String>,
    /// What a message is here, before the sentence about stages.
    pub message_is: &'static str,
    /// What stands in place of the sentences about stages, where they would say what is not known.
    pub stages: Option<String>,
    /// Blocks of the first screen.
    pub opening: Vec<Block>,
    /// Sections, before those of the core.
    pub sections: Vec<Section>,
    /// Messages that its sections lead to ([`leading_to`](crate::leading_to)): launch, source and
    /// number; a page tells their stories where that is quick.
    pub messages: Vec<(u32, u32, u64)>,
    /// What its charts plot.
    pub series: Vec<Series>,
    /// All its figures, under their names, for `--json`.
    pub figures: serde_json::Value,
}

impl Facts {
    /// The facts of a run, as far as these products know it.
    pub fn of(info: &RunInfo, lenses: &[&dyn Lens]) -> Facts {
        let keys: Vec<&str> = lenses.iter().flat_map(|lens| lens.keys()).copied().collect();
        let product = lenses.iter().find_map(|lens| lens.facts(info)).unwrap_or_default();
        Facts::with(info, &keys, product)
    }
}
