//! What a run says: one run's facts and analysis as a document, which page, terminal, CSV and JSON
//! show.
//!
//! Nothing is computed here but the wording and the drawing: every figure comes from
//! [`stats::analysis::Analysis`], so that no two of them can disagree.

#![forbid(unsafe_code)]

mod assembled;
pub mod build;
mod charts;
mod compare;
mod entry;
mod explanation;
mod facts;
pub mod figure;
mod finding;
pub mod foretold;
mod headline;
mod histogram_log;
mod knees;
mod lens;
mod opening;
pub mod openmetrics;
mod palette;
mod peaks;
pub mod perfetto;
mod population;
mod product_facts;
mod ratios;
mod series;
mod story;
mod tables;

pub use compare::{
    Compared, ComparedSeveral, ComparedSide, ComparedTotals, ComparedTrend, RUNS_MOST,
    intervention, short_names,
};
pub use entry::{Entry, Page};
pub use explanation::explanation;
pub use facts::{ClockFacts, Facts, Lost, tell_apart};
pub use finding::{finding_sentence, quantile, tail_sentence};
pub use headline::Floor;
pub use histogram_log::{HISTOGRAM_FIELDS, HistogramLog, HistogramLogError};
pub use lens::{Lens, LensError, Part, ProductStory, Reading};
pub use population::population_words;
pub use product_facts::ProductFacts;
pub use ratios::{ratio_text, reason_text};
pub use series::{series, series_names};
pub use story::{ObjectNames, Told, leading_to, stories};
