//! What a run of programs that talk over sockets tells beside its messages: who its nodes are, who
//! talks to whom, and what was not seen.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod asking;
mod exchange_section;
mod exchanges;
mod facts;
mod families;
mod framing;
mod lens;
mod names;
mod pairs;
mod pipes;
mod processes;
mod program;
mod section;
mod story;
mod stretches;
mod unread;
mod unread_section;

pub use lens::SocketsLens;
pub use program::{Asked, ReadService, ServiceError, program};
