//! Traced MPI programs, and the command as a job of mpirun: what reports say of them.

#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect fails")]

mod blocked;
mod chain;
mod collect;
mod collectives;
#[path = "../common/mod.rs"]
mod common;
mod hosts;
mod job;
mod planted;
mod programs;
mod python;
mod trace;
mod wire;
