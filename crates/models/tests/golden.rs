//! Against the golden files: committed counts per object, totals, and the trace row by row.

#![allow(clippy::unwrap_used)] // everything here is a test, also what is not marked as one

mod golden {
    mod invariants;
    mod optimistic;
    mod phold;
    mod ping;
    mod rules;
    mod warpnet;
    pub mod watched;
}
use golden::watched;
