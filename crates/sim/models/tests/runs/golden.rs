//! Against the golden files: committed counts per object, totals, and the trace row by row.

mod invariants;
mod optimistic;
mod phold;
mod ping;
mod pucks;
mod rules;
mod slooow;
mod stb88;
mod warpnet;

pub use pucks::benchmark;
