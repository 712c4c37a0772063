//! What to run: it travels to the nodes as JSON.

use crate::DriveOptions;
use fabric::{Spec, TransportSpec};
use models::{DiaryOptions, GeneratorOptions, PholdOptions, PingOptions, WarpnetOptions};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;
use timewarp::{Dealing, Options, Search};

/// A simulation on some nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Which model, with its parameters.
    pub model: ModelSpec,
    /// How the engine works.
    pub engine: Options,
    /// How objects are dealt to nodes.
    pub dealing: Dealing,
    /// How often GVT is computed, at least, µs.
    pub gvt_interval_us: u64,
    /// Whether every message and every piece of work leaves a row.
    pub record: bool,
    /// Whether committed events are kept, for a trace.
    pub trace: bool,
}

/// Which model, with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "name", content = "parameters")]
pub enum ModelSpec {
    /// Two objects that return a message to each other.
    Ping(PingOptions),
    /// The field's synthetic load.
    Phold(PholdOptions),
    /// A packet-switched network.
    Warpnet(WarpnetSpec),
    /// A message that waits for cancellations.
    Diary(DiaryOptions),
}

/// A network and what happens on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WarpnetSpec {
    /// Which network.
    pub network: NetworkSource,
    /// What happens on it.
    pub options: WarpnetOptions,
}

/// Where a network comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NetworkSource {
    /// The two tables in this folder. Every node reads them.
    Files(PathBuf),
    /// Drawn from a seed.
    Generated(GeneratorOptions),
}

impl ModelSpec {
    /// What commands call it.
    pub fn name(&self) -> &'static str {
        match self {
            ModelSpec::Ping(_) => models::ping::NAME,
            ModelSpec::Phold(_) => models::phold::NAME,
            ModelSpec::Warpnet(_) => models::warpnet::NAME,
            ModelSpec::Diary(_) => models::diary::NAME,
        }
    }
}

/// Where looking is a system call, it is done this seldom while there is work.
const SYSTEM_CALL_POLL: Duration = Duration::from_micros(20);
/// And messages wait so long for others to travel with.
const SYSTEM_CALL_FLUSH: Duration = Duration::from_micros(30);
/// The same where it is a call of a message library, which looks at memory or at a network card.
const LIBRARY_POLL: Duration = Duration::from_micros(1);
const LIBRARY_FLUSH: Duration = Duration::from_micros(5);
/// The same where it is a look at memory.
const MEMORY_FLUSH: Duration = Duration::from_micros(3);

impl Job {
    /// How its nodes are driven over this fabric.
    pub fn drive_options(&self, spec: &Spec) -> DriveOptions {
        let (poll, flush) = match spec.transport {
            TransportSpec::Tcp { .. } | TransportSpec::Udp { .. } => (SYSTEM_CALL_POLL, SYSTEM_CALL_FLUSH),
            TransportSpec::Mpi => (LIBRARY_POLL, LIBRARY_FLUSH),
            TransportSpec::Thread | TransportSpec::Shm { .. } => (Duration::ZERO, MEMORY_FLUSH),
        };
        DriveOptions {
            steps_max: if self.engine.search == Search::All { u32::MAX } else { 1 },
            gvt_interval: Duration::from_micros(self.gvt_interval_us),
            poll,
            flush,
            peer_timeout: Duration::from_millis(spec.peer_timeout_ms),
        }
    }

    /// Whether the engine keeps what arrives before it takes it.
    pub(crate) fn keeps_arrivals(&self) -> bool {
        self.engine.search != Search::All
    }
}
