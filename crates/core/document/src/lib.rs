//! What a result says, made once and shown five ways.
//!
//! ```text
//!                        ┌─► page      one HTML file, its charts as SVG in it
//!  Document ─ Section ───┼─► terminal  sentences and tables, at least 80 columns wide
//!    Block, Table, Chart ├─► csv       a table with its own columns, or every plotted series
//!                        ├─► svg       one chart as a picture
//!                        └─► json      all of it, for scripts
//! ```
//!
//! Who makes a document writes sentences, tables whose columns have a unit, and charts; no tag, no
//! padding, no separator. Numbers stay numbers until they are shown: [`Unit`] says how each is
//! written for people, and CSV and JSON get the number itself.
//!
//! All text is data: names from outside are made harmless where they are shown, not where a
//! document is made.

#![forbid(unsafe_code)]

mod block;
pub mod chart;
mod chooser;
mod colour;
mod column_unit;
mod csv;
mod escape;
mod format;
mod json;
mod page;
mod palette;
mod picture;
mod plot;
mod section;
mod series;
mod table;
mod terminal;
mod unit;

pub use block::{
    Block, Drawing, Figures, Fold, LaneOf, Lanes, Pairs, Parts, Shape, ShareBar, Track,
};
pub use chart::{Chart, ChartText, Mode};
pub use chooser::{
    CHOSEN_QUANTILES, Choice, Chooser, ChooserCell, ChooserTimes, ChosenFigures, Facet, Measure,
};
pub use colour::{Colour, Paint, ordered};
pub use csv::{series_csv, table_csv};
pub use escape::printable;
pub use format::{
    NONE, axis_seconds, byte_rate, count, counted, part, plain, points, quantile_name,
    quantile_percent, rate, ratio, signed_part, six_figures, size, time, time_or_none, time_text,
};
pub use json::json;
pub use page::page;
pub use picture::svg;
pub use section::{Document, Run, Section};
pub use series::{Point, Series};
pub use table::{Cell, Column, Row, Shown, Table, Value};
pub use terminal::{Screen, fitted, terminal};
pub use unit::Unit;

/// Why a document could not be shown.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// The place that it was being written to refused it.
    #[error("cannot write the report: {0}; free some space, or choose another file")]
    Write(#[from] std::io::Error),
    /// No chart has that name.
    #[error("there is no chart '{name}'; choose from: {known}")]
    NoChart {
        /// What was asked for.
        name: String,
        /// What there is, separated by commas.
        known: String,
    },
    /// No table and no series has that name.
    #[error("there is no table or series '{name}'; choose from: {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is, separated by commas.
        known: String,
    },
}
