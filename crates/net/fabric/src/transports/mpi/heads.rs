//! What the next message of each peer comes by, and from whom one has come.

use super::library::Library;
use super::link::Link;
use super::raw::{Request, Requests};
use crate::error::FabricError;
use std::collections::VecDeque;

/// The next receive of each link, by its place.
pub(super) struct Heads {
    /// Null where nothing is to be asked.
    requests: Requests,
    /// Links whose head has come.
    ready: VecDeque<usize>,
}

impl Heads {
    pub fn new(library: &'static Library, links: &[Link]) -> Heads {
        let requests = Requests::new(library, links.iter().map(|link| link.first().request()));
        Heads { requests, ready: VecDeque::new() }
    }

    /// The next message of a link comes by this.
    #[inline]
    pub fn expect(&mut self, at: usize, request: Request) {
        self.requests.set(at, request);
    }

    /// Of a node with one peer, which takes from it: ask MPI once whether its head has come.
    #[inline(always)]
    pub fn look_at_only(&mut self, links: &[Link]) -> Result<Option<bool>, FabricError> {
        match links {
            [only] if !only.paused && self.ready.is_empty() => {
                Ok(Some(!self.requests.is_null(0) && self.requests.test(0)?))
            }
            _ => Ok(None),
        }
    }

    /// Ask MPI once. `true`: some head has come.
    #[inline]
    pub fn look(&mut self) -> Result<bool, FabricError> {
        if self.requests.len() == 1 {
            if !self.ready.is_empty() || self.requests.is_null(0) || !self.requests.test(0)? {
                return Ok(false);
            }
            self.ready.push_back(0);
            return Ok(true);
        }
        let ended = self.requests.test_some()?;
        self.ready.extend(ended.iter().map(|at| *at as usize));
        Ok(!ended.is_empty())
    }

    /// The first link whose head has come and that is not paused.
    #[inline]
    pub fn next(&mut self, links: &[Link]) -> Option<usize> {
        let first = *self.ready.front()?;
        if !links[first].paused {
            return self.ready.pop_front();
        }
        let open = self.ready.iter().position(|at| !links[*at].paused)?;
        self.ready.remove(open)
    }

    /// Whether [`Heads::next`] has one.
    pub fn has_next(&self, links: &[Link]) -> bool {
        self.ready.iter().any(|at| !links[*at].paused)
    }

    /// Whether MPI may still write to what the next message of a link comes by.
    pub fn is_under_way(&self, at: usize) -> bool {
        at < self.requests.len() && !self.requests.is_null(at)
    }

    /// Ask for nothing any more.
    pub fn clear(&mut self) {
        self.requests.clear();
        self.ready.clear();
    }
}
