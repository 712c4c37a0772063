//! The sequential engine, driven: in pieces, so that it can be watched and stopped.

use crate::object_clock::object_clock;
use crate::{Drive, Ending, Meter, Spent, WarpError};
use clock::Clock;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;
use timewarp::sequential::Sequential;
use timewarp::{Limits, Model, Options, Outcome, Status, VirtualTime, Watch};

/// Events between two looks at the meter.
const PIECE: u64 = 4096;

/// Run a model in order, under those of the options that mean something here; also says how it
/// ended, early if `meter.stop` was set. `looked` is told its course: seconds since the beginning,
/// simtime and events so far.
///
/// # Errors
/// The first event that breaks a rule.
pub fn run<M: Model, W: Watch>(
    model: &M,
    options: &Options,
    watch: &mut W,
    meter: Meter<'_>,
    looked: &mut dyn FnMut(f64, &Status),
) -> Result<(Outcome, Drive), WarpError> {
    let limits = Limits { cutoff: options.cutoff, ..Limits::default() };
    let mut run = Sequential::new(model, &limits, watch)?;
    if let Some(clock) = object_clock(options.timing, Clock::best()) {
        run.time_objects(clock, options.stretch);
    }
    if options.causes {
        run.tell_causes();
    }
    let begun = Instant::now();
    looked(0.0, &status(VirtualTime::STARTED, 0));
    while run.run(PIECE)? > 0 {
        let status = status(run.now(), run.events());
        meter.gauge.show(&status);
        looked(begun.elapsed().as_secs_f64(), &status);
        if meter.stop.load(Relaxed) {
            return Ok((run.finish()?, ended(Ending::Stopped, begun)));
        }
    }
    let ended = ended(Ending::Finished, begun);
    Ok((run.finish()?, ended))
}

fn ended(ending: Ending, begun: Instant) -> Drive {
    let elapsed_ns = begun.elapsed().as_nanos() as u64;
    Drive { ending, elapsed_ns, spent: Spent { engine_ns: elapsed_ns, ..Spent::default() } }
}

/// In order, whatever is executed is committed.
fn status(now: VirtualTime, events: u64) -> Status {
    Status {
        gvt: now,
        committed: events,
        executed: events,
        memory: 0,
        pending: 0,
        uncommitted: 0,
        leaving: 0,
    }
}
