//! Programs of every kind, run as they are and traced.

#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect fails")]

mod common;
mod ends;
mod every;
mod headers;
mod kinds;
mod languages;
