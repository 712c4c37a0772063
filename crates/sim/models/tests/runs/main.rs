//! Whole runs of the models. One program, because the engine is compiled for each model once a
//! program.

#![allow(clippy::unwrap_used)] // everything here is a test, also what is not marked as one

mod fnv;
mod golden;
mod memory;
mod soak;
mod watched;
