//! Clocks: what a stamp is taken with, and what it means afterwards.
//!
//! Three time domains exist and never mix, so each is a type of its own:
//!
//! * [`Ticks`]: a raw reading of one node's clock. Cheap to take, meaningless on another node.
//! * [`TimelineNs`]: nanoseconds on a run's timeline, since the run began. What people and files
//!   see.
//! * virtual time: belongs to the simulation engine and is not known here.
//!
//! A stamp on the hot path is one [`Clock::now`]. Nothing is converted while measuring: a node
//! takes [`Anchor`]s at its start and end (and now and then in a long run), and closing the run
//! fits a [`Model`] that puts every tick on the timeline.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod fit;
mod model;
mod quality;
mod realtime;
mod segment;
mod simulated;
mod source;
mod sync;
mod track;

pub use model::{Cursor, Model, ModelError};
pub use quality::{Calibration, Quality, measure};
pub use realtime::Realtime;
pub use segment::Segment;
pub use simulated::set_simulated;
pub use source::{Anchor, Clock, Plant, Source, Ticks};
pub use sync::{Exchange, Offset, SyncError, best_offset};

/// A moment on a run's timeline, in nanoseconds since the run began. May be negative: a message
/// that was ready before the run's first anchor lies before zero.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct TimelineNs(pub i64);
