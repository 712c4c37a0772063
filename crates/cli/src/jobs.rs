//! Jobs on several threads, with a look at how far they are.

use anyhow::Result;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

/// Between two looks.
const LOOK: Duration = Duration::from_millis(100);

/// Do the jobs, each thread one after the other, until one fails or `stop` says so. What those that
/// were done came to, in the order of the jobs. `look` is told now and then how many are done.
///
/// # Errors
/// When a job panics.
pub fn on_threads<T: Sync, R: Send>(
    threads: usize,
    jobs: &[T],
    stop: impl Fn() -> bool + Sync,
    work: impl Fn(&T) -> Result<R> + Sync,
    mut look: impl FnMut(usize),
) -> std::thread::Result<Vec<Result<R>>> {
    let threads = threads.min(jobs.len());
    let (begun, done, failed) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let (at_work, waiting) = (AtomicUsize::new(threads), std::thread::current());
    let turn = || {
        let mut results = Vec::new();
        while !failed.load(Ordering::Relaxed) && !stop() {
            let at = begun.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(at) else { break };
            let result = work(job);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            results.push((at, result));
            done.fetch_add(1, Ordering::Relaxed);
        }
        at_work.fetch_sub(1, Ordering::Relaxed);
        waiting.unpark();
        results
    };
    let joined: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(turn)).collect();
        // One that panicked does not say that it has ended.
        while at_work.load(Ordering::Relaxed) > 0 && workers.iter().any(|one| !one.is_finished()) {
            look(done.load(Ordering::Relaxed));
            std::thread::park_timeout(LOOK);
        }
        // All of them, so that none is left whose panic would be this thread's.
        workers.into_iter().map(ScopedJoinHandle::join).collect()
    });
    let results = joined.into_iter().collect::<std::thread::Result<Vec<_>>>()?;
    let mut results: Vec<_> = results.into_iter().flatten().collect();
    results.sort_by_key(|(at, _)| *at);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::ensure;

    const JOBS: [u32; 6] = [0, 1, 2, 3, 4, 5];

    fn done(
        stop: impl Fn() -> bool + Sync,
        work: impl Fn(&u32) -> Result<u32> + Sync,
    ) -> std::thread::Result<Vec<Result<u32>>> {
        on_threads(3, &JOBS, stop, work, |done| assert!(done <= JOBS.len()))
    }

    #[test]
    fn results_come_in_the_order_of_the_jobs_and_the_first_failure_is_among_them() {
        let all = done(|| false, |job| Ok(job * 2)).unwrap();
        assert_eq!(all.into_iter().map(Result::unwrap).collect::<Vec<_>>(), [0, 2, 4, 6, 8, 10]);
        let fails = |job: &u32| {
            ensure!(*job < 2, "job {job}");
            Ok(*job)
        };
        let first = done(|| false, fails).unwrap().into_iter().collect::<Result<Vec<_>>>();
        assert_eq!(first.unwrap_err().to_string(), "job 2");
        assert!(done(|| true, |job| Ok(*job)).unwrap().is_empty(), "it was stopped");
    }

    #[test]
    fn panics_of_several_threads_are_an_error() {
        assert!(done(|| false, |_| panic!("as it was told to")).is_err());
    }
}
