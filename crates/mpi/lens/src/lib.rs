//! What the run of a traced MPI program tells beside its messages: the tables of calls, read a row
//! group at a time, tallied, and handed on row by row.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod error;
mod functions;
mod rows;
mod sites;
mod slices;
mod tables;
mod tally;

pub use error::LensError;
pub use functions::function_name;
pub use rows::{CallRow, calls_csv};
pub use sites::sites;
pub use slices::{CallSlice, slices, spans};
pub use tables::CallTables;
pub use tally::{CallColumns, CallTally, Function};
