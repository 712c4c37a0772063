//! Work that does not mind its neighbours: a piece a core at once.

use anyhow::Result;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;

/// Does all pieces, in their order, as many at once as there are cores; `ended` hears on this
/// thread of each as it ends. `begin` gives each thread what it keeps from piece to piece.
///
/// # Errors
/// The first of `ended`: pieces that have begun are finished, and no others begin.
pub fn each<P: Sync, S, T: Send>(
    pieces: &[P],
    begin: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &P) -> T + Sync,
    mut ended: impl FnMut(usize, T) -> Result<()>,
) -> Result<()> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let (tell, told) = channel();
    thread::scope(|scope| {
        for _ in 0..cores.min(pieces.len()) {
            let (tell, next, begin, work) = (tell.clone(), &next, &begin, &work);
            scope.spawn(move || {
                let mut own = begin();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(piece) = pieces.get(at) else { break };
                    // Nobody listens any more after an error.
                    if tell.send((at, work(&mut own, piece))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(tell);
        told.into_iter().try_for_each(|(at, outcome)| ended(at, outcome))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    #[test]
    fn every_piece_is_done_once_and_told_with_its_place() {
        let pieces: Vec<usize> = (0..100).collect();
        let mut seen = vec![0; pieces.len()];
        let told = |at: usize, double: usize| {
            seen[at] += double;
            Ok(())
        };
        each(&pieces, || (), |(), piece| 2 * piece, told).unwrap();
        assert_eq!(seen, (0..100).map(|at| 2 * at).collect::<Vec<_>>());
    }

    #[test]
    fn a_thread_keeps_what_it_began_with() {
        let pieces = [(); 50];
        let mut most = 0;
        let count = |kept: &mut usize, (): &()| {
            *kept += 1;
            *kept
        };
        let told = |_, kept: usize| {
            most = most.max(kept);
            Ok(())
        };
        each(&pieces, || 0, count, told).unwrap();
        assert!(most >= 50 / thread::available_parallelism().map_or(1, usize::from), "{most}");
    }

    #[test]
    fn no_piece_begins_after_an_error() {
        let pieces: Vec<usize> = (0..1000).collect();
        let begun = AtomicUsize::new(0);
        let work = |(): &mut (), _: &usize| {
            begun.fetch_add(1, Ordering::Relaxed);
            thread::sleep(std::time::Duration::from_millis(1));
        };
        let error = each(&pieces, || (), work, |_, ()| bail!("full")).unwrap_err();
        assert_eq!(error.to_string(), "full");
        assert!(begun.load(Ordering::Relaxed) < 1000);
    }
}
