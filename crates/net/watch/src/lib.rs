//! What else the machine did while messages travelled.
//!
//! A [`Watcher`] is a thread beside the nodes of a process. Every 10 ms it reads how long their
//! threads ran and waited for a core, and some times a second what else the kernel counts anyway,
//! and writes down what has changed as [`record::CauseSpan`]s. It changes nothing, needs no rights,
//! and takes at most half a percent of a core: where its reading takes longer, it reads less often.
//! It also sees when it was not run itself (`stillness`). Before a launch, [`idle::spin`] finds out
//! what an idle core loses, so that the machine's noise is not taken for message time.
//!
//! What it sees is when something happened to within its interval, not that this made a message
//! slow: that is for `stats` to weigh.

#![forbid(unsafe_code)]

mod counters;
pub mod idle;
mod kernel;
mod own_queue;
mod stillness;
mod turns;
mod watcher;

pub use kernel::core as core_of;
pub use own_queue::OwnQueue;
pub use turns::{Sharing, Taken, Turn};
pub use watcher::Watcher;
