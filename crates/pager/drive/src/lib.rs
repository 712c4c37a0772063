//! Paged programs from outside: page servers as processes of this machine, the kernel's own swap to
//! compare with, and what the processes of a run say of themselves.
//!
//! Nothing here prints: lines for people are handed back, or to a [`Tell`].

#![forbid(unsafe_code)]

mod error;
pub mod facts;
pub mod news;
pub mod patience;
pub mod servers;
pub mod status;
pub mod swap;
pub mod unpaged;

pub use error::DriveError;
pub use servers::Servers;

/// Told what could not be removed, and how to: a line for a person.
pub type Tell = fn(&str);
