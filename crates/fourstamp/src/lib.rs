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
//! ([`timewarp::sequential`]), on threads or in simulated time on a machine ([`warp::run`]), or as
//! a simulated cluster that is kept from agreeing under a seed ([`timewarp::simulated`]). With the
//! feature `command`, `warp::main` makes of it a program with all of `fourstamp warp`: processes,
//! transports, hosts, a record of every message, checks and studies. [`models`] has models that are
//! ready to run. The example `bank` is a whole one.
//!
//! ```
//! use fourstamp::models::{Ping, PingOptions};
//! use fourstamp::warp::{RunOptions, run};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ping = Ping::new(&PingOptions { stop: 100.0 })?; // two objects, and a message between them
//! let ran = run(&ping, &RunOptions::new(2, f64::INFINITY))?; // on two threads
//! assert_eq!(ran.outcome.total().events, 101);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

/// Time sources, their rates, offsets and error bounds.
pub use clock;
/// Simulation models that are ready to run.
pub use models;
/// The record in full: columns, logs, Parquet files, the run folder.
pub use record;
/// The simulation engine.
pub use timewarp;

/// Running a model of one's own in parallel.
pub mod warp {
    pub use ::warp::{Finished, Line, RunOptions, WarpError, run};
    /// A machine to simulate: a file, or one that `fourstamp machine list` names.
    pub use fabric::{Machine, find_machine};

    /// A program with this model, and all that `fourstamp warp` can do with one of its own: its
    /// `main` does nothing else.
    #[cfg(feature = "command")]
    pub use fourstamp_cli::simulate as main;
}

pub use clock::{Clock, Ticks};
pub use record::{
    Batch, Chunk, Field, HEADER_BYTES, Header, HeaderError, Kind, RecordError, Run, RunFolder,
    RunInfo, StampSender, Stamper,
};
