//! Where the time of messages went, as numbers: distributions, pieces, shares, spreads, intervals.
//!
//! Pure: no clock, no file, no thread, no system call. Columns go in, an
//! [`Analysis`](analysis::Analysis) comes out; the seed of the only random draws (bootstrap
//! intervals) is an argument.

#![forbid(unsafe_code)]
// Used within the workspace only: a name that says it all needs no sentence.
#![allow(missing_docs)]

pub mod account;
mod accumulator;
pub mod analysis;
pub mod bins;
mod blocks;
mod bootstrap;
mod breakdown;
pub mod build;
mod cells;
mod census;
mod columns;
pub mod compare;
mod cycles;
mod distribution;
pub mod explain;
pub mod figure;
mod filter;
mod finish;
mod grain;
mod groupings;
mod groups;
mod joint;
pub mod knees;
pub mod launches;
pub mod means;
mod messages;
mod moments;
mod odds;
mod pages;
mod peaks;
mod place;
mod population;
mod product;
mod rates;
mod sends;
mod series;
mod shares;
mod slowest;
pub mod speedup;
mod spread;
mod stages;
pub mod story;
mod stretches;
mod student;
mod summary;
mod tally;
pub mod timeline;
mod visits;
mod whole;
mod working;

pub use accumulator::{Accumulator, Options, Position};
pub use blocks::FileRows;
pub use census::Census;
pub use columns::{Columns, FIELDS};
pub use distribution::{Counted, Distribution, GroupDistribution, LogLinear};
pub use filter::{
    Bounds, Cut, CutError, CutPass, CutSearch, FILTER_FIELDS, Filter, Kinds, Places, RankKey,
    Share, Span, parse,
};
pub use moments::Moments;
pub use peaks::FALSE_ALARMS;
pub use product::{Tally, own};
pub use summary::summary;
