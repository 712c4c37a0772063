//! Simulations, through the command line.

#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect fails")]

#[path = "../common/mod.rs"]
mod common;
mod elsewhere;
#[path = "../hosts/mod.rs"]
mod hosts;
mod launch;
mod messages;
mod predict;
mod run;
mod study;
