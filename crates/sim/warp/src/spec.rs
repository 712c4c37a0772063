//! Which model is to be run.

use serde::{Deserialize, Serialize};

/// A model with its parameters: it travels to the nodes as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelSpec {
    /// What a command line calls it.
    pub name: String,
    /// As its recipe is serialised.
    pub parameters: serde_json::Value,
}
