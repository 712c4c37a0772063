//! A place, seen by the engine: its connection, and what waits to go there.

use crate::link::{Link, LinkError};
use clock::Exchange;
use pager::{Action, Place};
use std::collections::VecDeque;

/// A server that is or was there.
pub struct Site {
    pub place: Place,
    /// Which of the configuration's servers.
    pub server: usize,
    /// Its number in the run.
    pub node: u16,
    /// `None` once it is down, and for the moment in which its answers are heard.
    pub link: Option<Link>,
    /// Nothing will come from it any more.
    pub down: bool,
    /// What the connection has no room for yet.
    pub waiting: VecDeque<Action>,
    /// Reads of this round: they go as one batch.
    pub reads: Vec<(u64, u32)>,
    /// Slots given up in this round.
    pub discards: Vec<u32>,
    /// Readings of both clocks.
    pub exchanges: Vec<Exchange>,
    /// When it was last heard, ticks.
    pub heard: u64,
    /// Of its clock.
    pub ns_per_tick: f64,
    /// The connection could not take all: wait until it can be written.
    pub clogged: bool,
}

impl Site {
    pub fn new(place: Place, server: usize, node: u16, link: Link) -> Site {
        let ns_per_tick = link.about().quality.ns_per_tick;
        Site {
            place,
            server,
            node,
            link: Some(link),
            down: false,
            waiting: VecDeque::new(),
            reads: Vec::new(),
            discards: Vec::new(),
            exchanges: Vec::new(),
            heard: 0,
            ns_per_tick,
            clogged: false,
        }
    }

    /// Give the connection what was gathered, in the order in which it was asked for.
    pub fn gather(&mut self) {
        let Some(link) = &mut self.link else { return };
        if !self.reads.is_empty() {
            link.read(&self.reads);
            self.reads.clear();
        }
        if !self.discards.is_empty() {
            link.discard(&self.discards);
            self.discards.clear();
        }
    }

    /// Whether something waits to be sent.
    pub fn has_something(&self) -> bool {
        !self.reads.is_empty() || self.link.as_ref().is_some_and(Link::is_waiting)
    }

    /// Send what the socket takes.
    pub fn flush(&mut self, now: u64) -> Result<(), LinkError> {
        self.gather();
        match &mut self.link {
            Some(link) => link.flush(now).map(|all| self.clogged = !all),
            None => Ok(()),
        }
    }

    /// Whether something more can be given to the connection.
    pub fn room(&self) -> bool {
        self.link.as_ref().is_some_and(|link| link.room())
    }
}
