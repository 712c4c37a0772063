//! A process's number in the run: the first that no other has taken, by making its log.

use record::NodeSheet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use streams::{LOG_ENDING, NODES_MAX};

/// A run has no more numbers.
#[derive(Debug)]
pub struct AllTaken;

impl std::fmt::Display for AllTaken {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "more than {NODES_MAX} processes")
    }
}

impl std::error::Error for AllTaken {}

/// The first number that no other process has taken, and its log.
///
/// # Errors
/// [`AllTaken`], or why there can be no log.
pub fn take(live: &Path) -> Result<(u32, File), Box<dyn std::error::Error>> {
    let log = |node| live.join(format!("{}.{LOG_ENDING}", NodeSheet::stem_of(0, node)));
    for node in first_free(|node| log(node).exists())..NODES_MAX {
        match File::options().read(true).write(true).create_new(true).open(log(node)) {
            Ok(file) => return Ok((node, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(AllTaken.into())
}

/// Where numbers begin to be free. Those before are taken, so some twenty questions find it: with
/// one for each, every child of a server that forks would take longer than the one before it.
fn first_free(is_taken: impl Fn(u32) -> bool) -> u32 {
    let mut above = 1;
    while above < NODES_MAX && is_taken(above - 1) {
        above *= 2;
    }
    let (mut from, mut to) = (above / 2, above);
    while from < to {
        let middle = from.midpoint(to);
        if is_taken(middle) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_process_has_the_first_free_number_and_finds_it_in_few_questions() {
        for taken in (0..70).chain([999, 40_000, NODES_MAX - 1]) {
            let questions = Cell::new(0);
            let found = first_free(|node| {
                questions.set(questions.get() + 1);
                node < taken
            });
            assert_eq!(found, taken);
            assert!(questions.get() <= 34, "{}", questions.get());
        }
    }

    #[test]
    fn processes_that_begin_at_once_have_numbers_of_their_own() {
        let live = tempfile::tempdir().unwrap();
        let take_some = || (0..50).map(|_| take(live.path()).unwrap().0).collect::<Vec<_>>();
        let mut taken: Vec<u32> = std::thread::scope(|scope| {
            let threads = [(); 4].map(|()| scope.spawn(take_some));
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        taken.sort_unstable();
        assert_eq!(taken, (0..200).collect::<Vec<_>>());
    }
}
