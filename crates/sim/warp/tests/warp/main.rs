//! The engine under the arguments, configurations and threads of the command.

#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect fails")]

mod config;
mod run;
mod shared;
mod threads;
