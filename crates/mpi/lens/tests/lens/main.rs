//! Made-up runs of MPI programs: what is found in them and said of them.

#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect fails")]

mod calls;
mod messages;
#[path = "../made/mpi.rs"]
mod mpi;
#[path = "../made/mpi_read.rs"]
mod mpi_read;
mod program;
mod report;
mod story;
