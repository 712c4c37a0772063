//! Leaving: nothing of ours is under way any more, and nothing for us.
//!
//! The end that each node says to each of its peers is the last that it sends. MPI keeps the order
//! of a pair, so whoever has heard it has everything before it, late acknowledgements included, and
//! the communicator can be given back.

use super::Mpi;
use super::link::TAG_END;
use super::raw::{Buffer, Post, Transfer};
use crate::error::FabricError;
use std::time::Instant;

impl Mpi {
    /// End in good order, or within the time that a peer may take: then what MPI still uses is left
    /// to it.
    pub(super) fn end(&mut self) {
        let deadline = Instant::now() + self.leaving_timeout;
        let in_good_order = matches!(self.say_the_end(deadline), Ok(true));
        self.let_go();
        if let (true, Some(channel)) = (in_good_order, self.channel.take()) {
            channel.free();
        }
    }

    fn say_the_end(&mut self, deadline: Instant) -> Result<bool, FabricError> {
        let Some(channel) = &self.channel else { return Ok(false) };
        let (mut said, mut heard) = (Vec::new(), Vec::new());
        for link in self.links.iter() {
            let peer = i32::from(link.node);
            heard.push(Post::new(channel, 1, peer, TAG_END)?);
            said.push(Transfer::send(channel, Buffer::new(1), 1, peer, TAG_END)?);
        }
        loop {
            let mut all = true;
            for end in &mut said {
                all &= end.has_ended()?;
            }
            for end in &mut heard {
                all &= end.has_come()?;
            }
            self.outgoing.reclaim()?;
            for link in self.links.iter_mut() {
                link.hear()?;
            }
            if all && self.outgoing.is_empty() {
                return Ok(true);
            }
            if Instant::now() > deadline {
                return Ok(false);
            }
            std::thread::yield_now();
        }
    }

    /// End the posted receives. A payload that is still on its way keeps its buffer for good.
    fn let_go(&mut self) {
        for (at, link) in self.links.iter_mut().enumerate() {
            let taken = link.large.take().filter(|_| self.heads.is_under_way(at));
            if let Some((_, buffer)) = taken {
                std::mem::forget(buffer);
            }
        }
        self.heads.clear();
        self.in_hand = None;
        self.links.clear();
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        self.let_go();
    }
}
