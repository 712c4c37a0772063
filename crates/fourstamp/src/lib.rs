//! Stamp the messages of your own program, and run discrete-event simulations in parallel: what a
//! program takes from Fourstamp, in one crate.
//!
//! ```toml
//! [dependencies]
//! fourstamp = "0.1"
//! ```
//!
//! # Messages
//!
//! The sender takes two stamps and puts a header of 32 bytes before its message; the receiver takes
//! two more. Each process has a [`Stamper`], and the run folder is what `fourstamp report` reads.
//!
//! ```
//! use fourstamp::{Header, Run, RunFolder, RunInfo};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("run");
//! let run = RunFolder::create(&path, RunInfo::new("my-program"))?;
//! let (sender, mut receiver) = (run.node(0)?, run.node(1)?);
//!
//! let ready = sender.now(); // 1: it is a message
//! let header = sender.header(1, ready, sender.now()).to_bytes(); // 2: it goes to the network
//! // ... the header and the message travel ...
//! let arrived = receiver.now(); // 3: it is here
//! receiver.taken(&Header::from_bytes(&header)?, arrived, 5); // 4: the program takes it
//!
//! sender.finish()?;
//! receiver.finish()?;
//! run.close()?;
//! assert_eq!(Run::open(&path)?.rows(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! # Several processes
//!
//! One process makes the folder ([`RunFolder::create`]), the others join it ([`RunFolder::join`]).
//! Each finishes its own nodes. The one that made the folder closes the run ([`RunFolder::close`]),
//! after the others: it waits up to ten seconds for them. If it does not come to that, nothing is
//! lost: whoever reads the run first closes it. The example `two_processes` shows it.
//!
//! # Simulations
//!
//! [`timewarp`] is the engine: write a [`timewarp::Model`], run it in order
//! ([`timewarp::sequential`]) or as a simulated cluster under a seed ([`timewarp::simulated`]).
//! [`models`] has models that are ready to run. The example `bank` is a whole one.

#![forbid(unsafe_code)]

/// Time sources, their rates, offsets and error bounds.
pub use clock;
/// Simulation models that are ready to run.
pub use models;
/// The record in full: columns, logs, Parquet files, the run folder.
pub use record;
/// The simulation engine.
pub use timewarp;

pub use clock::{Clock, Ticks};
pub use record::{
    Batch, Chunk, Field, HEADER_BYTES, Header, HeaderError, Kind, RecordError, Run, RunFolder,
    RunInfo, StampSender, Stamper,
};
