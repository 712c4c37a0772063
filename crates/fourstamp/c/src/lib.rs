//! The C interface of the stamper: `include/fourstamp.h`, which says what each function does, for
//! C and for every language that calls C.
//!
//! A handle is memory that is never given back, with a word that says what it is and one that says
//! whether it is still open (`handle`). So a handle that was closed is told for certain, whoever
//! closed it, and so is one of before a fork. A function returns a code and leaves a line of text
//! behind (`failure`); a panic becomes a code, too. Structs say their size (`versioned`).
//!
//! Everything that C gives is checked here; what cannot be checked is a `# Safety` section, and
//! what the header says of it.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod failure;
mod handle;
mod node;
mod run;
mod text;
mod versioned;

#[cfg(test)]
mod tests;

pub use failure::fourstamp_error;
pub use node::{
    fourstamp_header, fourstamp_log_received, fourstamp_log_sent, fourstamp_node_check,
    fourstamp_node_counts, fourstamp_node_finish, fourstamp_node_open, fourstamp_now,
    fourstamp_record, fourstamp_taken,
};
pub use run::{fourstamp_close, fourstamp_create, fourstamp_join, fourstamp_leave};
pub use text::fourstamp_version;
