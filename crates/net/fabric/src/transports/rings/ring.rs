//! One path: a bounded queue of messages from one node to one other, in memory that both can see.
//!
//! ```text
//! consumer line │ 1024 slots of one cache line each │ byte ring for payloads above 8 bytes
//! ```
//!
//! A message is one slot: its first word holds the lap number and the length, and storing that word
//! publishes the message. So a small message costs its receiver one cache-line transfer, as a bare
//! flag would. The consumer tells how far it has come in a line of its own, seldom; the sender
//! looks there only when messages going the other way have not told it already. Larger payloads lie
//! in the byte ring, each in one piece, so that the receiver can lend them out without copying.
//!
//! The protocol is checked under Loom (`tests::modelled`), payloads included.

use crate::transport::{Flag, Head};
use memory::Word;
use record::Kind;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

mod area;
pub(crate) use area::Area;
use area::Memory;

/// Words of a cache line.
pub(crate) const LINE_WORDS: usize = 8;
/// Payloads up to this many bytes travel in the slot itself.
const INLINE_BYTES: usize = 8;
/// The consumer tells of its progress after so many messages, or when it finds the path empty.
const PUBLISH_EVERY: u64 = 16;

/// Words of the consumer's line.
const TAKEN: usize = 0;
const TAKEN_BYTES: usize = 1;
const SENDER_WAITS: usize = 2;

/// Words of a slot.
const STATE: usize = 0;
const READY: usize = 1;
const SENT: usize = 2;
const PUBLISHED: usize = 3;
const SEQ: usize = 4;
const META: usize = 5;
const RETURNED: usize = 6;
const INLINE: usize = 7;

/// How large a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    /// Messages it holds; a power of two.
    pub slots: usize,
    /// Payload bytes it holds; a power of two, a multiple of the cache line.
    pub bytes: usize,
}

impl Size {
    /// Words of memory a path of this size takes.
    pub fn words(self) -> usize {
        LINE_WORDS + self.slots * LINE_WORDS + self.bytes / size_of::<u64>()
    }

    /// Longest payload that always finds room in an empty path, wherever the byte ring stands.
    pub fn payload_bytes_max(self) -> usize {
        self.bytes / 4
    }

    fn slot(self, count: u64) -> usize {
        LINE_WORDS + (count as usize & (self.slots - 1)) * LINE_WORDS
    }

    /// Lap of the message numbered `count`. The zero of fresh memory comes back after four billion
    /// laps, when no slot is fresh.
    fn lap(self, count: u64) -> u32 {
        ((count >> self.slots.trailing_zeros()) as u32).wrapping_add(1)
    }

    /// Where a payload of `len` bytes starts if the byte ring stands at `cursor`, and where the
    /// ring stands afterwards: at the next cache line, after skipping the end of the ring if it
    /// would not fit there.
    fn place(self, cursor: u64, len: usize) -> (u64, u64) {
        if len <= INLINE_BYTES {
            return (cursor, cursor);
        }
        let room = self.bytes as u64 - (cursor & (self.bytes as u64 - 1));
        let start = if (len as u64) <= room { cursor } else { cursor + room };
        (start, (start + len as u64).next_multiple_of(64))
    }

    fn byte_word(self, cursor: u64) -> usize {
        LINE_WORDS
            + self.slots * LINE_WORDS
            + (cursor as usize & (self.bytes - 1)) / size_of::<u64>()
    }
}

/// The sending end. Aligned so that ends of different nodes, made side by side, share no cache
/// line.
#[repr(align(128))]
pub(crate) struct Sender<M = Area> {
    area: M,
    size: Size,
    sent: u64,
    byte_cursor: u64,
    /// What the consumer has given back, by its line.
    taken: u64,
    taken_bytes: u64,
    /// What it has taken, by its line or by its own messages. These may be ahead of the line, and
    /// count a message that it still reads, so they say what is on its way but never what may be
    /// overwritten.
    known_taken: u64,
}

/// The receiving end. Aligned like the sending end.
#[repr(align(128))]
pub(crate) struct Receiver<M = Area> {
    area: M,
    size: Size,
    taken: u64,
    byte_cursor: u64,
    /// Where the byte ring stands once the fragment in hand is released; `None`: none is in hand.
    in_hand: Option<u64>,
    told: u64,
    payload_at: usize,
    payload_len: usize,
}

/// A slot as its receiver finds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub head: Head,
    /// The sender's clock when the message was in the queue.
    pub published: u64,
    /// Messages that the sender had taken from us by then.
    pub returned: u64,
}

/// What a sender puts into a slot besides the payload.
pub(crate) struct Put<'a> {
    pub head: &'a Head,
    pub published: u64,
    pub returned: u64,
}

impl<M: Memory> Sender<M> {
    pub fn new(area: M, size: Size) -> Self {
        Sender { area, size, sent: 0, byte_cursor: 0, taken: 0, taken_bytes: 0, known_taken: 0 }
    }

    /// Whether a payload of `len` bytes has room now.
    #[inline]
    pub fn has_room(&mut self, len: usize) -> bool {
        if self.fits(len) {
            return true;
        }
        self.look_at_consumer();
        self.fits(len)
    }

    #[inline]
    fn fits(&self, len: usize) -> bool {
        let (_, end) = self.size.place(self.byte_cursor, len);
        self.sent - self.taken < self.size.slots as u64
            && end - self.taken_bytes <= self.size.bytes as u64
    }

    fn look_at_consumer(&mut self) {
        let words = self.area.words();
        // Acquire: the consumer's reads of what it released happen before our overwriting it.
        self.taken = self.taken.max(words[TAKEN].load(Acquire));
        self.taken_bytes = self.taken_bytes.max(words[TAKEN_BYTES].load(Acquire));
        self.known_taken = self.known_taken.max(self.taken.min(self.sent));
    }

    /// Messages that the other node is not known to have taken.
    #[inline]
    pub fn in_flight(&mut self) -> u64 {
        if self.known_taken != self.sent {
            self.look_at_consumer();
        }
        self.sent - self.known_taken
    }

    /// The other node said, in a message of its own, that it had taken so many.
    #[inline]
    pub fn learn(&mut self, taken: u64) {
        self.known_taken = self.known_taken.max(taken.min(self.sent));
    }

    /// Write the payload of the next message. There must be room.
    #[inline]
    pub fn write_payload(&mut self, payload: &[u8]) {
        debug_assert!(self.fits(payload.len()));
        let (start, _) = self.size.place(self.byte_cursor, payload.len());
        let first = match payload.len() <= INLINE_BYTES {
            true => self.size.slot(self.sent) + INLINE,
            false => self.size.byte_word(start),
        };
        let words = &self.area.words()[first..];
        let (whole, rest) = payload.as_chunks::<8>();
        for (word, bytes) in words.iter().zip(whole) {
            word.store(u64::from_ne_bytes(*bytes), Relaxed);
        }
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            words[whole.len()].store(u64::from_ne_bytes(last), Relaxed);
        }
    }

    /// Publish the next message, whose payload of `len` bytes has been written.
    #[inline]
    pub fn publish(&mut self, put: &Put<'_>, len: usize) {
        let Put { head, published, returned } = *put;
        let at = self.size.slot(self.sent);
        let slot = &self.area.words()[at..at + LINE_WORDS];
        slot[READY].store(head.ready, Relaxed);
        slot[SENT].store(head.sent, Relaxed);
        slot[PUBLISHED].store(published, Relaxed);
        slot[SEQ].store(head.seq, Relaxed);
        slot[META].store(pack_meta(head), Relaxed);
        slot[RETURNED].store(returned, Relaxed);
        let state = u64::from(self.size.lap(self.sent)) << 32 | len as u64;
        // Release: whoever sees this lap sees the slot and the payload.
        slot[STATE].store(state, Release);
        self.byte_cursor = self.size.place(self.byte_cursor, len).1;
        self.sent += 1;
    }

    /// Ask the consumer to ring when it makes room, or take the request back.
    pub fn set_waiting(&self, waiting: bool) {
        self.area.words()[SENDER_WAITS].store(u64::from(waiting), Relaxed);
    }
}

impl<M: Memory> Receiver<M> {
    pub fn new(area: M, size: Size) -> Self {
        Receiver {
            area,
            size,
            taken: 0,
            byte_cursor: 0,
            in_hand: None,
            told: 0,
            payload_at: 0,
            payload_len: 0,
        }
    }

    /// Messages taken so far, the one in hand included: what a message going back tells the sender.
    #[inline]
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Release the message in hand and take the next, if there is one. A damaged slot (shared
    /// memory that somebody else wrote to) is `Err`.
    #[inline]
    pub fn poll(&mut self) -> Result<Option<Found>, &'static str> {
        self.release();
        let at = self.size.slot(self.taken);
        let slot = &self.area.words()[at..at + LINE_WORDS];
        // Acquire: with the lap come the slot's other words and the payload.
        let state = slot[STATE].load(Acquire);
        if (state >> 32) as u32 != self.size.lap(self.taken) {
            return Ok(None);
        }
        let len = state as u32 as usize;
        if len > self.size.payload_bytes_max() {
            return Err("a payload longer than the path can hold");
        }
        let head = unpack_meta(slot).ok_or("an unknown kind or flag")?;
        let (start, end) = self.size.place(self.byte_cursor, len);
        self.payload_at =
            if len <= INLINE_BYTES { at + INLINE } else { self.size.byte_word(start) };
        self.payload_len = len;
        self.in_hand = Some(end);
        self.taken += 1;
        let (published, returned) = (slot[PUBLISHED].load(Relaxed), slot[RETURNED].load(Relaxed));
        Ok(Some(Found { head, published, returned }))
    }

    /// Whether a message waits beyond the one in hand.
    pub fn has_next(&self) -> bool {
        let state = self.area.words()[self.size.slot(self.taken)].load(Acquire);
        (state >> 32) as u32 == self.size.lap(self.taken)
    }

    #[inline]
    fn release(&mut self) {
        if let Some(byte_cursor) = self.in_hand.take() {
            self.byte_cursor = byte_cursor;
        }
    }

    /// Tell the sender how far this end has come, if that is due: after some messages, or (`empty`)
    /// when there are no more. Returns whether the sender asked to be woken for it.
    #[inline]
    pub fn tell(&mut self, empty: bool) -> bool {
        let released = self.taken - u64::from(self.in_hand.is_some());
        if released == self.told || (!empty && released - self.told < PUBLISH_EVERY) {
            return false;
        }
        let words = self.area.words();
        // Release: our reads of what is given back happen before the sender overwrites it.
        words[TAKEN_BYTES].store(self.byte_cursor, Release);
        words[TAKEN].store(released, Release);
        self.told = released;
        true
    }

    /// Whether the sender sleeps until this end makes room.
    pub fn sender_waits(&self) -> bool {
        self.area.words()[SENDER_WAITS].load(Relaxed) != 0
    }

    /// The payload of the message in hand.
    #[inline]
    pub fn payload(&self) -> &[u8] {
        if self.in_hand.is_none() {
            return &[];
        }
        self.area.bytes(self.payload_at, self.payload_len)
    }
}

fn pack_meta(head: &Head) -> u64 {
    head.kind as u64
        | (head.flag as u64) << 8
        | u64::from(head.batch) << 16
        | u64::from(head.in_flight) << 32
}

fn unpack_meta(slot: &[impl Word]) -> Option<Head> {
    let meta = slot[META].load(Relaxed);
    Some(Head {
        ready: slot[READY].load(Relaxed),
        sent: slot[SENT].load(Relaxed),
        seq: slot[SEQ].load(Relaxed),
        kind: Kind::from_code(meta as u8)?,
        flag: Flag::from_code((meta >> 8) as u8 & 0xf)?,
        batch: (meta >> 16) as u16,
        in_flight: (meta >> 32) as u32,
    })
}

#[cfg(test)]
mod tests;
