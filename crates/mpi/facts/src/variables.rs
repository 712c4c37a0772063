//! What the launcher tells the tracers in its ranks, by environment.

use clock::Quality;
use serde::{Deserialize, Serialize};

/// The run's folder. Without it nothing is traced.
pub const RUN: &str = "FOURSTAMP_MPI_RUN";
/// The run's id, by which a rank knows whether its host sees that folder.
pub const RUN_ID: &str = "FOURSTAMP_MPI_RUN_ID";
/// Where hosts that do not see it keep their ranks' logs.
pub const LOCAL: &str = "FOURSTAMP_MPI_LOCAL";
/// A [`LauncherClock`], as JSON.
pub const CLOCK: &str = "FOURSTAMP_MPI_CLOCK";
/// For tests: errors that are planted in ranks' clocks, `rank:offset_ticks:drift_ppm,…`.
pub const PLANT: &str = "FOURSTAMP_PLANT";

/// The file beside the run's logs into which a rank writes, in a line, why it is not traced.
pub const TROUBLE_FILE: &str = "trouble";

/// The launcher's machine, and what its clock is good for: ranks there need not measure it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LauncherClock {
    /// The start of the machine.
    pub boot_id: String,
    /// Its clock's step, cost and rate.
    pub quality: Quality,
}
