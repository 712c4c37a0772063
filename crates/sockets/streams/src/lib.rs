//! The calls of programs that talk over sockets and pipes, and the messages found in them.
//!
//! The tracer (`sockettrace`) writes a log a process while the program runs; [`entry`] is its
//! format. [`close`](close::close) makes messages of the logs. TCP's byte offset is the matching
//! rule: both ends of a connection count the bytes of each direction from its beginning, so the
//! message that ends at offset n was written by the call that wrote byte n, and taken by the call
//! that returned it. Nothing of the contents is looked at, but for connections whose protocol the
//! user has named, or whose first byte lets it be guessed ([`framing`]).
//!
//! A message is what one call wrote, or on those connections what the protocol says. Its stamps:
//!
//! | Stamp | Moment |
//! |---|---|
//! | `ready` | the call that wrote its first byte was entered; or one that had no room for it |
//! | `sent` | the call that wrote its last byte; if that waited: when it returned, or `arrived` |
//! | `arrived` | the kernel's receive stamp of its last byte, or an interval |
//! | `taken` | the call returned that read its last byte |

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod arrival;
pub mod close;
pub mod connections;
mod crowds;
mod cutting;
mod ends;
pub mod entry;
mod error;
pub mod exchanges;
mod facts;
mod framed;
pub mod framing;
mod held_back;
mod hosts;
mod legs;
mod level;
mod logs;
mod marks;
mod matching;
pub mod merge;
mod moved;
mod op;
mod order;
mod pairing;
mod parents;
mod pipe;
mod round;
mod row;
mod silence;
mod survey;
mod talk;
pub mod transport;
mod turns;
pub mod variables;
mod walk;
mod way;
pub mod window;
mod writers;
mod writes;

use std::path::{Path, PathBuf};

pub use error::CloseError;
pub use facts::{
    FRAMING_KEY, FramingFacts, KEY, Noticed, PIPES_KEY, PipesFacts, ProcessFacts, ProcessSummary,
    SocketsFacts, TakenOverFacts, UnmatchedFacts,
};
pub use held_back::HeldBackFacts;

/// Ending of a process's log.
pub const LOG_ENDING: &str = "sockets";
/// The file beside the logs into which a process writes, in a line, why it is not traced.
pub const TROUBLE_FILE: &str = "trouble";
/// Processes are numbered below this.
pub const NODES_MAX: u32 = 1 << 16;

/// The file in a run's `live` folder which says that a process has set up io_uring, as seen from
/// outside.
pub fn rings_file(live: &Path, node: u32) -> PathBuf {
    live.join(format!("node-{node}.rings"))
}
