//! Remote-memory paging as a state machine.
//!
//! Nothing here reads a clock, holds a byte of a page, or calls the system. A driver tells the
//! [`Pager`] what happened (a fault, an answer from a server, a server that died) and carries out
//! the [`Action`]s that it asks for. So the whole of it, with servers that crash at any step, runs
//! in one thread under a seed.
//!
//! Design: Markatos and Dramitinos, "Implementation of a Reliable Remote Memory Pager", USENIX
//! 1996, whose parity logging it extends.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod action;
mod frames;
mod names;
mod options;
mod pager;
mod prefetch;
mod replacement;
mod residency;
#[cfg(test)]
mod simulation;
mod status;
mod table;
#[cfg(test)]
mod tests;
mod vault;

pub use action::{Access, Action, Failure, Grabbed, Installed, Into, Outcome, Purpose, Urgency};
pub use names::{Checksum, Frame, Operation, PAGE_BYTES, Page, Place, Slot, Tag};
pub use options::{Options, OptionsError};
pub use pager::Pager;
pub use status::{Fault, Status};
pub use vault::{PlaceStatus, Policy, Role, UnknownPolicy, VaultStatus};
