//! MPI as a product that reports know: what the messages and calls of a traced program tell.
//!
//! [`MpiLens`] is what the core asks. `messages` tallies messages (who waited for whom), `tally`
//! the tables of calls; `found` is what comes of both, `words`, `sections` and `series` show it.

#![forbid(unsafe_code)]
// Nobody outside this workspace uses it: what a name says needs no second line.
#![allow(missing_docs)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod account;
mod alike;
mod blocked_calls;
mod communicators;
mod cores;
mod error;
mod facts;
pub mod found;
mod functions;
mod grouped;
mod headline;
mod lens;
mod messages;
mod origins;
mod program;
mod rows;
mod sections;
mod series;
mod sites;
mod slices;
mod story;
mod study;
mod tables;
mod tally;
mod totals;
mod waits_csv;
mod words;

pub use self::study::{BoxStudy, INTEGER_BYTES, ONE_BOX, Sweep, TRIAL_BYTES, TWO_BOXES, Trial};
pub use blocked_calls::BlockedCall;
pub use communicators::communicators;
pub use error::LensError;
pub use functions::function_name;
pub use lens::{MpiLens, MpiReading, part};
pub use messages::MpiTally;
pub use program::{EagerLimit, ProgramError, ReadProgram, program};
pub use rows::{CallRow, calls_csv};
pub use sites::sites;
pub use slices::{CallSlice, slices, spans};
pub use tables::CallTables;
pub use tally::{CallColumns, CallTally, Function};
pub use waits_csv::waits_csv;
