//! Network namespaces on this machine with a link of a given rate between them, for studies of what
//! a network does.
//!
//! It takes root, and `ip` and `tc`. What a killed program has left is removed by the next one.

#![forbid(unsafe_code)]

mod error;
pub mod link;
pub mod namespaces;
pub mod process;

pub use error::ShapedError;
pub use link::Link;
pub use namespaces::Namespaces;

/// Told what could not be removed, and how to: a line for a person.
pub type Tell = fn(&str);
