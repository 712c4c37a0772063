//! Logs of made-up jobs, and what is found in them.

#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect fails")]

mod blocked;
mod cluster;
mod functions;
mod refused;
mod shares;
mod simulation;
