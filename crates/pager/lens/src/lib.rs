//! A paged program as a product that reports know: where its completion time went, which pages
//! travelled when, and what another network would give.
//!
//! [`PagerLens`] is what the core asks. `tally` counts the pages among a run's messages, `found` is
//! what comes of it; `words`, `sections`, `series` and `study` show it. `prediction` plays the
//! run's `timeline` again over faster networks.

#![forbid(unsafe_code)]
// Nobody outside this workspace uses it: what a name says needs no second line.
#![allow(missing_docs)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod arithmetic;
pub mod followed;
pub mod found;
mod lens;
mod parts;
mod predicted;
pub mod prediction;
mod sections;
mod series;
mod study;
mod tally;
pub mod timeline;
mod words;

pub use self::study::{Alternative, PagedLaunch, PagingStudy, StudyRow};
pub use arithmetic::Typed;
pub use lens::{PagerLens, part};
pub use predicted::{PagedPrediction, PagedSide};
