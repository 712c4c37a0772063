//! Where in the program faults were.

use serde::{Deserialize, Serialize};

/// Faults that fetched a page, some of them, chosen at random.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SampledFaults {
    /// How many were looked at.
    pub faults: u64,
    /// The places where most of them were; the rest were elsewhere.
    pub places: Vec<FaultPlace>,
}

/// An instruction that touched pages, and the call that led to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FaultPlace {
    /// How many faults were there.
    pub faults: u64,
    /// The instruction.
    pub at: CodePlace,
    /// Where that is not in the program itself: the nearest return address on the thread's stack
    /// that leads there.
    pub called_from: Option<CodePlace>,
}

/// A place in machine code. What is not known of it is empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CodePlace {
    /// The file that it was mapped from; empty for code that was made while the program ran.
    pub object: String,
    /// Its address, as that file numbers it.
    pub offset: u64,
    /// The function.
    pub function: String,
    /// The source file.
    pub file: String,
    /// The line there.
    pub line: Option<u32>,
}
