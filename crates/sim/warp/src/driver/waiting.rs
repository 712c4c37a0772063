//! What a node does that has nothing to do.

use super::Driver;
use crate::WarpError;
use crate::pace::{NAP, SHARED_NAP};
use crate::spent::Doing;
use crate::witness::Witness;
use clock::Ticks;
use fabric::Wait;
use std::time::Duration;
use timewarp::Model;

impl<M: Model, W: Witness> Driver<'_, '_, M, W> {
    /// There is nothing to do here: look for messages, have GVT computed, sleep.
    pub(super) fn wait(&mut self) -> Result<(), WarpError> {
        self.outgoing.flush(self.fabric, self.engine.watch(), 0, 0)?;
        if self.take_receipts() {
            return Ok(());
        }
        if self.look_for(self.pace.spin)? || self.ask_for_gvt() || self.fabric.nodes() == 1 {
            return Ok(());
        }
        if self.look_for(self.pace.linger)? {
            return Ok(());
        }
        self.sleep(NAP)
    }

    /// Sleep until something comes, or for so long.
    fn sleep(&mut self, longest: Duration) -> Result<(), WarpError> {
        let nap = self.fabric.after(longest);
        let something = self.take(Wait::Until(nap))?;
        if something || self.outgoing.retry(self.fabric)? {
            return Ok(());
        }
        self.notice_silence()
    }

    /// Look for messages for so long without sleeping. `true`: there is something to do.
    fn look_for(&mut self, ticks: u64) -> Result<bool, WarpError> {
        let begun = self.now();
        while self.fabric.nodes() > 1 && self.now().wrapping_sub(begun) < ticks {
            if self.take_all()? || self.outgoing.retry(self.fabric)? || self.aborted {
                return Ok(true);
            }
            if self.pace.costs.is_some() {
                self.fabric.skip_looks(Ticks(begun.wrapping_add(ticks)));
            }
            if self.pace.linger > 0 && !self.offer.make() {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// Ask for GVT, unless asking has just been in vain. `true`: asked, so the engine has something
    /// to do.
    fn ask_for_gvt(&mut self) -> bool {
        let (now, gvt) = (self.now(), self.engine.gvt());
        let moved = gvt != self.gvt_then;
        if !moved && now.wrapping_sub(self.last.gvt_asked) < self.pace.ask_again {
            return false;
        }
        (self.last.gvt_asked, self.gvt_then) = (now, gvt);
        self.engine.ask_for_gvt();
        true
    }

    /// Whoever waits for long waits for somebody: name who has been silent longest, or who takes
    /// nothing.
    pub(super) fn notice_silence(&mut self) -> Result<(), WarpError> {
        let now = self.now();
        let peers = (0u16..).zip(&self.heard).filter(|(node, _)| *node != self.fabric.id());
        let latest = peers.clone().map(|(_, heard)| *heard).max().unwrap_or(now);
        if now.saturating_sub(latest) < self.pace.peer_timeout {
            return Ok(());
        }
        let longest = peers.min_by_key(|(_, heard)| **heard).map_or(0, |(node, _)| node);
        let node = self.outgoing.held_up_by().unwrap_or(longest);
        let waited_ms = self.fabric.ns_between(Ticks(latest), Ticks(now)) / 1_000_000;
        Err(WarpError::Silent { node, waited_ms })
    }

    /// There is nothing to do here: have GVT computed once that has lasted. `true`: there is now.
    pub(super) fn idle(&mut self, now: u64) -> Result<bool, WarpError> {
        self.outgoing.flush(self.fabric, self.engine.watch(), 0, 0)?;
        if self.take_receipts() {
            return Ok(true);
        }
        let since = *self.idle_since.get_or_insert(now);
        Ok(now.wrapping_sub(since) >= self.pace.spin && self.ask_for_gvt())
    }

    /// Nobody on this thread has had anything to do for a while: sleep until something comes here,
    /// but not for long, as it may come to one of the others.
    pub fn nap(&mut self) -> Result<(), WarpError> {
        self.lap(Doing::Sharing);
        let slept = self.sleep(SHARED_NAP);
        self.lap(Doing::Waiting);
        slept
    }
}
