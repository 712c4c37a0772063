//! How much work this machine does.

use crate::WarpError;
use models::{Phold, PholdOptions, Undoing};
use std::time::{Duration, Instant};
use timewarp::{Limits, Unwatched};

/// How many steps of PHOLD's work this machine does in a µs: the best of some short runs, for what
/// disturbs them only makes them slower.
///
/// # Errors
/// When the model breaks a rule, which it does not.
pub fn steps_per_us() -> Result<f64, WarpError> {
    const STEPS: u32 = 20_000;
    let options = PholdOptions {
        objects: 1,
        remote: 0.0,
        work_steps: STEPS,
        undo: Undoing::Copy,
        ..PholdOptions::default()
    };
    let model =
        Phold::new(&options).map_err(|error| WarpError::Model { reason: error.to_string() })?;
    let limits = Limits { cutoff: 40.0, ..Limits::default() };
    let mut best = 0.0f64;
    for _ in 0..5 {
        let begun = Instant::now();
        let events = timewarp::sequential::run(&model, &limits, &mut Unwatched)?.total().events;
        let us = begun.elapsed().max(Duration::from_nanos(1)).as_secs_f64() * 1e6;
        best = best.max(events as f64 * f64::from(STEPS) / us);
    }
    Ok(best)
}
