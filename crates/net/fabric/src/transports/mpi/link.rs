//! What a node knows of one peer: its posted receives, and how much is on its way.
//!
//! **Window.** A node has at most a [`Window`] of messages and bytes on their way to a peer: sent
//! and not known to have been taken. What comes back says how much was taken (`taken` in every
//! frame). A node that sends nothing back acknowledges on a tag of its own, which overtakes
//! messages that nobody has taken: every quarter of a window, and after a millisecond in which
//! nothing else told it.

use super::raw::{Buffer, Channel, Post};
use crate::error::FabricError;
use crate::spec::NodeId;
use crate::transport::{Flag, Head};
use crate::transports::tcp::frame::{Frame, HEADER_BYTES, Taken};
use crate::window::Window;

/// What may be on its way to a peer.
pub(super) const WINDOW: Window =
    Window { messages: 1024, bytes: 4 << 20, fragment_bytes: 256 << 10 };
/// Size of a posted receive: what both libraries send at once (Open MPI within a box: 4096 bytes,
/// its own header included). Larger payloads travel apart, behind their header.
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
    window: Window,
    /// Posted receives, in the order in which they were posted from `next` on: messages come in
    /// that order.
    posts: Vec<Post>,
    next: usize,
    acknowledgements: Post,
    /// A frame whose payload is on its way apart, into this buffer.
    pub large: Option<(Frame, Buffer)>,
    sent: Taken,
    /// Messages sent when it was last heard what the peer has acknowledged; wraps.
    heard_at: u32,
    /// Of these, what the peer is known to have taken.
    known: Taken,
    taken: Taken,
    told: Taken,
    /// Told on the tag for acknowledgements, which a peer that only sends hears.
    acknowledged: Taken,
}

impl Link {
    pub fn new(
        node: NodeId,
        same_clock: bool,
        window: Window,
        channel: &Channel,
        posts: usize,
    ) -> Result<Link, FabricError> {
        let from = i32::from(node);
        let posts: Result<Vec<Post>, _> =
            (0..posts).map(|_| Post::new(channel, POST_BYTES, from, TAG_FRAME)).collect();
        let none = Taken::default();
        Ok(Link {
            node,
            same_clock,
            paused: false,
            heard_bye: false,
            window,
            posts: posts?,
            next: 0,
            acknowledgements: Post::new(channel, HEADER_BYTES, from, TAG_ACKNOWLEDGE)?,
            large: None,
            sent: none,
            heard_at: 0,
            known: none,
            taken: none,
            told: none,
            acknowledged: none,
        })
    }

    /// The receive that its next message comes into.
    #[inline(always)]
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
    #[inline(always)]
    pub fn in_flight(&self) -> u32 {
        self.sent.messages.wrapping_sub(self.known.messages)
    }

    /// Whether a good part of the window is on its way.
    #[inline]
    pub fn is_deep(&self) -> bool {
        self.in_flight() >= self.window.messages / 4
    }

    /// Whether the window lets so many more payload bytes through.
    #[inline(always)]
    pub fn has_window(&self, bytes: usize) -> bool {
        let on_their_way = self.sent.bytes.wrapping_sub(self.known.bytes);
        self.in_flight() < self.window.messages
            && on_their_way + (HEADER_BYTES + bytes) as u32 <= self.window.bytes
    }

    /// The frame of a fragment that is being sent.
    #[inline(always)]
    pub fn frame(&mut self, head: &Head, len: usize) -> Frame {
        self.told = self.taken;
        let frame = Frame { head: Some(*head), len, taken: self.taken };
        count(&mut self.sent, &frame);
        frame
    }

    /// A fragment of this peer is delivered.
    #[inline(always)]
    pub fn took(&mut self, frame: &Frame) {
        count(&mut self.taken, frame);
    }

    /// The peer says how much it has taken.
    #[inline(always)]
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

    /// Hear what the peer has acknowledged once for every good part of a window that is sent. A
    /// node whose peer answers soon never finds its window closed, nor looks in vain for long: what
    /// it did not hear would wait in MPI's memory, more and more of it.
    #[inline(always)]
    pub fn hear_in_time(&mut self) -> Result<(), FabricError> {
        if self.sent.messages.wrapping_sub(self.heard_at) >= self.window.messages / 4 {
            self.hear()?;
        }
        Ok(())
    }

    /// Hear what the peer has acknowledged on the tag for that.
    pub fn hear(&mut self) -> Result<(), FabricError> {
        self.heard_at = self.sent.messages;
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
        let due = self.window.is_due(messages, bytes);
        !self.heard_bye && (due || late && self.told != self.taken)
    }

    /// The acknowledgement that is being sent.
    pub fn acknowledgement(&mut self) -> Frame {
        (self.told, self.acknowledged) = (self.taken, self.taken);
        Frame { head: None, len: 0, taken: self.taken }
    }

    /// A frame out of the beginning of `bytes`.
    #[inline(always)]
    pub fn decode(&self, bytes: &[u8]) -> Result<Frame, FabricError> {
        match Frame::decode(bytes, self.window.fragment_bytes) {
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
