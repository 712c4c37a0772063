//! Programs, run as they are and paged.

#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect fails")]

mod common;
mod memory;
mod processes;
mod programs;
