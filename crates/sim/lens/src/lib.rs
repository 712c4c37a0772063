//! What a Time Warp simulation's run tells beside its messages: executions, rollbacks, fossil
//! collection and GVT, tallied from its rows and put into words, tables and charts; and the page of
//! a speed-up study.
//!
//! Where the engine's own counts in `run.json` and the rows differ, the engine is right: rows may
//! have been dropped.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]
// Used within the workspace only: a name that says it all needs no sentence.
#![allow(missing_docs)]

mod lens;
mod objects;
mod outcome;
mod prediction;
mod sections;
mod series;
mod simulation;
mod study;
mod tables;
mod tally;
mod words;

pub use self::study::{SpeedupRow, SpeedupSetup, SpeedupStudy, Style, THIS_BUILD, Varied};
pub use lens::SimLens;
pub use objects::object_names;
pub use outcome::{NodeQueue, NodeSpent};
pub use prediction::{PredictedRun, Prediction};
pub use simulation::{
    MessageGroup, NodeTime, ObjectRollbacks, Rollback, Rollbacks, Simulation, SimulationBin, Work,
};
pub use tally::WarpTally;
