//! Simulated clusters against the sequential engine.

#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect fails")]

mod containment;
mod equal;
mod liveness;
mod migration;
mod models;
mod saving;
mod simulated;
mod zip_forward;
