//! The calls of MPI ranks: how a rank logs them, and how the logs become messages.
//!
//! The tracer (`mpitrace`) writes one log a rank while the program runs; [`entry`] is its format.
//! After the program has ended, [`close::close`] matches sends with receives and writes the run:
//! messages with their stamps, and tables of the calls, the communicators and the places that
//! called.
//!
//! The way of a log: files → [`log`] (entries) → survey (what must be known before) → resolver
//! (each call with how its request ended) → runner (the row of each call, and what it means to
//! other ranks) → feeds (a batch at a time) → traffic (all ranks in the order of time) → matching →
//! arrival → writers. As far as the feeds each rank is read by a thread beside the walk, and the
//! writers are threads too. Logs are read twice and a little, and memory holds what is in flight.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod arrival;
mod at_once;
mod blocked;
mod call_table;
pub mod cause;
mod channel;
mod clocks;
pub mod close;
mod collectives;
pub mod dependence;
mod doubts;
pub mod elsewhere;
pub mod entry;
mod error;
mod event;
mod feeds;
mod files;
mod groups;
pub mod list;
pub mod log;
mod looking;
mod matching;
mod meaning;
mod message;
mod one_sided;
mod order;
mod posted;
mod protocol;
mod ranks;
mod recording;
mod requests;
mod resolve;
mod row;
mod runner;
mod sampling;
mod shards;
mod sites;
mod summary;
mod survey;
pub mod table;
mod traffic;
mod usual;
mod waiting;
mod worlds;
mod writers;

pub use error::CloseError;
