//! What has come over one connection and is not yet taken: bytes in, frames out, bounded.
//!
//! **When did a message arrive?** The kernel stamps segments, and one read tells the stamp of the last segment in it only.
//! (On loopback, too: messages written one by one and read together come with one stamp, the last one's.) So the message
//! whose last byte is the last byte of a read is *observed* to have arrived at the read's stamp. Every other message that
//! the read completed arrived at some time after the stamp of the read before (or after the last look that found
//! nothing, if that was later) and not after this read's stamp: it is *bracketed* by the two. A read that filled
//! its buffer may have cut a segment in two; its stamp is then an upper bound only. Segments that overtake each other
//! on a lossy network can make a stamp earlier than the message's completion; loopback and switched links
//! in order do not.
//!
//! Headers are checked, and acknowledgements found, as soon as bytes come in, ahead of delivery: a node that only sends
//! must see its window open behind messages that it has not taken.
//!
//! Pure: no sockets, no clocks.

use super::frame::{Frame, FrameError, HEADER_BYTES, Taken};
use crate::transport::{Flag, Head};
use record::{ABSENT, ArrivedClock, Kind};
use std::collections::VecDeque;
use std::ops::Range;

/// Most bytes asked for in one read: more would leave the cache before they are taken.
const READ_BYTES_MAX: usize = 256 << 10;
/// Reads remembered one by one; beyond, neighbours on one clock are joined (a wider bracket, still true).
const READS_MAX: usize = 64;

/// How payloads lie in the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Each behind a header, at most so many bytes.
    Headed { payload_bytes_max: usize },
    /// Payloads alone, every message of `message_bytes`, delivered in fragments of at most `fragment_bytes_max`.
    Bare { message_bytes: usize, fragment_bytes_max: usize },
}

/// When the bytes of one read came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// Whose clock the bounds are on: the kernel's (ns) or the receiver's (ticks).
    pub clock: ArrivedClock,
    /// Nothing of it came before.
    pub earliest: u64,
    /// All of it had come by then.
    pub latest: u64,
    /// `latest` is when the last byte came.
    pub exact: bool,
}

/// A fragment that is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delivery {
    pub head: Head,
    /// Bytes that it took in the stream.
    pub wire_bytes: usize,
    /// `None`: nobody looked at a clock.
    pub came: Option<Span>,
}

struct Read {
    /// Stream offset behind its last byte.
    end: u64,
    span: Option<Span>,
}

/// The receiving side of a connection.
pub(crate) struct Inbox {
    framing: Framing,
    buffer: Box<[u8]>,
    /// Stream offset of the buffer's first byte.
    base: u64,
    /// The payload in the node's hands, before `start`.
    held: Range<usize>,
    /// First byte not yet delivered.
    start: usize,
    /// Headers before this are checked; may lie beyond `filled`, behind a payload that is still coming.
    checked: usize,
    filled: usize,
    bye_seen: bool,
    reads: VecDeque<Read>,
    /// Of a bare message: bytes of it already delivered; messages delivered.
    bare_at: usize,
    bare_count: u64,
}

impl Inbox {
    pub fn new(framing: Framing, capacity_bytes: usize) -> Inbox {
        Inbox {
            framing,
            buffer: vec![0; capacity_bytes].into_boxed_slice(),
            base: 0,
            held: 0..0,
            start: 0,
            checked: 0,
            filled: 0,
            bye_seen: false,
            reads: VecDeque::new(),
            bare_at: 0,
            bare_count: 0,
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
    pub fn commit(&mut self, bytes: usize, span: Option<Span>) -> Result<Option<Taken>, FrameError> {
        self.filled += bytes;
        self.remember(span);
        let Framing::Headed { payload_bytes_max } = self.framing else {
            self.checked = self.filled;
            return Ok(None);
        };
        let mut taken = None;
        while self.checked < self.filled {
            let Some(frame) = Frame::decode(&self.buffer[self.checked..self.filled], payload_bytes_max)?
            else {
                break;
            };
            if let Some(head) = &frame.head {
                if self.bye_seen {
                    return Err(FrameError::AfterBye);
                }
                self.bye_seen = head.flag == Flag::Bye;
            }
            taken = Some(frame.taken);
            self.checked += frame.wire_bytes();
        }
        Ok(taken)
    }

    /// Release the fragment in hand and take the next one, if all of it is here.
    #[inline]
    pub fn next(&mut self) -> Option<Delivery> {
        self.held = 0..0;
        match self.framing {
            Framing::Headed { payload_bytes_max } => self.next_frame(payload_bytes_max),
            Framing::Bare { message_bytes, fragment_bytes_max } => {
                self.next_bare(message_bytes, fragment_bytes_max)
            }
        }
    }

    /// Whether [`Inbox::next`] has something (perhaps only an acknowledgement to step over).
    pub fn has_next(&self) -> bool {
        let wanted = match self.framing {
            Framing::Bare { message_bytes, fragment_bytes_max } => {
                (message_bytes - self.bare_at).min(fragment_bytes_max)
            }
            Framing::Headed { .. } if self.start >= self.checked => return false,
            Framing::Headed { payload_bytes_max } => {
                match Frame::decode(&self.buffer[self.start..], payload_bytes_max) {
                    Ok(Some(frame)) => frame.wire_bytes(),
                    _ => return false,
                }
            }
        };
        self.filled - self.start >= wanted
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

    /// Whether the stream may end here: no part of a frame or of a bare message waits for its rest.
    pub fn at_boundary(&self) -> bool {
        match self.framing {
            Framing::Headed { .. } => self.filled == self.checked,
            Framing::Bare { message_bytes, .. } => {
                (self.bare_at + self.filled - self.start).is_multiple_of(message_bytes)
            }
        }
    }

    #[inline]
    fn next_frame(&mut self, payload_bytes_max: usize) -> Option<Delivery> {
        while self.start < self.checked {
            let frame =
                Frame::decode(&self.buffer[self.start..self.filled], payload_bytes_max).ok().flatten()?;
            let end = self.start + frame.wire_bytes();
            if end > self.filled {
                return None;
            }
            self.held = self.start + HEADER_BYTES..end;
            self.start = end;
            let came = self.came(end);
            if let Some(head) = frame.head {
                return Some(Delivery { head, wire_bytes: frame.wire_bytes(), came });
            }
            self.held = 0..0;
        }
        None
    }

    fn next_bare(&mut self, message_bytes: usize, fragment_bytes_max: usize) -> Option<Delivery> {
        let bytes = (message_bytes - self.bare_at).min(fragment_bytes_max);
        let end = self.start + bytes;
        if end > self.filled {
            return None;
        }
        self.held = self.start..end;
        self.start = end;
        let seq = self.bare_count;
        self.bare_at += bytes;
        let flag = if self.bare_at == message_bytes { Flag::Last } else { Flag::More };
        if flag == Flag::Last {
            (self.bare_at, self.bare_count) = (0, seq + 1);
        }
        let head = Head { ready: ABSENT, sent: ABSENT, seq, kind: Kind::Data, flag, batch: 1, in_flight: 0 };
        Some(Delivery { head, wire_bytes: bytes, came: self.came(end) })
    }

    fn remember(&mut self, span: Option<Span>) {
        let end = self.base + self.filled as u64;
        let full = self.reads.len() >= READS_MAX;
        let last = self.reads.back_mut().filter(|last| full && last.span.map(on) == span.map(on));
        let Some(last) = last else {
            return self.reads.push_back(Read { end, span });
        };
        last.end = end;
        last.span = last.span.zip(span).map(|(old, new)| Span { earliest: old.earliest, ..new });
    }

    /// When the frame that ends at `end` in the buffer came.
    #[inline]
    fn came(&mut self, end: usize) -> Option<Span> {
        let end = self.base + end as u64;
        while self.reads.front().is_some_and(|read| read.end < end) {
            self.reads.pop_front();
        }
        let read = self.reads.front()?;
        let span = read.span?;
        Some(Span { exact: span.exact && read.end == end, ..span })
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

fn on(span: Span) -> ArrivedClock {
    span.clock
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MAX: usize = 600;
    const HEADED: Framing = Framing::Headed { payload_bytes_max: MAX };

    fn frame(flag: Flag, seq: u64, payload: &[u8]) -> Vec<u8> {
        let head = Head { ready: 1, sent: 2, seq, kind: Kind::Data, flag, batch: 1, in_flight: 0 };
        let taken = Taken { messages: seq as u32, bytes: 0 };
        let mut bytes = Frame { head: Some(head), len: payload.len(), taken }.encode().to_vec();
        bytes.extend_from_slice(payload);
        bytes
    }

    fn feed(inbox: &mut Inbox, bytes: &[u8], span: Option<Span>) -> Result<Option<Taken>, FrameError> {
        inbox.room()[..bytes.len()].copy_from_slice(bytes);
        inbox.commit(bytes.len(), span)
    }

    fn read_at(earliest: u64, latest: u64) -> Option<Span> {
        Some(Span { clock: ArrivedClock::Kernel, earliest, latest, exact: true })
    }

    proptest! {
        /// However the stream is cut into reads, the same frames come out, in a buffer that holds little more than one.
        #[test]
        fn cuts_do_not_matter(
            sizes in prop::collection::vec(0..MAX, 1..40), cuts in prop::collection::vec(1usize..900, 1..50),
        ) {
            let payload = |k: usize| (0..sizes[k]).map(|i| (i * 7 + k) as u8).collect::<Vec<_>>();
            let stream: Vec<u8> = (0..sizes.len()).flat_map(|k| frame(Flag::Last, k as u64, &payload(k))).collect();
            let mut inbox = Inbox::new(HEADED, 2 * (MAX + HEADER_BYTES));
            let (mut at, mut got, mut cuts) = (0, 0, cuts.into_iter().cycle());
            while got < sizes.len() {
                if let Some(delivery) = inbox.next() {
                    prop_assert_eq!(delivery.head.seq, got as u64);
                    prop_assert_eq!(inbox.payload(), payload(got));
                    got += 1;
                    continue;
                }
                let bytes = cuts.next().unwrap().min(stream.len() - at).min(inbox.room().len());
                prop_assert!(bytes > 0, "no room for the rest of a frame");
                feed(&mut inbox, &stream[at..at + bytes], None).unwrap();
                at += bytes;
            }
            prop_assert!(inbox.next().is_none() && inbox.at_boundary());
        }

        #[test]
        fn bare_messages_are_cut_by_count(size in 1usize..500, most in 1usize..200, cut in 1usize..300, count in 1usize..9) {
            let stream: Vec<u8> = (0..size * count).map(|i| (i % 251) as u8).collect();
            let mut inbox = Inbox::new(Framing::Bare { message_bytes: size, fragment_bytes_max: most }, 1024);
            let (mut at, mut out, mut messages) = (0, Vec::new(), 0);
            while at < stream.len() || inbox.has_next() {
                while let Some(delivery) = inbox.next() {
                    prop_assert!(inbox.payload().len() <= most);
                    out.extend_from_slice(inbox.payload());
                    prop_assert_eq!(delivery.head.seq, messages);
                    messages += u64::from(delivery.head.flag == Flag::Last);
                }
                let bytes = cut.min(stream.len() - at).min(inbox.room().len());
                feed(&mut inbox, &stream[at..at + bytes], None).unwrap();
                at += bytes;
            }
            prop_assert_eq!(messages, count as u64);
            prop_assert_eq!(out, stream);
        }

        #[test]
        fn noise_never_panics(noise in prop::collection::vec(any::<u8>(), 0..2000), cut in 1usize..500) {
            let mut inbox = Inbox::new(HEADED, 2 * (MAX + HEADER_BYTES));
            for part in noise.chunks(cut) {
                if inbox.room().len() < part.len() || feed(&mut inbox, part, None).is_err() {
                    break;
                }
                while inbox.next().is_some() {}
            }
        }
    }

    #[test]
    fn only_the_message_that_ends_a_read_is_observed() {
        let mut inbox = Inbox::new(HEADED, 4096);
        let three: Vec<u8> = (0..3).flat_map(|seq| frame(Flag::Last, seq, b"12345678")).collect();
        feed(&mut inbox, &three, read_at(100, 200)).unwrap();
        let exact: Vec<bool> =
            std::iter::from_fn(|| inbox.next()).map(|delivery| delivery.came.unwrap().exact).collect();
        assert_eq!(exact, [false, false, true]);
        // A read that ends within the next frame observed that one's beginning, not the end of this.
        let two: Vec<u8> = (3..5).flat_map(|seq| frame(Flag::Last, seq, b"12345678")).collect();
        feed(&mut inbox, &two[..60], read_at(200, 300)).unwrap();
        let first = inbox.next().unwrap().came.unwrap();
        assert_eq!((first.earliest, first.latest, first.exact), (200, 300, false));
        feed(&mut inbox, &two[60..], read_at(300, 400)).unwrap();
        assert!(inbox.next().unwrap().came.unwrap().exact);
    }

    /// The kernel's stamps begin while much waits: what came before has its own, on the other clock.
    #[test]
    fn reads_that_are_joined_keep_their_clocks() {
        let mut inbox = Inbox::new(HEADED, 1 << 16);
        for seq in 0..200 {
            let clock = if seq < 100 { ArrivedClock::Receiver } else { ArrivedClock::Kernel };
            let span = Span { clock, earliest: seq, latest: seq + 1, exact: true };
            feed(&mut inbox, &frame(Flag::Last, seq, b"12345678"), Some(span)).unwrap();
        }
        for seq in 0..200 {
            let came = inbox.next().unwrap().came.unwrap();
            assert_eq!(came.clock, if seq < 100 { ArrivedClock::Receiver } else { ArrivedClock::Kernel });
            assert!(came.earliest <= seq && seq < came.latest, "{seq}: {came:?}");
        }
        assert!(inbox.reads.len() <= 2);
    }

    #[test]
    fn acknowledgements_are_seen_ahead_of_messages_not_taken() {
        let mut inbox = Inbox::new(HEADED, 4096);
        let data = frame(Flag::Last, 5, &[0; 100]);
        let ack = Frame { head: None, len: 0, taken: Taken { messages: 9, bytes: 77 } }.encode();
        assert_eq!(feed(&mut inbox, &data, None).unwrap().unwrap().messages, 5);
        assert_eq!(feed(&mut inbox, &ack, None), Ok(Some(Taken { messages: 9, bytes: 77 })));
        assert_eq!(inbox.next().unwrap().head.seq, 5);
        assert!(inbox.next().is_none());
    }

    #[test]
    fn what_came_before_garbage_is_delivered() {
        let mut inbox = Inbox::new(HEADED, 4096);
        let mut bytes = frame(Flag::Last, 0, b"good");
        bytes.extend_from_slice(&[0xff; HEADER_BYTES]);
        assert!(matches!(feed(&mut inbox, &bytes, None), Err(FrameError::TooLong { .. })));
        assert_eq!(inbox.next().unwrap().head.seq, 0);
        assert_eq!(inbox.payload(), b"good");
        assert!(inbox.next().is_none());
    }

    #[test]
    fn nothing_but_acknowledgements_follows_a_bye() {
        let mut inbox = Inbox::new(HEADED, 4096);
        feed(&mut inbox, &frame(Flag::Bye, 0, b""), None).unwrap();
        let ack = Frame { head: None, len: 0, taken: Taken::default() }.encode();
        assert!(feed(&mut inbox, &ack, None).is_ok() && inbox.bye_seen());
        assert_eq!(feed(&mut inbox, &frame(Flag::Last, 1, b""), None), Err(FrameError::AfterBye));
    }
}
