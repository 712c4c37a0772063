//! Where pages went.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A page server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PageServer {
    /// Where it listens.
    pub address: String,
    /// What it is for.
    pub role: ServerRole,
    /// At the end of the run.
    pub state: ServerState,
    /// Pages that it kept then.
    pub pages: u64,
}

/// What a page server is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ServerRole {
    /// Pages.
    #[default]
    Data,
    /// Parity pages.
    Parity,
    /// Nothing, until another is gone.
    Spare,
}

/// Whether a page server answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ServerState {
    /// It does.
    Up,
    /// It does not, and what it held is lost or made again.
    #[default]
    Down,
}

impl fmt::Display for ServerRole {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.pad(match self {
            ServerRole::Data => "data",
            ServerRole::Parity => "parity",
            ServerRole::Spare => "spare",
        })
    }
}

impl fmt::Display for ServerState {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.pad(match self {
            ServerState::Up => "up",
            ServerState::Down => "down",
        })
    }
}
