//! Why messages were slow: a second pass over a run, for the groups of slow messages that the first
//! one found.
//!
//! 1. [`questions`]: the groups: every peak but the largest, and the slowest 0.1 %.
//! 2. [`Gatherer`]: which messages they are, and what else the run recorded: a bounded sample,
//!    chosen by the messages' identities, so that any order of reading gives the same.
//! 3. [`Gatherer::explain`]: first the episodes that hold much of all messages' time, each by
//!    itself (`heavy`), with what was seen on the nodes that it depends on; their messages are left
//!    out of the rest. Then what goes with the groups: things that happened beside them (`spans`,
//!    `weigh`), columns in which they are alike (`alike`), periods (`period`), and what idle cores
//!    lose anyway (`noise`).
//!
//! All of it is association, held against what chance would give and corrected for all that was
//! tried. A cause is confirmed by changing it.

mod alike;
mod chance;
mod gather;
mod heavy;
mod noise;
mod overlaps;
mod period;
mod question;
mod sample;
mod spans;
mod weigh;

pub use gather::{FIELDS, Gatherer, questions};
pub use heavy::Lateness;
pub use question::Question;

#[cfg(test)]
mod tests;
