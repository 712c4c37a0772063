//! Transport `mpi`: every node is a rank of an MPI job, and messages are MPI's, on a communicator
//! of our own.
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
//! **When has a message arrived?** MPI does not tell. It came after the last look that found
//! nothing had begun and before the look that found it ended. If that is a microsecond or less, the
//! node was looking when it came, and the arrival is *observed*; else it is *bracketed* by the two
//! (and by the moment at which it was sent, where both read one clock).
//!
//! It does not notice that a peer has died: the launcher does, and ends the job.

use crate::error::FabricError;
use crate::spec::NodeId;
use crate::transport::{Arrival, Flag, Handed, Head, Transport};
use crate::transports::tcp::frame::Frame;
use clock::Clock;
use link::{Link, TAG_ACKNOWLEDGE, TAG_FRAME, TAG_PAYLOAD, TOGETHER_BYTES_MAX};
use outbox::Outbox;
use raw::{Buffer, Channel, Request};
use record::{ABSENT, How};
use std::collections::VecDeque;
use std::ffi::c_int;
use std::time::{Duration, Instant};

mod leaving;
mod link;
mod meeting;
mod outbox;
mod process;
mod raw;
mod row;

use meeting::open;
pub use process::{MpiProcess, mpi_library};
pub use row::MPI;

/// Messages in buffers of ours that have not left yet, in all.
const SMALL_OUTGOING_MAX: usize = 512;
const LARGE_OUTGOING_MAX: usize = 16;
/// A message found so soon after a look that found nothing has come while the node was looking.
const SEEN_AT_ONCE: Duration = Duration::from_micros(1);
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
    links: Vec<Link>,
    channel: Option<Channel>,
    clock: Clock,
    nodes: u16,
    places: Vec<Option<usize>>,
    /// What the next message of each link comes by; null where nothing is to be asked.
    heads: Vec<Request>,
    /// Links whose head has come.
    ready: VecDeque<usize>,
    ended: Vec<c_int>,
    in_hand: Option<InHand>,
    small: Outbox,
    large: Outbox,
    /// A receive buffer for large payloads, when none is in use.
    spare: Vec<Buffer>,
    full_towards: Option<usize>,
    stamping: bool,
    /// Before the last look that found nothing, in ticks.
    empty_at: u64,
    /// After the last look that found nothing, or when something was sent later: before the next
    /// look.
    looked_at: u64,
    empty_looks: u32,
    thought_at: u64,
    seen_at_once_ticks: u64,
    acknowledge_after_ticks: u64,
    ticks_per_ns: f64,
    leaving_timeout: Duration,
    fragment_bytes: usize,
}

/// The fragment that is lent to the node.
enum InHand {
    /// In the first posted receive of a link.
    Posted { link: usize, start: usize, len: usize },
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
        let at = self.place(to)?;
        let bytes = payload;
        if !self.has_room(at, bytes.len())? && !self.make_room(at, bytes.len())? {
            self.full_towards = Some(at);
            return Ok(Handed::Full);
        }
        self.links[at].hear_in_time()?;
        if head.ready != ABSENT {
            self.stamp_sending(at, head)?;
        }
        let Mpi { links, channel: Some(channel), small, large, .. } = self else {
            return Err(FabricError::Closed);
        };
        let header = links[at].frame(head, bytes.len()).encode();
        let peer = c_int::from(to);
        if bytes.len() <= TOGETHER_BYTES_MAX {
            small.send(channel, peer, TAG_FRAME, [&header, bytes])?;
        } else {
            small.send(channel, peer, TAG_FRAME, [&header, &[]])?;
            large.send(channel, peer, TAG_PAYLOAD, [bytes, &[]])?;
        }
        Ok(Handed::Yes)
    }

    #[inline]
    fn flush(&mut self) -> Result<(), FabricError> {
        Ok(())
    }

    #[inline]
    fn poll(&mut self, spinning_since: u64) -> Result<Option<Arrival>, FabricError> {
        self.release()?;
        loop {
            if let Some(at) = self.next_ready() {
                if let Some(arrival) = self.take(at)? {
                    return Ok(Some(arrival));
                }
            } else if !self.look()? {
                self.found_nothing(spinning_since)?;
                return Ok(None);
            }
        }
    }

    #[inline]
    fn payload(&self) -> &[u8] {
        match &self.in_hand {
            None => &[],
            Some(InHand::Posted { link, start, len }) => {
                &self.links[*link].first().bytes()[*start..*start + *len]
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
            if self.look()? || (waits_for.is_none() && self.anything_ready()) {
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
        let Ok(at) = self.place(from) else { return };
        self.links[at].paused = paused;
    }

    fn in_flight(&mut self, to: NodeId) -> u32 {
        let Ok(at) = self.place(to) else { return 0 };
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
    #[inline]
    fn place(&self, node: NodeId) -> Result<usize, FabricError> {
        let place = self.places.get(usize::from(node)).copied().flatten();
        place.ok_or(FabricError::NoSuchNode { node, last: self.nodes - 1 })
    }

    #[inline]
    fn has_room(&mut self, at: usize, bytes: usize) -> Result<bool, FabricError> {
        let buffers =
            self.small.has_room()? && (bytes <= TOGETHER_BYTES_MAX || self.large.has_room()?);
        Ok(buffers && self.links[at].has_window(bytes))
    }

    /// Hear what the peer has taken. `true`: there is room now.
    #[cold]
    fn make_room(&mut self, at: usize, bytes: usize) -> Result<bool, FabricError> {
        self.links[at].hear()?;
        // Messages that nobody takes must not keep the peer from going on, either.
        self.acknowledge(false)?;
        self.has_room(at, bytes)
    }

    #[inline]
    fn stamp_sending(&mut self, at: usize, head: &mut Head) -> Result<(), FabricError> {
        self.stamping = true;
        if head.seq.is_multiple_of(SENDS_PER_LISTEN) && self.links[at].is_deep() {
            self.links[at].hear()?;
        }
        if head.sent == ABSENT {
            head.sent = self.clock.now().0;
        }
        self.looked_at = self.looked_at.max(head.sent);
        head.in_flight = self.links[at].in_flight();
        Ok(())
    }

    /// Ask MPI once. `true`: some head has come.
    #[inline]
    fn look(&mut self) -> Result<bool, FabricError> {
        if let [only] = &mut self.heads[..] {
            if !self.ready.is_empty() || only.is_null() || !only.test()? {
                return Ok(false);
            }
            self.ready.push_back(0);
            return Ok(true);
        }
        let count = raw::test_some(&mut self.heads, &mut self.ended)?;
        self.ready.extend(self.ended[..count].iter().map(|at| *at as usize));
        Ok(count > 0)
    }

    #[inline]
    fn next_ready(&mut self) -> Option<usize> {
        let first = *self.ready.front()?;
        if !self.links[first].paused {
            return self.ready.pop_front();
        }
        let open = self.ready.iter().position(|at| !self.links[*at].paused)?;
        self.ready.remove(open)
    }

    fn anything_ready(&self) -> bool {
        self.ready.iter().any(|at| !self.links[*at].paused)
    }

    /// A head has come: deliver it, or go for its payload.
    #[inline]
    fn take(&mut self, at: usize) -> Result<Option<Arrival>, FabricError> {
        let link = &mut self.links[at];
        if let Some((frame, buffer)) = link.large.take() {
            self.in_hand = Some(InHand::Apart { buffer, len: frame.len });
            self.heads[at] = self.links[at].first().request();
            return Ok(self.deliver(at, &frame));
        }
        let frame = link.decode(link.first().bytes())?;
        link.learn(frame.taken)?;
        if frame.len > TOGETHER_BYTES_MAX {
            self.fetch(at, frame)?;
            return Ok(None);
        }
        let start = crate::transports::tcp::frame::HEADER_BYTES;
        self.in_hand = Some(InHand::Posted { link: at, start, len: frame.len });
        Ok(self.deliver(at, &frame))
    }

    /// Post a receive for a payload that travels apart.
    #[cold]
    fn fetch(&mut self, at: usize, frame: Frame) -> Result<(), FabricError> {
        let Some(channel) = &self.channel else { return Err(FabricError::Closed) };
        let link = &mut self.links[at];
        link.release_first()?;
        let buffer = self.spare.pop().unwrap_or_else(|| Buffer::new(self.fragment_bytes));
        self.heads[at] =
            channel.receive(&buffer, frame.len, c_int::from(link.node), TAG_PAYLOAD)?;
        link.large = Some((frame, buffer));
        Ok(())
    }

    #[inline]
    fn deliver(&mut self, at: usize, frame: &Frame) -> Option<Arrival> {
        let link = &mut self.links[at];
        link.took(frame);
        let head = frame.head?;
        link.heard_bye |= head.flag == Flag::Bye;
        self.empty_looks = 0;
        let mut arrival = Arrival::of_neighbour(link.node, head);
        if head.ready != ABSENT && head.flag != Flag::Bye {
            self.stamping = true;
            self.stamp(&mut arrival, self.links[at].same_clock);
        }
        Some(arrival)
    }

    /// When it arrived, from the bounds that the looks give.
    #[inline]
    fn stamp(&self, arrival: &mut Arrival, same_clock: bool) {
        let now = self.clock.now().0;
        arrival.arrived = now;
        if now.wrapping_sub(self.empty_at) <= self.seen_at_once_ticks {
            arrival.just_now = true;
        } else {
            let sent = arrival.head.sent;
            // It did not arrive before it was sent, which can be told where both read the same
            // clock.
            let since_sent = same_clock && sent != ABSENT && sent <= now;
            let earliest = if since_sent { self.empty_at.max(sent) } else { self.empty_at };
            let half = now.saturating_sub(earliest).div_ceil(2);
            arrival.arrived = now - half;
            arrival.how = How::Bracketed;
            arrival.error_ns = (half as f64 / self.ticks_per_ns).ceil() as u64;
        }
        arrival.arrived_ticks = arrival.arrived;
    }

    /// The node is done with the fragment that was lent.
    #[inline]
    fn release(&mut self) -> Result<(), FabricError> {
        match self.in_hand.take() {
            None => return Ok(()),
            Some(InHand::Apart { buffer, .. }) => self.spare.push(buffer),
            Some(InHand::Posted { link, .. }) => {
                self.links[link].release_first()?;
                self.heads[link] = self.links[link].first().request();
            }
        }
        self.acknowledge(false)
    }

    #[inline]
    fn found_nothing(&mut self, spinning_since: u64) -> Result<(), FabricError> {
        if self.stamping {
            let spinning = if spinning_since == u64::MAX { 0 } else { spinning_since };
            self.empty_at = self.looked_at.max(spinning).max(self.empty_at);
            self.looked_at = self.clock.now().0;
        }
        self.empty_looks = self.empty_looks.wrapping_add(1);
        if self.empty_looks == 1 {
            // Nobody is in a hurry: buffers are back before the next message is to be sent.
            self.small.reclaim()?;
        } else if self.empty_looks.is_multiple_of(LOOKS_PER_THOUGHT) {
            self.think()?;
        }
        Ok(())
    }

    /// What is to be done now and then: hear and say what has been taken, take buffers back.
    fn think(&mut self) -> Result<(), FabricError> {
        for link in &mut self.links {
            link.hear()?;
        }
        self.small.reclaim()?;
        self.large.reclaim()?;
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
            if self.links[at].owes(late) && self.small.has_room()? {
                let Some(channel) = &self.channel else { return Ok(()) };
                let header = self.links[at].acknowledgement().encode();
                let to = c_int::from(self.links[at].node);
                self.small.send(channel, to, TAG_ACKNOWLEDGE, [&header, &[]])?;
            }
        }
        Ok(())
    }
}
