//! A peak as one run has it.

use serde::{Deserialize, Serialize};

/// A peak of one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeakSide {
    /// Where it is highest, ns.
    pub place_ns: f64,
    /// Its part of the messages, 0 to 1.
    pub mass: f64,
    /// Its part of all time in the stage, 0 to 1.
    pub time_share: f64,
    /// The valleys on either side, ns.
    pub region_ns: (f64, f64),
    /// Its width at half its height, ns.
    pub width_ns: f64,
}
