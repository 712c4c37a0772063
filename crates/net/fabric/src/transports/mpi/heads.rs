//! What the next message of each peer comes by, and from whom one has come.

use super::link::Link;
use super::raw::{self, Request};
use crate::error::FabricError;
use std::collections::VecDeque;
use std::ffi::c_int;

/// The next receive of each link, by its place.
pub(super) struct Heads {
    /// Null where nothing is to be asked.
    requests: Vec<Request>,
    /// Links whose head has come.
    ready: VecDeque<usize>,
    /// Where MPI says which have ended.
    ended: Vec<c_int>,
}

impl Heads {
    pub fn new(links: &[Link]) -> Heads {
        Heads {
            requests: links.iter().map(|link| link.first().request()).collect(),
            ready: VecDeque::new(),
            ended: vec![0; links.len()],
        }
    }

    /// The next message of a link comes by this.
    #[inline]
    pub fn expect(&mut self, at: usize, request: Request) {
        self.requests[at] = request;
    }

    /// Ask MPI once. `true`: some head has come.
    #[inline]
    pub fn look(&mut self) -> Result<bool, FabricError> {
        if let [only] = &mut self.requests[..] {
            if !self.ready.is_empty() || only.is_null() || !only.test()? {
                return Ok(false);
            }
            self.ready.push_back(0);
            return Ok(true);
        }
        let count = raw::test_some(&mut self.requests, &mut self.ended)?;
        self.ready.extend(self.ended[..count].iter().map(|at| *at as usize));
        Ok(count > 0)
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
        self.requests.get(at).is_some_and(|request| !request.is_null())
    }

    /// Ask for nothing any more.
    pub fn clear(&mut self) {
        self.requests.clear();
        self.ready.clear();
    }
}
