//! Run folders: written, read back, killed, damaged.

#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect fails")]

mod halves;
mod killed;
mod own_logs;
mod refusals;
mod round_trip;
mod untrusted;
