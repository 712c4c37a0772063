//! Reading a run on all cores, with a bar where that takes a while.

use crate::progress::Bar;
use anyhow::{Result, anyhow};
use record::{Batch, Chunk, Field};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

/// Rows beyond which reading is worth a progress bar.
const ROWS_WORTH_A_BAR: u64 = 20_000_000;

/// Have each core do a run of consecutive items, of about as many rows, and give back what each
/// came to, in the order of the items. `work` counts the rows that it has done.
pub fn on_all_cores<T: Sync, R: Send>(
    items: &[T],
    rows_of: impl Fn(&T) -> usize,
    work: impl Fn(&[T], &AtomicU64) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let threads =
        std::thread::available_parallelism().map_or(1, usize::from).min(items.len()).max(1);
    let rows: u64 = items.iter().map(|item| rows_of(item) as u64).sum();
    let mut bar = (rows > ROWS_WORTH_A_BAR).then(|| Bar::new("reading".into(), None));
    let done = AtomicU64::new(0);
    let parts = std::thread::scope(|scope| {
        let (work, done) = (&work, &done);
        let start = |share| scope.spawn(move || work(share, done));
        let handles: Vec<_> = shares(items, &rows_of, threads).into_iter().map(start).collect();
        while let Some(bar) = &mut bar
            && handles.iter().any(|handle| !handle.is_finished())
        {
            bar.at(done.load(Ordering::Relaxed), rows);
            std::thread::sleep(Duration::from_millis(100));
        }
        let join = |handle: ScopedJoinHandle<'_, Result<R>>| {
            handle.join().unwrap_or_else(|_| Err(anyhow!("a reading thread panicked")))
        };
        handles.into_iter().map(join).collect()
    });
    if let Some(bar) = bar {
        bar.finish();
    }
    parts
}

/// Read these columns of each item's chunk, one after the other, and give them to `take`; `done`
/// counts the rows.
pub fn each_batch<T>(
    items: &[T],
    chunk_of: impl Fn(&T) -> &Chunk,
    fields: &[Field],
    done: &AtomicU64,
    mut take: impl FnMut(&T, &Batch),
) -> Result<()> {
    let mut batch = Batch::new();
    for item in items {
        let chunk = chunk_of(item);
        chunk.read(fields, &mut batch)?;
        take(item, &batch);
        done.fetch_add(chunk.rows() as u64, Ordering::Relaxed);
    }
    Ok(())
}

/// Cut items into consecutive parts of about as many rows.
fn shares<T>(items: &[T], rows_of: impl Fn(&T) -> usize, parts: usize) -> Vec<&[T]> {
    let rows: usize = items.iter().map(&rows_of).sum();
    let mut shares = Vec::with_capacity(parts);
    let (mut first, mut seen) = (0, 0);
    for (at, item) in items.iter().enumerate() {
        seen += rows_of(item);
        if seen * parts >= rows * (shares.len() + 1) {
            shares.push(&items[first..=at]);
            first = at + 1;
        }
    }
    shares
}
