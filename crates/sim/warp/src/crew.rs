//! Nodes that share a thread, because there are more of them than cores.
//!
//! With a thread each, the system lets one run for milliseconds while those that send to it stand
//! still; most of what it does meanwhile is undone, and every round of GVT waits for each thread to
//! get a core. Here nodes take turns of some microseconds, so none gets far ahead.

use crate::driver::{Driver, Ending, Turn};
use crate::offer::Offer;
use crate::pace::LINGER;
use crate::witness::Witness;
use crate::{Drive, WarpError};
use std::ops::Range;
use std::time::Instant;
use timewarp::Model;

/// How the nodes of a process are dealt to its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crews {
    nodes: usize,
    cores: usize,
}

impl Crews {
    /// So many nodes, and no more threads than cores.
    pub fn new(nodes: usize, cores: usize) -> Crews {
        Crews { nodes, cores: cores.max(1) }
    }

    /// How many cores there are for all threads. (A thread that has been pinned sees only its own.)
    pub fn cores(&self) -> usize {
        self.cores
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.nodes.min(self.cores)
    }

    /// The places, among the nodes of the process, of those on a thread.
    pub fn places(&self, thread: usize) -> Range<usize> {
        let first = |thread: usize| (thread * self.nodes).div_ceil(self.threads().max(1));
        first(thread)..first(thread + 1)
    }

    /// The thread of the node at a place.
    pub fn thread(&self, place: usize) -> usize {
        (0..self.threads()).find(|thread| self.places(*thread).contains(&place)).unwrap_or(0)
    }
}

/// See nodes through that share this thread, each to its end.
pub(crate) fn drive_together<M: Model, W: Witness>(
    drivers: Vec<Driver<'_, '_, M, W>>,
) -> Vec<Result<Drive, WarpError>> {
    let ended = drivers.iter().map(|_| None).collect();
    let mut crew = Crew { drivers, ended, idle_since: None, offer: Offer::default() };
    while crew.ended.iter().any(Option::is_none) {
        if crew.round() {
            crew.idle_since = None;
        } else {
            crew.rest();
        }
    }
    crew.end()
}

struct Crew<'d, 'm, M: Model, W: Witness> {
    drivers: Vec<Driver<'d, 'm, M, W>>,
    /// How those have ended that have.
    ended: Vec<Option<Result<Ending, WarpError>>>,
    /// Since when none has had anything to do.
    idle_since: Option<Instant>,
    offer: Offer,
}

impl<M: Model, W: Witness> Crew<'_, '_, M, W> {
    /// A turn for each. Whether any of them did something.
    fn round(&mut self) -> bool {
        let mut something = false;
        for place in 0..self.drivers.len() {
            something |= self.ended[place].is_none() && self.turn(place);
        }
        something
    }

    fn turn(&mut self, place: usize) -> bool {
        match self.drivers[place].take_turn() {
            Ok(Turn::Worked) => true,
            Ok(Turn::Idle) => false,
            Ok(Turn::Last(ending)) => {
                self.ended[place] = Some(Ok(ending));
                true
            }
            Err(error) => {
                self.fail(place, error);
                true
            }
        }
    }

    /// Nobody has anything to do.
    fn rest(&mut self) {
        let since = *self.idle_since.get_or_insert_with(Instant::now);
        if since.elapsed() < LINGER && self.offer.make() {
            return;
        }
        let Some(place) = self.ended.iter().position(Option::is_none) else { return };
        if let Err(error) = self.drivers[place].nap() {
            self.fail(place, error);
        }
    }

    fn fail(&mut self, place: usize, error: WarpError) {
        self.drivers[place].abort();
        self.ended[place] = Some(Err(error));
    }

    fn end(self) -> Vec<Result<Drive, WarpError>> {
        let both = self.drivers.into_iter().zip(self.ended);
        both.filter_map(|(driver, ended)| Some(driver.end(ended?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_has_a_thread_and_neighbours_share_one() {
        for (nodes, most, expected) in [
            (5, 2, vec![0..3, 3..5]),
            (4, 4, vec![0..1, 1..2, 2..3, 3..4]),
            (3, 8, vec![0..1, 1..2, 2..3]),
            (2, 1, vec![0..2; 1]),
        ] {
            let crews = Crews::new(nodes, most);
            let places: Vec<_> = (0..crews.threads()).map(|thread| crews.places(thread)).collect();
            assert_eq!(places, expected);
            for (thread, places) in places.into_iter().enumerate() {
                assert!(places.into_iter().all(|place| crews.thread(place) == thread));
            }
        }
    }
}
