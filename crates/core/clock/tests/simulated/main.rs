//! Clock models and synchronisation against clocks whose truth is known.

#![allow(clippy::unwrap_used)]

mod machine;
mod model;
mod sync;
