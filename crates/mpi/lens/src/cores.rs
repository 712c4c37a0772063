//! Work on the tables of many ranks, on all cores.

use crate::LensError;
use std::thread::ScopedJoinHandle;

/// Have each core do a part of `items`: every so-many-th from a first one on.
pub(crate) fn on_all_cores<T: Send>(
    items: usize,
    work: impl Fn(usize, usize) -> Result<T, LensError> + Sync,
) -> Result<Vec<T>, LensError> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.clamp(1, items.max(1));
    std::thread::scope(|scope| {
        let work = &work;
        let start = |first| scope.spawn(move || work(first, threads));
        let handles: Vec<_> = (0..threads).map(start).collect();
        let join = |handle: ScopedJoinHandle<'_, Result<T, LensError>>| {
            handle.join().unwrap_or(Err(LensError::Panicked))
        };
        handles.into_iter().map(join).collect()
    })
}
