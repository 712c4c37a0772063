//! Plays on all cores, with a bar.

use crate::interrupt;
use crate::progress::Bar;
use anyhow::{Result, anyhow, bail};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Between two looks at what is done.
const LOOK: Duration = Duration::from_millis(20);

/// Do every job, each core one after the other, until one fails; what each came to, in their order.
/// `what` is said to be going on, with `next` of a job that has not been done.
pub(super) fn on_all_cores<T: Sync, R: Send>(
    what: String,
    jobs: &[T],
    next: impl Fn(&T) -> String,
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    let (begun, done, failed) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let turn = || {
        let mut results = Vec::new();
        while !failed.load(Ordering::Relaxed) && !interrupt::flag().load(Ordering::Relaxed) {
            let at = begun.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(at) else { break };
            let result = work(job);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            results.push((at, result));
            done.fetch_add(1, Ordering::Relaxed);
        }
        results
    };
    let mut results = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(turn)).collect();
        let mut bar = Bar::new(what, None);
        while workers.iter().any(|worker| !worker.is_finished()) {
            let count = done.load(Ordering::Relaxed);
            if let Some(job) = jobs.get(count) {
                bar.step(count as u64, jobs.len() as u64, &next(job));
            }
            std::thread::sleep(LOOK);
        }
        bar.finish();
        let mut results = Vec::new();
        for worker in workers {
            results.extend(worker.join().map_err(|_| anyhow!("a play panicked"))?);
        }
        Ok::<_, anyhow::Error>(results)
    })?;
    results.sort_by_key(|(at, _)| *at);
    let complete = results.len() == jobs.len();
    let results: Vec<R> = results.into_iter().map(|(_, result)| result).collect::<Result<_>>()?;
    if !complete {
        bail!("interrupted: nothing is predicted");
    }
    Ok(results)
}
