//! What a paged run says of itself, as types: the library in the paged process writes them, and
//! whoever shows, predicts or closes a run reads the same ones.
//!
//! While a run goes on each process has a file of its own, [`FOLDER`]`/<pid>.json`, with a
//! [`Paged`]; afterwards `run.json` has a [`PagerFacts`] among its parameters, under [`KEY`].
//! Beside it lies the process's timeline, a [`Line`] an event.
//!
//! A field that a run lacks reads as nothing, so runs of older versions stay readable. This crate
//! opens no file and knows no format: it depends on serde alone.

#![forbid(unsafe_code)]

mod event;
mod page_event;
mod page_events;
mod process;
mod sampled;
mod seconds;
mod server;
mod timeline;

pub use event::{FrameTask, Happened, Leaving, PagerEvent};
pub use page_event::{
    EngineStep, Held, Mapping, PageEvent, PageEventError, Stretch as PageStretch, page_events_name,
};
pub use page_events::PageEvents;
pub use process::{FaultCounts, FaultTime, FaultTimes, Paged, Prefetched};
pub use sampled::{CodePlace, FaultPlace, SampledFaults};
pub use seconds::{PagedPart, PagedSeconds};
pub use server::{PageServer, ServerRole, ServerState};
pub use timeline::{Batch, Line, LineError, Wait, Way, timeline_name};

use serde::{Deserialize, Serialize};

/// The folder of a run in which its processes tell how far they are.
pub const FOLDER: &str = "processes";
/// The name under which the parameters of a run hold its [`PagerFacts`].
pub const KEY: &str = "pager";

/// A run whose memory was paged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PagerFacts {
    /// `parity-log`, `disk`, ... Text, because old runs have policies that are no more.
    pub policy: String,
    /// Local memory that the program was given.
    pub local_bytes: u64,
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Whether pages travelled encrypted.
    pub encrypted: bool,
    /// Where pages went, by the process that sent most.
    pub servers: Vec<PageServer>,
    /// The program's processes.
    pub processes: Vec<Paged>,
    /// Elapsed times that are predicted for other networks: in no file, and filled in by whoever
    /// can predict.
    #[serde(skip)]
    pub predictions: Vec<Prediction>,
}

/// The elapsed time that is predicted for a network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prediction {
    /// Which network, in words.
    pub network: String,
    /// The time, s.
    pub seconds: f64,
}

impl PagerFacts {
    /// The process that says most of the run: the one with most transfers, of several the one that
    /// ran longest.
    pub fn main(&self) -> Option<&Paged> {
        let order = |a: &&Paged, b: &&Paged| {
            a.transfers.cmp(&b.transfers).then(a.seconds.elapsed.total_cmp(&b.seconds.elapsed))
        };
        self.processes.iter().max_by(order)
    }

    /// What happened to all processes, each in its order.
    pub fn events(&self) -> impl Iterator<Item = &PagerEvent> {
        self.processes.iter().flat_map(|process| &process.events)
    }
}

#[cfg(test)]
mod tests;
