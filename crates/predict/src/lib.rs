//! A run on another network: completion times split into their parts, and runs played again over
//! another link.
//!
//! [`Completion`] is the arithmetic of Markatos and Dramitinos, "Implementation of a Reliable
//! Remote Memory Pager", USENIX 1996: only the part that waits for bytes gets shorter with a faster
//! network. [`replay`] goes further: it plays a recorded run's transfers and waits again over a
//! link of another rate and latency, so that what overlapped with computing, or begins to, is
//! counted.
//!
//! Pure: times are arguments. All times are in seconds, all sizes in bytes.

#![forbid(unsafe_code)]
// Used within the workspace only: a name that says it all needs no sentence.
#![allow(missing_docs)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod completion;
mod line;
mod link;
mod replay;
mod soonest;

pub use completion::{Completion, Part};
pub use link::Link;
pub use replay::{Direction, Recorded, Replayed, Transfer, Wait, replay};
