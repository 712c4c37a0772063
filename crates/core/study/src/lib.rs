//! Contestants, each launched several times, in turn: the one loop behind every study.
//!
//! Launches are interleaved, since a machine changes while it is measured: one of each contestant,
//! then the next of each, in an [order](turns) that favours nobody. A launch that fails is a
//! result, under its name, and the study goes on; only what makes the comparison void ends it.
//! Ctrl-C keeps what was measured.
//!
//! The [loop](run) launches nothing itself, reads no clock and prints nothing: who studies brings
//! these. [`process`] is how most launch, a fresh process under a time limit.
//!
//! Why several launches, and why they are the unit of every interval: T. Kalibera and R. Jones,
//! Rigorous benchmarking in reasonable time, ISMM 2013.

#![forbid(unsafe_code)]

mod order;
pub mod process;
mod results;
mod run;

pub use order::turns;
pub use results::{Failure, Launch, Results};
pub use run::{Contestant, Ended, Surroundings, Turn, run};
