//! Starting the nodes of a run, and seeing one job through on each.
//!
//! A [`Coordinator`] listens; node processes join it (started here, over ssh, in tmux panes, or by
//! hand), prove that they hold the run key, get an [`Assignment`] each, say that they are ready,
//! and begin together. While they work the coordinator sleeps, now and then asks how far they are,
//! brings the clocks of other machines together with its own, and notices who has died or hangs. A
//! node calls [`serve`] with the work to do; what the work is, nobody here knows: its plan is a
//! [`serde_json::Value`].
//!
//! ```text
//! node                      coordinator
//!  handshake  ◄───────────►  refuses wrong keys, foreign bytes, silence
//!  join       ───────────►   collects all
//!             ◄───────────   assign (node numbers, fabric, plan)
//!  ready      ───────────►   waits for all
//!             ◄───────────   go
//!  progress   ◄───────────►  ask                (and clock pings)
//!             ◄───────────   stop, if the user wants
//!  done       ───────────►   waits for all
//!             ◄───────────   release
//! ```
//!
//! Nothing outlives a run: when a node is lost the others are stopped and keep their data; when the
//! coordinator is gone its nodes stop, and are killed if they do not.

#![forbid(unsafe_code)]

mod away;
mod briefing;
mod connection;
mod coordinator;
mod error;
mod fleet;
mod frame;
mod member;
mod node;
mod options;
mod process;
mod protocol;
mod quote;
mod session;
mod ssh;
mod sync;
mod tmux;

pub use coordinator::{Coordinator, LaunchOutcome, NodeOutcome, Note, Progress};
pub use error::{Cause, Failure, LaunchError};
pub use frame::{Frame, FrameError, decode_control};
pub use node::{Apart, Control, Leave, NodeError, NodeOptions, Served, Stopped, node_key, serve};
pub use options::{Deadlines, Hosting, LaunchOptions, NodeCommand, Starter, Synchronising};
pub use process::own_name;
pub use protocol::{Assignment, Join, LogChunk, Message, Ready};
