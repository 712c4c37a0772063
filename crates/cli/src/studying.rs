//! What surrounds a study here: the machine's clock, Ctrl-C, and whoever shows how far it is.

use crate::interrupt;
use anyhow::{Error, Result};
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use study::process::Limits;
use study::{Contestant, Ended, Results, Surroundings, Turn};

/// What a launch gives, or how it ended without.
pub type Launched<T> = Result<T, Ended<Error>>;

/// Launches everyone in turn until Ctrl-C, every other round backwards; `begins` hears of each
/// turn.
pub fn study<T>(
    launches: u32,
    contestants: &[Contestant],
    begins: impl FnMut(&Turn),
    launch: impl FnMut(&Turn) -> Launched<T>,
) -> Result<Vec<Results<T>>> {
    study::run(launches, contestants, &mut Here { begins, launch })
}

/// A failure that the study keeps, in a line.
pub fn kept(why: &Error) -> Ended<Error> {
    Ended::Failed(crate::failure::one_line(why))
}

/// What ends a launch's process: its time, and Ctrl-C.
pub fn limits(time: Duration) -> Limits<'static> {
    Limits { time, stop: interrupt::flag() }
}

/// Why nothing was measured, where nothing was.
pub fn why_nothing<'a, T: 'a>(mut results: impl Iterator<Item = &'a Results<T>>) -> String {
    let failure = results.find_map(|results| results.failures.last());
    failure.map_or_else(
        || "stopped before the first launch had ended".into(),
        |failure| failure.why.clone(),
    )
}

struct Here<B, L> {
    begins: B,
    launch: L,
}

impl<T, B: FnMut(&Turn), L: FnMut(&Turn) -> Launched<T>> Surroundings for Here<B, L> {
    type Outcome = T;
    type Error = Error;

    fn launch(&mut self, turn: &Turn) -> Launched<T> {
        (self.launch)(turn)
    }

    fn now(&mut self) -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
    }

    fn stopped(&mut self) -> bool {
        interrupt::flag().load(Ordering::Relaxed)
    }

    fn begins(&mut self, turn: &Turn) {
        (self.begins)(turn);
    }
}
