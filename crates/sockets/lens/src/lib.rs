//! What a run of programs that talk over sockets tells beside its messages: who its nodes are, who
//! talks to whom, and what was not seen.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod facts;
mod lens;
mod pairs;
mod section;

pub use lens::SocketsLens;
