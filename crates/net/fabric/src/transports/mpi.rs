//! Transport `mpi`: every node is a rank of an MPI job, and messages are MPI's, on a communicator
//! of our own. The MPI library is that of the job, loaded as the program runs (`library.rs`).
//!
//! **Small messages.** Some receives are always posted for each peer, persistent ones, so that a
//! message finds its place when it comes and is never unexpected; one is posted again while its
//! node waits for the next message, when nobody is in a hurry. A payload above 4 KiB travels apart
//! from its header, which tells how long it is: nothing is probed for, and the order of a pair is
//! that of its headers.
//!
//! **Progress.** MPI moves messages while somebody calls it. Here that is the node itself and
//! nobody else: each look for messages, each attempt to send, each look of a node that waits or
//! sleeps. No call waits within MPI, so two nodes cannot wait for each other there. A node that
//! computes for long without looking lets its peers' large messages wait; what they sent is small
//! enough to leave at once, or bounded by the window (`link.rs`), or refused.
//!
//! When a message has arrived is told in `stamping.rs`.
//!
//! It does not notice that a peer has died: the launcher does, and ends the job.

use crate::error::FabricError;
use crate::spec::NodeId;
use crate::transport::{Arrival, Flag, Handed, Head, Transport};
use crate::transports::links::Links;
use crate::transports::tcp::frame::{Frame, HEADER_BYTES};
use clock::Clock;
use heads::Heads;
use link::{Link, TAG_PAYLOAD, TOGETHER_BYTES_MAX};
use outgoing::Outgoing;
use raw::{Buffer, Channel};
use record::ABSENT;
use stamping::Stamping;
use std::ffi::c_int;
use std::time::{Duration, Instant};

mod eager;
mod heads;
mod leaving;
mod library;
mod link;
mod meeting;
mod outbox;
mod outgoing;
mod process;
mod raw;
mod row;
mod stamping;

pub use library::{MPI_LIBRARY_VARIABLE, MpiFamily, MpiLibrary, mpi_library};
use meeting::open;
pub use process::MpiProcess;
pub use row::MPI;

/// What has been taken for so long is acknowledged.
const ACKNOWLEDGE_AFTER: Duration = Duration::from_millis(1);
/// Looks that find nothing between two thoughts about acknowledgements.
const LOOKS_PER_THOUGHT: u32 = 256;
/// A node that only sends listens for acknowledgements every so many messages, once a quarter of
/// the window is on its way.
const SENDS_PER_LISTEN: u64 = 64;
/// A sleeping node looks this often.
const NAP: Duration = Duration::from_micros(50);
/// Looks before it sleeps.
const LOOKS_BEFORE_NAP: u32 = 32;

/// One node's end of all its paths.
pub(crate) struct Mpi {
    // Before the channel, so that its receives are ended first.
    links: Links<Link>,
    channel: Option<Channel>,
    clock: Clock,
    heads: Heads,
    in_hand: Option<InHand>,
    outgoing: Outgoing,
    /// A receive buffer for large payloads, when none is in use.
    spare: Vec<Buffer>,
    full_towards: Option<usize>,
    stamping: Stamping,
    /// Since the last that found a fragment.
    empty_looks: u32,
    thought_at: u64,
    acknowledge_after_ticks: u64,
    leaving_timeout: Duration,
    fragment_bytes: usize,
}

/// The fragment that is lent to the node.
enum InHand {
    /// In the first posted receive of a link.
    Posted { link: usize, len: usize },
    /// In a buffer of its own.
    Apart { buffer: Buffer, len: usize },
}

impl Transport for Mpi {
    #[inline]
    fn try_send(
        &mut self,
        to: NodeId,
        head: &mut Head,
        payload: &[u8],
    ) -> Result<Handed, FabricError> {
        let (at, bytes) = (self.links.place(to)?, payload.len());
        if !self.has_room(at, bytes)? && !self.make_room(at, bytes)? {
            self.full_towards = Some(at);
            return Ok(Handed::Full);
        }
        self.links[at].hear_in_time()?;
        if head.ready != ABSENT {
            self.stamp_sending(at, head)?;
        }
        let Some(channel) = &self.channel else { return Err(FabricError::Closed) };
        let header = self.links[at].frame(head, bytes).encode();
        self.outgoing.send(channel, c_int::from(to), &header, payload)?;
        Ok(Handed::Yes)
    }

    #[inline]
    fn flush(&mut self) -> Result<(), FabricError> {
        Ok(())
    }

    #[inline]
    fn poll(&mut self, spinning_since: u64) -> Result<Option<Arrival>, FabricError> {
        self.release()?;
        while let Some(has_come) = self.heads.look_at_only(&self.links)? {
            if !has_come {
                self.found_nothing(spinning_since)?;
                return Ok(None);
            }
            if let Some(arrival) = self.take(0)? {
                return Ok(Some(arrival));
            }
        }
        loop {
            if let Some(at) = self.heads.next(&self.links) {
                if let Some(arrival) = self.take(at)? {
                    return Ok(Some(arrival));
                }
            } else if !self.heads.look()? {
                self.found_nothing(spinning_since)?;
                return Ok(None);
            }
        }
    }

    #[inline]
    fn payload(&self) -> &[u8] {
        match &self.in_hand {
            None => &[],
            Some(InHand::Posted { link, len }) => {
                &self.links[*link].first().bytes()[HEADER_BYTES..HEADER_BYTES + *len]
            }
            Some(InHand::Apart { buffer, len }) => &buffer.bytes()[..*len],
        }
    }

    /// Looking now and then: MPI has no way to sleep until something comes.
    fn park(&mut self, timeout: Duration) -> Result<(), FabricError> {
        self.release()?;
        let deadline = Instant::now() + timeout;
        let waits_for = self.full_towards.take();
        let mut looks = 0;
        loop {
            if let Some(at) = waits_for {
                self.links[at].hear()?;
                if self.has_room(at, self.fragment_bytes)? {
                    return Ok(());
                }
            }
            // Whoever waits for room is not helped by a message that is here already.
            if self.heads.look()? || (waits_for.is_none() && self.heads.has_next(&self.links)) {
                return Ok(());
            }
            self.found_nothing(u64::MAX)?;
            let now = Instant::now();
            if now >= deadline {
                return Ok(());
            }
            looks += 1;
            match looks < LOOKS_BEFORE_NAP {
                true => std::thread::yield_now(),
                false => std::thread::sleep(NAP.min(deadline - now)),
            }
        }
    }

    fn check_peers(&mut self) -> Result<(), FabricError> {
        self.think()
    }

    fn pause(&mut self, from: NodeId, paused: bool) {
        let Ok(at) = self.links.place(from) else { return };
        self.links[at].paused = paused;
    }

    fn in_flight(&mut self, to: NodeId) -> u32 {
        let Ok(at) = self.links.place(to) else { return 0 };
        self.links[at].in_flight()
    }

    fn fragment_bytes_max(&self) -> usize {
        self.fragment_bytes
    }

    fn leave(&mut self) {
        self.end();
    }
}

impl Mpi {
    #[inline(always)]
    fn has_room(&mut self, at: usize, bytes: usize) -> Result<bool, FabricError> {
        Ok(self.outgoing.has_room(bytes)? && self.links[at].has_window(bytes))
    }

    /// Hear what the peer has taken. `true`: there is room now.
    #[cold]
    fn make_room(&mut self, at: usize, bytes: usize) -> Result<bool, FabricError> {
        self.links[at].hear()?;
        // Messages that nobody takes must not keep the peer from going on, either.
        self.acknowledge(false)?;
        self.has_room(at, bytes)
    }

    #[inline(always)]
    fn stamp_sending(&mut self, at: usize, head: &mut Head) -> Result<(), FabricError> {
        if head.seq.is_multiple_of(SENDS_PER_LISTEN) && self.links[at].is_deep() {
            self.links[at].hear()?;
        }
        if head.sent == ABSENT {
            head.sent = self.clock.now().0;
        }
        self.stamping.sends(head.sent);
        head.in_flight = self.links[at].in_flight();
        Ok(())
    }

    /// A head has come: deliver it, or go for its payload.
    #[inline(always)]
    fn take(&mut self, at: usize) -> Result<Option<Arrival>, FabricError> {
        let link = &mut self.links[at];
        if let Some((frame, buffer)) = link.large.take() {
            self.in_hand = Some(InHand::Apart { buffer, len: frame.len });
            self.heads.expect(at, self.links[at].first().request());
            return Ok(self.deliver(at, &frame));
        }
        let frame = link.decode(link.first().bytes())?;
        link.learn(frame.taken)?;
        if frame.len > TOGETHER_BYTES_MAX {
            self.fetch(at, frame)?;
            return Ok(None);
        }
        self.in_hand = Some(InHand::Posted { link: at, len: frame.len });
        Ok(self.deliver(at, &frame))
    }

    /// Post a receive for a payload that travels apart.
    #[cold]
    fn fetch(&mut self, at: usize, frame: Frame) -> Result<(), FabricError> {
        let Some(channel) = &self.channel else { return Err(FabricError::Closed) };
        let link = &mut self.links[at];
        link.release_first()?;
        let buffer = self.spare.pop().unwrap_or_else(|| Buffer::new(self.fragment_bytes));
        let request = channel.receive(&buffer, frame.len, c_int::from(link.node), TAG_PAYLOAD)?;
        self.heads.expect(at, request);
        link.large = Some((frame, buffer));
        Ok(())
    }

    #[inline(always)]
    fn deliver(&mut self, at: usize, frame: &Frame) -> Option<Arrival> {
        let link = &mut self.links[at];
        link.took(frame);
        let head = frame.head?;
        link.heard_bye |= head.flag == Flag::Bye;
        self.empty_looks = 0;
        let mut arrival = Arrival::of_neighbour(link.node, head);
        if head.ready != ABSENT && head.flag != Flag::Bye {
            self.stamping.stamp(&mut arrival, link.same_clock, self.clock.now().0);
        }
        Some(arrival)
    }

    /// The node is done with the fragment that was lent.
    #[inline]
    fn release(&mut self) -> Result<(), FabricError> {
        match self.in_hand.take() {
            None => return Ok(()),
            Some(InHand::Apart { buffer, .. }) => self.spare.push(buffer),
            Some(InHand::Posted { link, .. }) => {
                self.links[link].release_first()?;
                self.heads.expect(link, self.links[link].first().request());
            }
        }
        self.acknowledge(false)
    }

    #[inline]
    fn found_nothing(&mut self, spinning_since: u64) -> Result<(), FabricError> {
        self.stamping.found_nothing(spinning_since, || self.clock.now().0);
        self.empty_looks = self.empty_looks.wrapping_add(1);
        if self.empty_looks == 1 {
            // Nobody is in a hurry: buffers are back before the next message is to be sent.
            self.outgoing.reclaim_small()?;
        } else if self.empty_looks.is_multiple_of(LOOKS_PER_THOUGHT) {
            self.think()?;
        }
        Ok(())
    }

    /// What is to be done now and then: hear and say what has been taken, take buffers back.
    fn think(&mut self) -> Result<(), FabricError> {
        for link in self.links.iter_mut() {
            link.hear()?;
        }
        self.outgoing.reclaim()?;
        let now = self.clock.now().0;
        let late = now.wrapping_sub(self.thought_at) >= self.acknowledge_after_ticks;
        if late {
            self.thought_at = now;
        }
        self.acknowledge(late)
    }

    #[inline]
    fn acknowledge(&mut self, late: bool) -> Result<(), FabricError> {
        for at in 0..self.links.len() {
            if self.links[at].owes(late) && self.outgoing.has_room(0)? {
                let Some(channel) = &self.channel else { return Ok(()) };
                let header = self.links[at].acknowledgement().encode();
                let to = c_int::from(self.links[at].node);
                self.outgoing.acknowledge(channel, to, &header)?;
            }
        }
        Ok(())
    }
}
