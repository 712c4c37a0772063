//! Benchmarks and what is asked of runs, through the command line.

#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect fails")]

mod alone;
mod bench_rates;
mod calibrate;
#[path = "../common/mod.rs"]
mod common;
mod compare;
mod compare_many;
mod export;
mod failures;
mod figure;
mod leftovers;
mod machine;
mod measure;
mod messages;
#[path = "../../../mpi/lens/tests/made/mpi.rs"]
#[allow(dead_code, reason = "made for several tests")]
mod mpi;
mod planted;
mod reproduce;
mod shell;
mod story;
mod study;
