//! The sequential engine, driven: in pieces, so that it can be watched and stopped.

use crate::{Ending, Meter, WarpError};
use std::sync::atomic::Ordering::Relaxed;
use timewarp::sequential::Sequential;
use timewarp::{Limits, Model, Outcome, Watch};

/// Events between two looks at the meter.
const PIECE: u64 = 4096;

/// Run a model in order; also says how it ended: early if `meter.stop` was set.
///
/// # Errors
/// The first event that breaks a rule.
pub fn run<M: Model, W: Watch>(
    model: &M,
    cutoff: f64,
    watch: &mut W,
    meter: Meter<'_>,
) -> Result<(Outcome, Ending), WarpError> {
    let limits = Limits { cutoff, ..Limits::default() };
    let mut run = Sequential::new(model, &limits, watch)?;
    while run.run(PIECE)? > 0 {
        meter.gauge.set(run.now(), run.events(), run.events(), 0);
        if meter.stop.load(Relaxed) {
            return Ok((run.finish()?, Ending::Stopped));
        }
    }
    Ok((run.finish()?, Ending::Finished))
}
