//! A run on another network: completion times split into their parts, and runs played again over
//! another link.
//!
//! [`Completion`] is the arithmetic of Markatos and Dramitinos, "Implementation of a Reliable
//! Remote Memory Pager", USENIX 1996: only the part that waits for bytes gets shorter with a faster
//! network. [`replay`] goes further: it plays a recorded run's transfers and waits again over a
//! link of another rate and latency, so that what overlapped with computing, or begins to, is
//! counted. [`play()`] plays the [`Program`] that is in a run of messages on a machine: steps in
//! their order, messages over the machine's network.
//!
//! Pure: times are arguments. Times of pages are in seconds, those of a machine in its picoseconds;
//! all sizes are in bytes.

#![forbid(unsafe_code)]
// Used within the workspace only: a name that says it all needs no sentence.
#![allow(missing_docs)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod alone;
mod collective;
mod completion;
mod draw;
mod line;
mod link;
mod observed;
mod path;
mod play;
mod program;
mod replay;
mod service;
mod soonest;
mod wildcards;
mod wire;

pub use collective::{Hop, Library, Pattern, hops};
pub use completion::{Completion, Part};
pub use draw::{COVERS_PERCENT, DRAWS, DrawnProgram, Times, drawn_machine, drawn_service};
pub use line::Line;
pub use link::Link;
pub use observed::{Recorded as RecordedRun, Seen, observed};
pub use path::{Path, Share};
pub use play::{Played, Rematched, Spent, Stamps, Stuck, play};
pub use program::{Course, Courses, Flow, Parcel, Program, Step};
pub use replay::{Direction, Recorded, Replayed, Transfer, Wait, replay, unexplained_s};
pub use service::{Cause, Deed, Letter, Service, Thread, Trip, Turn, What, Window, serve};
pub use soonest::{Due, Soonest};
pub use wildcards::{Envelope, Wildcards};
