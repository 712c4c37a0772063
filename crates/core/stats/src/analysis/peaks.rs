//! Peaks of a stage: where messages gather.

use serde::{Deserialize, Serialize};

/// A peak of a stage's distribution: a value at which messages gather, and the messages around it,
/// up to the valleys on either side or to where it has fallen to a hundredth of its height.
/// Intervals are 95 %, by resampling launches and blocks; `None` where the run has too few blocks
/// for one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// Where the density is highest, on a log scale, ns.
    pub place_ns: f64,
    /// Its interval.
    pub place_interval_ns: Option<(f64, f64)>,
    /// The valleys: values of the messages that belong to it, ns.
    pub from_ns: f64,
    pub to_ns: f64,
    /// Width at half its height, ns.
    pub width_ns: f64,
    /// Its interval.
    #[serde(default)]
    pub width_interval_ns: Option<(f64, f64)>,
    /// Messages in it.
    pub count: u64,
    /// Their part of all messages, 0 to 1.
    pub mass: f64,
    /// Its interval.
    pub mass_interval: Option<(f64, f64)>,
    /// Their part of all time spent in the stage, 0 to 1. A peak of few messages can hold most of
    /// the time.
    pub time_share: f64,
    /// Its interval.
    #[serde(default)]
    pub time_interval: Option<(f64, f64)>,
    /// Blocks of the run in which it is found again, and blocks with enough messages to show it.
    pub blocks: (u32, u32),
    /// The same of launches.
    pub launches: (u32, u32),
    /// How likely a distribution without this peak shows one as clear somewhere, 0 to 1 (corrected
    /// for all places looked at); 0 for the highest, as there is one always.
    pub chance: f64,
    /// It lies among the slowest 0.1 %: a few dozen messages among millions may make one.
    pub tail: bool,
}
