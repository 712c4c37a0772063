//! Keeping a node on a core of its own.

mod cores;

use clock::{Clock, Source};
use rustix::thread::{CpuSet, sched_setaffinity};
use serde::{Deserialize, Serialize};
use std::io;
use std::time::Duration;

/// Where a node runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pinning {
    /// On this core alone.
    Core(usize),
    /// Wherever the system puts it, and why.
    Free(String),
}

/// Pin the calling thread: the `rank`-th of the `count` nodes of this machine gets a core of its
/// own, provided that there are enough for all. Cores that nodes of other runs are pinned to stay
/// theirs.
pub fn pin_node(rank: usize, count: usize) -> Pinning {
    let cores = match cores::usable() {
        Ok(cores) => cores,
        Err(error) => {
            return Pinning::Free(format!("cannot find out which cores may be used: {error}"));
        }
    };
    if count > cores.len() {
        return Pinning::Free(format!("{count} nodes share {} cores", cores.len()));
    }
    let Some(core) = cores::claim(rank, &cores) else {
        return Pinning::Free("nodes of other runs are pinned to the cores".into());
    };
    match keep_on(core) {
        Ok(()) => Pinning::Core(core),
        Err(error) => Pinning::Free(format!("the system refused core {core}: {error}")),
    }
}

/// Keep the calling thread on this core.
///
/// # Errors
/// When the system refuses.
pub fn keep_on(core: usize) -> io::Result<()> {
    let mut only = CpuSet::new();
    only.set(core);
    Ok(sched_setaffinity(None, &only)?)
}

/// A short time in ticks of a clock, near enough for a time-out.
pub(crate) fn ticks_of(clock: &Clock, time: Duration) -> u64 {
    (time.as_nanos() as f64 * ticks_per_ns(clock)) as u64
}

/// The clock's rate, measured once per process over two milliseconds: good to a per mille, for
/// time-outs only.
pub(crate) fn ticks_per_ns(clock: &Clock) -> f64 {
    static TSC_RATE: std::sync::OnceLock<f64> = std::sync::OnceLock::new();
    if clock.source() != Source::Tsc {
        return 1.0;
    }
    *TSC_RATE.get_or_init(|| {
        let (begin, ticks) = (std::time::Instant::now(), clock.now().0);
        while begin.elapsed() < Duration::from_millis(2) {
            std::hint::spin_loop();
        }
        let (elapsed, ticks_after) = (begin.elapsed(), clock.now().0);
        ticks_after.wrapping_sub(ticks) as f64 / elapsed.as_nanos() as f64
    })
}
