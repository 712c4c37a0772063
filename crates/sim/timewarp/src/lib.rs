//! A Time Warp engine: optimistic parallel discrete-event simulation whose result is always that of
//! the sequential run.
//!
//! A [`Model`] is objects that handle bundles of messages. [`sequential::run`] runs it in order of
//! virtual time: the definition of the right result. A [`Node`] runs some of its objects
//! optimistically, undoing what came too early: a state machine without threads, clock or sockets,
//! driven by whoever moves its [`Parcel`]s. [`simulated`] drives many of them in one thread under a
//! seed, with delays, reordering between pairs, and rollbacks forced on them; the crate `warp`
//! drives them over a real fabric.
//!
//! Sources: D. Jefferson, Virtual time, ACM TOPLAS 7(3), 1985; the Time Warp Operating System, and
//! the memos on it of 1988 and 1991. docs/TIMEWARP.md is the guide.

#![forbid(unsafe_code)]

mod balance;
mod context;
mod cost;
mod counters;
mod digest;
mod fault;
mod message;
mod model;
mod node;
mod object_id;
mod options;
mod packet;
mod payload;
mod pending;
mod placement;
mod random;
mod running;
pub mod sequential;
pub mod simulated;
mod stopwatch;
mod time;
mod watch;

pub use balance::{Balance, Choice, LoadCycle, Migration, Split};
pub use context::{Context, Limits};
pub use counters::{Counters, NodeCounters, Outcome};
pub use digest::Digest;
pub use fault::{Fault, RunError};
pub use message::{Bundle, Message};
pub use model::{History, Model, Tell};
pub use node::{Node, Progress, Status};
pub use object_id::ObjectId;
pub use options::{AckAt, Cancellation, Options, Search, Throttle, Timing};
pub use packet::{
    GvtPacket, GvtReport, Handle, LoadPacket, Packet, PacketError, Parcel, Part, Reference,
    Whereabouts,
};
pub use payload::Payload;
pub use placement::{Dealing, Placement};
pub use random::Random;
pub use running::hush_handlers;
pub use stopwatch::ObjectClock;
pub use time::VirtualTime;
pub use watch::{Cause, Committed, Kept, Passage, Passing, Unwatched, Watch, Work};
