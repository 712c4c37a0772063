//! Traces in the Open Trace Format 2 (OTF2), which Vampir, Scalasca, Cube and Score-P's own tools
//! read.
//!
//! [`Trace`] collects calls, messages and collectives in any order; [`Trace::write`] puts each
//! location's events in the order that the format asks for (`order`) and writes them with libotf2,
//! which is loaded as the program runs: who does not export such traces needs no library.
//!
//! The format and its functions: "Open Trace Format Version 2, Library User Manual", version 3.0.

// The calls into libotf2 (`library`, `archive`) need unsafe code.
#![deny(unsafe_op_in_unsafe_fn)]

mod archive;
mod error;
mod events;
mod library;
mod order;
mod trace;

pub use error::Otf2Error;
pub use events::{Call, Collective, Location, Message, Operation, Process, Region, Role};
pub use library::{LIBRARY, Library};
pub use trace::{Trace, Written};
