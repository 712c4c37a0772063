//! What a traced MPI program's ranks, and the matching of their calls, say of themselves.
//!
//! [`RankFacts`] are written into a rank's log by the tracer; [`MpiFacts`] are made of those of all
//! ranks when the run is closed, and stand in `run.json` as `parameters.mpi`. Both are JSON, which
//! these types alone write and read. A field that an older version did not write has its default.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod blocking;
mod elsewhere;
mod matching;
mod rank;
mod run;
mod thread_level;
pub mod variables;

pub use blocking::Blocking;
pub use elsewhere::{ELSEWHERE_FILE, Elsewhere, FOLDER_START, LogPlace};
pub use matching::{ByThreads, DoubtfulPair, FromAny, Matching};
pub use rank::RankFacts;
pub use run::{Damaged, InProgress, KEY, MpiFacts};
pub use thread_level::ThreadLevel;
pub use variables::LauncherClock;
