//! What people see: the HTML page, the terminal report and CSV, all drawn from one run's facts and
//! analysis.
//!
//! Nothing is computed here but the wording, the units and the drawing: every figure comes from
//! [`stats::analysis::Analysis`], so that the page, the terminal and a script can never disagree.

#![forbid(unsafe_code)]

mod chart;
mod charts;
mod compare;
mod csv;
mod csv_explain;
mod csv_mpi;
mod csv_paging;
mod csv_simulation;
mod escape;
mod explain_terminal;
mod explanation;
mod facts;
mod finding;
mod format;
mod headline;
mod knees;
mod mpi;
mod mpi_facts;
mod mpi_tables;
mod mpi_terminal;
mod outcome;
mod page;
mod pager;
mod pager_facts;
mod pager_seconds;
mod pager_study;
mod pager_terminal;
mod palette;
mod peaks;
pub mod perfetto;
mod population;
mod ratios;
mod script;
mod simulation;
mod simulation_tables;
mod speedup;
mod story;
mod tables;
mod terminal;

pub use compare::{Compared, ComparedSide, compare_html, compare_terminal, intervention_terminal};
pub use csv::{csv, csv_quantiles, series_names};
pub use escape::printable;
pub use explain_terminal::explain_terminal;
pub use facts::{ClockFacts, Facts, Lost, tell_apart};
pub use finding::{finding_sentence, tail_sentence};
pub use format::time_text;
pub use headline::{Floor, headline_table};
pub use mpi_facts::{InProgress, MpiFacts};
pub use outcome::Outcome;
pub use page::{Entry, Page, html};
pub use pager_facts::{Paged, PagerFacts, Prediction};
pub use pager_seconds::{PagedPart, PagedSeconds};
pub use pager_study::{Bar, StudyFigure};
pub use population::population_words;
pub use ratios::{ratio_text, reason_text};
pub use speedup::{SpeedupLaunch, SpeedupRow, SpeedupStudy};
pub use story::{ObjectNames, Told, story};
pub use terminal::terminal;

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The place that the report was being written to refused it.
    #[error("the report could not be written: {0}; free some space or choose another place for it")]
    Write(#[from] std::io::Error),
    /// A series was asked for that reports do not have.
    #[error("there is no series '{name}'; there are: {known}")]
    UnknownSeries {
        /// What was asked for.
        name: String,
        /// What there is, separated by commas.
        known: String,
    },
    /// A page needs at least one run.
    #[error("there is no run to report; name at least one run folder")]
    NoRuns,
}
