//! Reading a run on all cores, with a bar where that takes a while.

use crate::jobs;
use crate::progress::Bar;
use anyhow::{Result, anyhow};
use record::{Batch, Chunk, Field};
use std::sync::atomic::{AtomicU64, Ordering};

/// Rows beyond which reading is worth a progress bar.
const ROWS_WORTH_A_BAR: u64 = 20_000_000;

/// Parts that a core does one after the other: rows do not all take the same time, and a core that
/// has ended earlier than others waits for less.
const PARTS_EACH: usize = 4;
/// On more cores there are not more parts for that: what each comes to is held until the end.
const PARTS_MOST: usize = 32;

/// Have the cores do runs of consecutive items, of about as many rows, and give back what each run
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
    let look = |_| bar.iter_mut().for_each(|bar| bar.at(done.load(Ordering::Relaxed), rows));
    let parts = threads.max(PARTS_MOST.min(threads * PARTS_EACH)).min(items.len()).max(1);
    let shares = shares(items, &rows_of, parts);
    let parts = jobs::on_threads(threads, &shares, || false, |share| work(share, &done), look);
    if let Some(bar) = bar {
        bar.finish();
    }
    parts.map_err(|_| anyhow!("a reading thread panicked"))?.into_iter().collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_in_the_order_of_the_items_and_have_all_of_them() {
        let items: Vec<usize> = (0..1000).collect();
        let parts = on_all_cores(&items, |rows| *rows, |share, _| Ok(share.to_vec())).unwrap();
        assert!(parts.len() >= PARTS_EACH.min(items.len()), "{} parts", parts.len());
        assert_eq!(parts.concat(), items);
        let none: Vec<Vec<usize>> =
            on_all_cores(&[], |_| 1, |share, _| Ok(share.to_vec())).unwrap();
        assert!(none.concat().is_empty());
    }

    #[test]
    fn what_goes_wrong_first_among_the_items_is_told() {
        let items: Vec<usize> = (0..100).collect();
        let work = |share: &[usize], _: &AtomicU64| -> Result<()> {
            share.iter().find(|at| **at > 10).map_or(Ok(()), |at| Err(anyhow!("number {at}")))
        };
        let error = on_all_cores(&items, |_| 1, work).unwrap_err();
        assert_eq!(error.to_string(), "number 11");
        let work = |_: &[usize], _: &AtomicU64| -> Result<()> { panic!("as it was told to") };
        let error = on_all_cores(&items, |_| ROWS_WORTH_A_BAR as usize, work).unwrap_err();
        assert_eq!(error.to_string(), "a reading thread panicked");
    }
}
