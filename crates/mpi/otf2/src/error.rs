//! What can go wrong with a trace.

use crate::LIBRARY;
use std::path::PathBuf;

/// Why no trace was written.
#[derive(Debug, thiserror::Error)]
pub enum Otf2Error {
    /// None of the names leads to a library.
    #[error(
        "no library that writes OTF2 can be loaded ({tried}): install it, e.g. with `apt install \
        otf2-tools`, or name its file in {LIBRARY}"
    )]
    NoLibrary {
        /// What was tried, and why it did not do.
        tried: String,
    },
    /// The library has not what OTF2 2.0 and later have.
    #[error(
        "{library} has no function {function}, so that it is not OTF2 2.0 or later: install \
        otf2-tools, or name another file in {LIBRARY}"
    )]
    NoFunction {
        /// The library.
        library: String,
        /// The function.
        function: &'static str,
    },
    /// The path of a trace, or a name in it, that C cannot say.
    #[error("{what:?} has a zero byte in it, which a trace cannot hold: rename it")]
    Name {
        /// The text.
        what: String,
    },
    /// The library refused.
    #[error("{function} of {library} refused {}: {reason}", .folder.display())]
    Refused {
        /// The library.
        library: String,
        /// The function.
        function: &'static str,
        /// The trace.
        folder: PathBuf,
        /// Its words.
        reason: String,
    },
    /// The disk may be too small.
    #[error(
        "{} has {free} bytes of space and the trace may need {needed}: make room, or write less of \
        the run with --from, --to and --limit", .folder.display()
    )]
    NoRoom {
        /// The folder.
        folder: PathBuf,
        /// Bytes that it has.
        free: u64,
        /// Bytes that the trace takes at most.
        needed: u64,
    },
}
