//! What a node knows of one peer: its posted receives, and how much is on its way.
//!
//! **Window.** A node has at most [`WINDOW_MESSAGES`] messages and [`WINDOW_BYTES`] bytes on their way to a peer: sent and
//! not known to have been taken. What comes back says how much was taken (`taken` in every frame). A node that sends nothing
//! back acknowledges on a tag of its own, which overtakes messages that nobody has taken: every quarter of a window, and
//! after a millisecond in which nothing else told it.

use super::raw::{Buffer, Channel, Post};
use crate::error::FabricError;
use crate::spec::NodeId;
use crate::tcp::frame::{Frame, HEADER_BYTES, Taken};
use crate::transport::{Flag, Head};

/// Messages that may be on their way to a peer.
pub(super) const WINDOW_MESSAGES: u32 = 1024;
/// Bytes that may be.
pub(super) const WINDOW_BYTES: u32 = 4 << 20;
/// Largest payload of a fragment.
pub(super) const FRAGMENT_BYTES_MAX: usize = 256 << 10;
/// Size of a posted receive: what both libraries send at once (Open MPI within a box: 4096 bytes, its own header included).
/// Larger payloads travel apart, behind their header.
pub(super) const POST_BYTES: usize = 4032;
/// Largest payload that travels with its header.
pub(super) const TOGETHER_BYTES_MAX: usize = POST_BYTES - HEADER_BYTES;

/// Frames, each with its payload if that is small.
pub(super) const TAG_FRAME: i32 = 1;
/// Large payloads, in the order of their frames.
pub(super) const TAG_PAYLOAD: i32 = 2;
/// Frames that only acknowledge.
pub(super) const TAG_ACKNOWLEDGE: i32 = 3;
/// The last that a node sends.
pub(super) const TAG_END: i32 = 4;

/// One peer.
pub(super) struct Link {
    pub node: NodeId,
    /// It reads the same clock as we do.
    pub same_clock: bool,
    pub paused: bool,
    pub heard_bye: bool,
    /// Posted receives, in the order in which they were posted from `next` on: messages come in that order.
    posts: Vec<Post>,
    next: usize,
    acknowledgements: Post,
    /// A frame whose payload is on its way apart, into this buffer.
    pub large: Option<(Frame, Buffer)>,
    sent: Taken,
    /// Of these, what the peer is known to have taken.
    known: Taken,
    taken: Taken,
    told: Taken,
    /// Told on the tag for acknowledgements, which a peer that only sends hears.
    acknowledged: Taken,
}

impl Link {
    pub fn new(node: NodeId, same_clock: bool, channel: &Channel, posts: usize) -> Result<Link, FabricError> {
        let from = i32::from(node);
        let posts: Result<Vec<Post>, _> =
            (0..posts).map(|_| Post::new(channel, POST_BYTES, from, TAG_FRAME)).collect();
        let none = Taken::default();
        Ok(Link {
            node,
            same_clock,
            paused: false,
            heard_bye: false,
            posts: posts?,
            next: 0,
            acknowledgements: Post::new(channel, HEADER_BYTES, from, TAG_ACKNOWLEDGE)?,
            large: None,
            sent: none,
            known: none,
            taken: none,
            told: none,
            acknowledged: none,
        })
    }

    /// The receive that its next message comes into.
    #[inline]
    pub fn first(&self) -> &Post {
        &self.posts[self.next]
    }

    /// The message in the first receive is done with: post it again, last.
    #[inline]
    pub fn release_first(&mut self) -> Result<(), FabricError> {
        self.posts[self.next].again()?;
        self.next = if self.next + 1 == self.posts.len() { 0 } else { self.next + 1 };
        Ok(())
    }

    /// Messages on their way.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        self.sent.messages.wrapping_sub(self.known.messages)
    }

    /// Whether the window lets so many more payload bytes through.
    #[inline]
    pub fn has_window(&self, bytes: usize) -> bool {
        let on_their_way = self.sent.bytes.wrapping_sub(self.known.bytes);
        self.in_flight() < WINDOW_MESSAGES && on_their_way + (HEADER_BYTES + bytes) as u32 <= WINDOW_BYTES
    }

    /// The frame of a fragment that is being sent.
    #[inline]
    pub fn frame(&mut self, head: &Head, len: usize) -> Frame {
        self.told = self.taken;
        let frame = Frame { head: Some(*head), len, taken: self.taken };
        count(&mut self.sent, &frame);
        frame
    }

    /// A fragment of this peer is delivered.
    #[inline]
    pub fn took(&mut self, frame: &Frame) {
        count(&mut self.taken, frame);
    }

    /// The peer says how much it has taken.
    #[inline]
    pub fn learn(&mut self, taken: Taken) -> Result<(), FabricError> {
        // Counts wrap, and an older one may come later, on the other tag.
        let news = taken.bytes.wrapping_sub(self.known.bytes);
        if news > i32::MAX as u32 {
            return Ok(());
        }
        if news > self.sent.bytes.wrapping_sub(self.known.bytes) {
            return Err(self.garbage("an acknowledgement of messages that were never sent"));
        }
        self.known = taken;
        Ok(())
    }

    /// Hear what the peer has acknowledged on the tag for that.
    pub fn hear(&mut self) -> Result<(), FabricError> {
        while self.acknowledgements.has_come()? {
            let frame = self.decode(self.acknowledgements.bytes())?;
            self.learn(frame.taken)?;
            self.acknowledgements.again()?;
        }
        Ok(())
    }

    /// Whether it is time to acknowledge; `late`: nothing else has told the peer for long.
    #[inline]
    pub fn owes(&self, late: bool) -> bool {
        let messages = self.taken.messages.wrapping_sub(self.acknowledged.messages);
        let bytes = self.taken.bytes.wrapping_sub(self.acknowledged.bytes);
        let due = messages >= WINDOW_MESSAGES / 4 || bytes >= WINDOW_BYTES / 4;
        !self.heard_bye && (due || late && self.told != self.taken)
    }

    /// The acknowledgement that is being sent.
    pub fn acknowledgement(&mut self) -> Frame {
        (self.told, self.acknowledged) = (self.taken, self.taken);
        Frame { head: None, len: 0, taken: self.taken }
    }

    /// A frame out of the beginning of `bytes`.
    #[inline]
    pub fn decode(&self, bytes: &[u8]) -> Result<Frame, FabricError> {
        match Frame::decode(bytes, FRAGMENT_BYTES_MAX) {
            Ok(Some(frame)) => Ok(frame),
            Ok(None) => Err(self.garbage("half a frame")),
            Err(error) => Err(self.garbage(&error.to_string())),
        }
    }

    #[cold]
    fn garbage(&self, what: &str) -> FabricError {
        FabricError::Garbage { node: self.node, what: what.into() }
    }
}

#[inline]
fn count(taken: &mut Taken, frame: &Frame) {
    let message = frame.head.is_some_and(|head| head.flag == Flag::Last);
    taken.messages = taken.messages.wrapping_add(u32::from(message));
    taken.bytes = taken.bytes.wrapping_add(frame.wire_bytes() as u32);
}
