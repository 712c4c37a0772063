//! Work on the tables of many ranks, on all cores.

use crate::LensError;
use std::ops::Range;
use std::thread::ScopedJoinHandle;

/// Have each core do a part of `items`: every so-many-th from a first one on.
pub(crate) fn on_all_cores<T: Send>(
    items: usize,
    work: impl Fn(usize, usize) -> Result<T, LensError> + Sync,
) -> Result<Vec<T>, LensError> {
    let threads = cores().min(items.max(1));
    std::thread::scope(|scope| {
        let work = &work;
        let start = |first| scope.spawn(move || work(first, threads));
        let handles: Vec<_> = (0..threads).map(start).collect();
        let join = |handle: ScopedJoinHandle<'_, Result<T, LensError>>| {
            handle.join().unwrap_or(Err(LensError::Panicked))
        };
        // All of them, so that none is left whose panic would be this thread's.
        let parts: Vec<_> = handles.into_iter().map(join).collect();
        parts.into_iter().collect()
    })
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Consecutive row groups of a table: the `at`-th of `of` parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    at: usize,
    of: usize,
}

/// With so many tables a core each is read by one core alone: opening it takes its time.
const TABLES_ENOUGH: usize = 8;

/// Tables in pieces for [`on_all_cores`], the parts of each in order. Each table has a part for
/// every core, or one.
pub(crate) fn pieces<T: Clone>(tables: &[T]) -> impl Iterator<Item = (T, Piece)> {
    let of = if tables.len() >= TABLES_ENOUGH * cores() { 1 } else { cores() };
    let parts = move |table: &T| {
        let table = table.clone();
        (0..of).map(move |at| (table.clone(), Piece { at, of }))
    };
    tables.iter().flat_map(parts)
}

impl Piece {
    /// Which they are, of so many.
    pub fn groups(self, all: usize) -> Range<usize> {
        all * self.at / self.of..all * (self.at + 1) / self.of
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_all_of_a_table_in_order() {
        for (of, all) in [(1, 0), (1, 7), (3, 2), (4, 13)] {
            let groups = (0..of).flat_map(|at| Piece { at, of }.groups(all));
            assert!(groups.eq(0..all), "{of} {all}");
        }
    }
}
