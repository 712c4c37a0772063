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

use crate::facts::Facts;

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

/// What the core must know of a product's run, as `run.json` has it.
#[derive(Clone, Debug, PartialEq)]
pub struct ProductFacts {
    /// What a node is called.
    pub noun: &'static str,
    /// Lines before all others.
    pub first: Vec<String>,
    /// Why no conclusion can be drawn from the run.
    pub warning: Option<String>,
    /// What was not seen, or not to its end, a line each.
    pub losses: Vec<String>,
    /// What the reader should know, a line each.
    pub remarks: Vec<String>,
    /// Further parameters: name and value.
    pub parameters: Vec<(String, String)>,
    /// Results as the product's own counters have them: a heading, and names with values.
    pub results: Option<(&'static str, Vec<(String, String)>)>,
}

impl Default for ProductFacts {
    fn default() -> ProductFacts {
        ProductFacts {
            noun: "node",
            first: Vec::new(),
            warning: None,
            losses: Vec::new(),
            remarks: Vec::new(),
            parameters: Vec::new(),
            results: None,
        }
    }
}

/// A product's part of a run's document.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// What stands in place of the numbers of nodes, launches and messages.
    pub counts: Option<Vec<String>>,
    /// The run's most important sentence, in place of the one about stages.
    pub sentence: Option<String>,
    /// What a message is here, before the sentence about stages.
    pub message_is: &'static str,
    /// Blocks of the first screen.
    pub opening: Vec<Block>,
    /// Sections, before those of the core.
    pub sections: Vec<Section>,
    /// What its charts plot.
    pub series: Vec<Series>,
    /// All its figures, under their names, for `--json`.
    pub figures: serde_json::Value,
}
