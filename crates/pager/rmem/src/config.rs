//! What the launcher tells the library: one JSON text in the environment.

use crate::RmemError;
use clock::{Clock, Quality};
pub use pager_facts::ServerRole;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How a program is to be paged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// Local memory that paged pages may take, bytes, staging included.
    pub local_bytes: u64,
    /// `parity-log`, `mirror`, `none`, `disk`.
    pub policy: String,
    /// Where pages go.
    pub servers: Vec<Server>,
    /// Encrypt the connections.
    #[serde(default)]
    pub encrypt: bool,
    /// Folder for the file that pages go to when no server takes them.
    pub disk: PathBuf,
    /// Most pages fetched ahead; 0 for none.
    pub prefetch_pages: u32,
    /// Allocations of at least so many bytes are paged.
    pub threshold_bytes: u64,
    /// A server that answers nothing for so long is taken for dead, ms.
    pub deadline_ms: u64,
    /// The run's folder; its `live` folder gets each process's progress.
    #[serde(default)]
    pub run: Option<PathBuf>,
    /// Use only faults of user mode, as an ordinary user must (for tests, as root).
    #[serde(default)]
    pub user_mode_only: bool,
    /// Do without moving pages, as before Linux 6.8 (for tests).
    #[serde(default)]
    pub old_kernel: bool,
    /// What the launcher found of the clock, so that not each process has to look for itself.
    #[serde(default)]
    pub clock: Option<Quality>,
    /// When the launcher started the program, ns of `CLOCK_MONOTONIC`.
    #[serde(default)]
    pub started_ns: u64,
    /// Whether every page transfer leaves a record.
    #[serde(default)]
    pub record: bool,
    /// Most paged memory that a forked child may have, bytes.
    #[serde(default)]
    pub fork_budget_bytes: u64,
}

/// A page server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Server {
    /// `host:port`.
    pub address: String,
    /// What it is for.
    pub role: ServerRole,
}

/// The pager's word for what a server is for.
pub(crate) fn role_of(role: ServerRole) -> pager::Role {
    match role {
        ServerRole::Data => pager::Role::Data,
        ServerRole::Parity => pager::Role::Parity,
        ServerRole::Spare => pager::Role::Spare,
    }
}

impl Config {
    /// The environment variable that holds it.
    pub const VARIABLE: &str = "FOURSTAMP_PAGER";

    /// For a program that pages its own data: `local_bytes` of them here, the others in a file in
    /// this folder. Servers, a policy and all else are fields to set.
    pub fn on_disk(local_bytes: u64, folder: impl Into<PathBuf>) -> Config {
        Config {
            local_bytes,
            policy: pager::Policy::Disk.to_string(),
            servers: Vec::new(),
            encrypt: false,
            disk: folder.into(),
            prefetch_pages: 64,
            threshold_bytes: 1 << 20,
            deadline_ms: 2000,
            run: None,
            user_mode_only: false,
            old_kernel: false,
            clock: None,
            started_ns: 0,
            record: false,
            fork_budget_bytes: 0,
        }
    }

    /// What is known of the clock, found out where the launcher did not, or used another.
    pub(crate) fn quality(&self, clock: &Clock) -> Quality {
        let told = self.clock.filter(|quality| quality.source == clock.source());
        told.unwrap_or_else(|| clock::measure(clock))
    }

    /// The configuration in the environment; `None` when this process is not to be paged.
    ///
    /// # Errors
    /// When the text is not a configuration.
    pub fn from_env() -> Result<Option<Config>, RmemError> {
        let Some(text) = std::env::var_os(Config::VARIABLE).filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        serde_json::from_slice(text.as_encoded_bytes())
            .map(Some)
            .map_err(|error| RmemError::Config { reason: error.to_string() })
    }
}
