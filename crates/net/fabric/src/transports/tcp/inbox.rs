//! What has come over one connection and is not yet taken: bytes in, frames out, bounded.
//!
//! **When did a message arrive?** The kernel stamps segments, and one read tells the stamp of the
//! last segment in it only. (On loopback, too: messages written one by one and read together come
//! with one stamp, the last one's.) So the message whose last byte is the last byte of a read is
//! *observed* to have arrived at the read's stamp. Every other message that the read completed
//! arrived at some time after the stamp of the read before (or after the last look that found
//! nothing, if that was later) and not after this read's stamp: it is *bracketed* by the two. A
//! read that filled its buffer may have cut a segment in two; its stamp is then an upper bound
//! only. Segments that overtake each other on a lossy network can make a stamp earlier than the
//! message's completion; loopback and switched links in order do not.
//!
//! Headers are checked as soon as bytes come in, ahead of delivery, and frames that only
//! acknowledge are taken out of the buffer in the same step. So a node that only sends sees its
//! window open behind messages that it has not taken, and what it never takes is bounded by its
//! peer's window, however many acknowledgements come in between.
//!
//! Pure: no sockets, no clocks.

use super::frame::{Frame, FrameError, HEADER_BYTES, Taken};
use crate::transport::{Flag, Head};
use crate::transports::sockets::arrive::Span;
use reads::Reads;
use std::ops::Range;

mod reads;
#[cfg(test)]
mod tests;

/// Most bytes asked for in one read: more would leave the cache before they are taken.
const READ_BYTES_MAX: usize = 256 << 10;

/// A fragment that is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delivery {
    pub head: Head,
    /// Bytes that it took in the stream.
    pub wire_bytes: usize,
    /// `None`: nobody looked at a clock.
    pub came: Option<Span>,
}

/// The receiving side of a connection.
pub(crate) struct Inbox {
    payload_bytes_max: usize,
    buffer: Box<[u8]>,
    /// Offset of the buffer's first byte in the stream, acknowledgements left out.
    base: u64,
    /// The payload in the node's hands, before `start`.
    held: Range<usize>,
    /// First byte not yet delivered.
    start: usize,
    /// Headers before this are checked; may lie beyond `filled`, behind a payload that is still
    /// coming.
    checked: usize,
    filled: usize,
    bye_seen: bool,
    reads: Reads,
}

impl Inbox {
    pub fn new(payload_bytes_max: usize, capacity_bytes: usize) -> Inbox {
        Inbox {
            payload_bytes_max,
            buffer: vec![0; capacity_bytes].into_boxed_slice(),
            base: 0,
            held: 0..0,
            start: 0,
            checked: 0,
            filled: 0,
            bye_seen: false,
            reads: Reads::default(),
        }
    }

    /// Where the next read goes; empty when there is no room.
    #[inline]
    pub fn room(&mut self) -> &mut [u8] {
        let first = if self.held.is_empty() { self.start } else { self.held.start };
        let tail = self.buffer.len() - self.filled;
        let cheap = self.filled - first <= first;
        if first > 0 && (first == self.filled || tail == 0 || (tail < READ_BYTES_MAX && cheap)) {
            self.move_down(first);
        }
        let end = self.buffer.len().min(self.filled + READ_BYTES_MAX);
        &mut self.buffer[self.filled..end]
    }

    pub fn has_room(&self) -> bool {
        let first = if self.held.is_empty() { self.start } else { self.held.start };
        first > 0 || self.filled < self.buffer.len()
    }

    /// `bytes` have been read into the room. Tells what the peer says it has taken, if it said so.
    #[inline]
    pub fn commit(
        &mut self,
        bytes: usize,
        span: Option<Span>,
    ) -> Result<Option<Taken>, FrameError> {
        self.filled += bytes;
        self.reads.add(self.base + self.filled as u64, span);
        self.sift()
    }

    /// Check the headers that have come, and close the gaps that acknowledgements leave.
    #[inline]
    fn sift(&mut self) -> Result<Option<Taken>, FrameError> {
        // What is looked at next; what is kept goes to `checked`, which falls behind with each
        // acknowledgement.
        let mut at = self.checked;
        let mut taken = None;
        let sifted = loop {
            if at >= self.filled {
                break Ok(taken);
            }
            let frame = match Frame::decode(&self.buffer[at..self.filled], self.payload_bytes_max) {
                Ok(Some(frame)) => frame,
                Ok(None) => break Ok(taken),
                Err(error) => break Err(error),
            };
            let bytes = frame.wire_bytes();
            match frame.head {
                Some(_) if self.bye_seen => break Err(FrameError::AfterBye),
                Some(head) => {
                    self.bye_seen = head.flag == Flag::Bye;
                    self.keep(at, bytes);
                    self.checked += bytes;
                }
                None => self.reads.cut_out(self.base + self.checked as u64, bytes as u64),
            }
            taken = Some(frame.taken);
            at += bytes;
        };
        let gap = at - self.checked;
        self.keep(at, self.filled.saturating_sub(at));
        self.filled -= gap;
        sifted
    }

    /// Move what has come of the `bytes` from `at` on to the end of what has been checked.
    #[inline]
    fn keep(&mut self, at: usize, bytes: usize) {
        if at > self.checked && bytes > 0 {
            self.buffer.copy_within(at..self.filled.min(at + bytes), self.checked);
        }
    }

    /// Release the fragment in hand and take the next one, if all of it is here.
    #[inline]
    pub fn next(&mut self) -> Option<Delivery> {
        self.held = 0..0;
        let frame = self.whole_frame()?;
        let (head, wire_bytes) = (frame.head?, frame.wire_bytes());
        let end = self.start + wire_bytes;
        self.held = self.start + HEADER_BYTES..end;
        self.start = end;
        Some(Delivery { head, wire_bytes, came: self.came(end) })
    }

    /// The frame that is delivered next, if all of it is here.
    #[inline]
    fn whole_frame(&self) -> Option<Frame> {
        if self.start >= self.checked {
            return None;
        }
        let bytes = &self.buffer[self.start..self.filled];
        let frame = Frame::decode(bytes, self.payload_bytes_max).ok().flatten()?;
        (frame.wire_bytes() <= bytes.len()).then_some(frame)
    }

    /// Whether [`Inbox::next`] has something.
    pub fn has_next(&self) -> bool {
        self.whole_frame().is_some()
    }

    /// The payload of the fragment in hand.
    #[inline]
    pub fn payload(&self) -> &[u8] {
        &self.buffer[self.held.clone()]
    }

    /// Whether the peer's good-bye has come, delivered or not.
    pub fn bye_seen(&self) -> bool {
        self.bye_seen
    }

    /// When the frame that ends at `end` in the buffer came.
    #[inline]
    fn came(&mut self, end: usize) -> Option<Span> {
        self.reads.came(self.base + end as u64)
    }

    fn move_down(&mut self, by: usize) {
        self.buffer.copy_within(by..self.filled, 0);
        self.base += by as u64;
        self.start -= by;
        self.checked -= by;
        self.filled -= by;
        if !self.held.is_empty() {
            self.held = self.held.start - by..self.held.end - by;
        }
    }
}
