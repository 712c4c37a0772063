//! What `fourstamp trace` tells the tracer in the program, by environment.

use clock::Quality;
use serde::{Deserialize, Serialize};

/// The run's folder. Without it nothing is traced.
pub const RUN: &str = "FOURSTAMP_TRACE_RUN";
/// A [`CommandClock`], as JSON.
pub const CLOCK: &str = "FOURSTAMP_TRACE_CLOCK";
/// The process whose child is traced; empty where all descendants are.
pub const PARENT: &str = "FOURSTAMP_TRACE_PARENT";
/// The [`Rules`](crate::framing::Rules) of ports; without it no connection is framed.
pub const FRAMES: &str = "FOURSTAMP_TRACE_FRAMES";
/// Pipes are traced, too, where it is there.
pub const PIPES: &str = "FOURSTAMP_TRACE_PIPES";

/// The command's machine, and what its clock is good for: the program need not measure it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommandClock {
    /// The start of the machine.
    pub boot_id: String,
    /// Its clock's step, cost and rate.
    pub quality: Quality,
}
