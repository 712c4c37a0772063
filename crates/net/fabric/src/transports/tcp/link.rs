//! One connection to one peer: its two buffers, its window, and how it ends.
//!
//! **Window.** A node has at most a [`Window`] of messages and bytes on their way to a peer: sent
//! and not yet taken by the peer's program. The peer's inbox holds a whole window, and
//! acknowledgements take no room in it, so it can always read the connection empty, and they never
//! wait behind messages that nobody takes. That bounds memory on both sides and keeps two nodes
//! that send to each other from blocking each other while one of them takes its messages.
//!
//! Acknowledgements ride on messages going the other way. A frame of their own is sent when a
//! quarter of the window is owed, or when something has been owed for a millisecond.

use super::frame::{Frame, FrameError, HEADER_BYTES, Taken};
use super::inbox::{Delivery, Inbox};
use super::outbox::{Outbox, Socket};
use crate::error::FabricError;
use crate::spec::{NodeId, Spec};
use crate::transport::{Flag, Head};
use crate::transports::sockets::Failure;
use crate::transports::sockets::arrive::Span;
use crate::transports::sockets::stamp::{self, Conversion};
use crate::window::Window;
use clock::Clock;
use record::ArrivedClock;
use rustix::net::{Shutdown, shutdown};
use std::io::{self, ErrorKind};
use std::net::TcpStream;

/// What may be on its way to one peer.
pub(super) const WINDOW: Window =
    Window { messages: 1024, bytes: 1 << 20, fragment_bytes: 128 << 10 };
/// Headers that an inbox has room for besides a window: that of the frame in the node's hands, a
/// good-bye's, and that of an acknowledgement until all of it has come.
const SPARE_HEADERS: usize = 3;

/// Without kernel stamps: what comes no later than this after a look that found nothing was seen
/// coming.
const SEEN_AT_ONCE_NS: u64 = 1000;

/// What a read found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Looked {
    /// Bytes, or the end.
    Something,
    /// Nothing now.
    Nothing,
    /// It was not asked: its buffer is full, or nothing can come any more.
    NotAsked,
}

/// A connection to a peer.
pub(super) struct Link {
    pub node: NodeId,
    /// Stopped by [`crate::Transport::pause`].
    pub paused: bool,
    /// The peer's stamps are on this node's clock.
    pub same_clock: bool,
    stream: TcpStream,
    window: Window,
    /// Whether the last message carried stamps: then it is worth knowing when nothing had come yet.
    recording: bool,
    inbox: Inbox,
    outbox: Outbox,
    sent: Taken,
    acknowledged: Taken,
    taken: Taken,
    told: Taken,
    /// When the peer was last told, in ticks.
    told_at: u64,
    /// Nothing had come before, on each clock: the last read's exact stamp.
    came_before: Option<(ArrivedClock, u64)>,
    said_bye: bool,
    ended: bool,
    failure: Option<Failure>,
    reported: bool,
}

impl Link {
    pub fn new(node: NodeId, stream: TcpStream, spec: &Spec, same_clock: bool) -> Link {
        let window = WINDOW.or_chosen(spec.path_room);
        let longest = window.fragment_bytes;
        // A window, and what the node has in its hands.
        let inbox_bytes = window.bytes as usize + longest + SPARE_HEADERS * HEADER_BYTES;
        // Where the kernel has no stamps, the reading thread's clock must do.
        let _ = stamp::enable(&stream);
        Link {
            node,
            paused: false,
            same_clock,
            recording: true,
            stream,
            window,
            inbox: Inbox::new(longest, inbox_bytes),
            outbox: Outbox::default(),
            sent: Taken::default(),
            acknowledged: Taken::default(),
            taken: Taken::default(),
            told: Taken::default(),
            told_at: 0,
            came_before: None,
            said_bye: false,
            ended: false,
            failure: None,
            reported: false,
        }
    }

    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Whether something is gathered or left over.
    pub fn has_pending(&self) -> bool {
        self.outbox.pending() > 0 && self.failure.is_none()
    }

    /// Whether a read makes sense.
    pub fn wants_reading(&self) -> bool {
        !self.ended && self.failure.is_none() && self.inbox.has_room()
    }

    /// Messages on their way to the peer, as far as it has told.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        self.sent.messages.wrapping_sub(self.acknowledged.messages)
    }

    /// Whether a fragment may be put in now.
    #[inline]
    pub fn has_room(&self, bytes: usize) -> bool {
        let on_their_way = self.sent.bytes.wrapping_sub(self.acknowledged.bytes);
        self.in_flight() < self.window.messages
            && on_their_way + (HEADER_BYTES + bytes) as u32 <= self.window.bytes
            && self.outbox.has_room()
    }

    /// Whether a good part of the window is on its way: a node that takes nothing should look what
    /// has been taken.
    #[inline]
    pub fn is_deep(&self) -> bool {
        self.in_flight() >= self.window.messages / 4
    }

    /// Put in a fragment that there is room for.
    #[inline]
    pub fn put(&mut self, head: &Head, payload: &[u8], now: u64) {
        self.said_bye |= head.flag == Flag::Bye;
        let frame = Frame { head: Some(*head), len: payload.len(), taken: self.taken };
        self.sent.messages = self.sent.messages.wrapping_add(u32::from(frame.ends_message()));
        self.sent.bytes = self.sent.bytes.wrapping_add(frame.wire_bytes() as u32);
        self.told = self.taken;
        if now != 0 {
            self.told_at = now;
        }
        let result = self.outbox.put(&frame.encode(), payload, &mut Socket(&self.stream));
        self.note_write(result);
    }

    /// Write what waits, as far as the kernel takes it. `true`: all of it went (or never will).
    #[inline]
    pub fn write(&mut self) -> bool {
        if self.failure.is_some() {
            return true;
        }
        let done = self.outbox.write(&mut Socket(&self.stream));
        self.note_write(done).unwrap_or(true)
    }

    /// Say no more.
    pub fn shut(&mut self) {
        // Already shut, or already gone: both are what is wanted.
        let _ = shutdown(&self.stream, Shutdown::Write);
    }

    /// Tell the peer what has been taken, if so much is owed or (`late`) if it has been owed for
    /// long.
    pub fn acknowledge(&mut self, late: Option<(u64, u64)>) {
        let messages = self.taken.messages.wrapping_sub(self.told.messages);
        let bytes = self.taken.bytes.wrapping_sub(self.told.bytes);
        let is_late =
            late.is_some_and(|(now, limit)| bytes > 0 && now.wrapping_sub(self.told_at) > limit);
        if !(self.window.is_due(messages, bytes) || is_late) || self.nobody_waits() {
            return;
        }
        let frame = Frame { head: None, len: 0, taken: self.taken };
        self.told = self.taken;
        self.told_at = late.map_or(self.told_at, |(now, _)| now);
        let put = self.outbox.put(&frame.encode(), &[], &mut Socket(&self.stream));
        self.note_write(put);
        self.write();
    }

    /// Whether the peer would like to know what has been taken.
    #[inline]
    pub fn owes(&self) -> bool {
        self.taken.bytes != self.told.bytes && !self.nobody_waits()
    }

    fn nobody_waits(&self) -> bool {
        self.ended || self.failure.is_some() || self.inbox.bye_seen()
    }

    /// The next fragment that is here, if any. The one before is released.
    #[inline]
    pub fn next(&mut self) -> Option<Delivery> {
        let delivery = self.inbox.next()?;
        let messages = u32::from(delivery.head.flag == Flag::Last);
        self.taken.messages = self.taken.messages.wrapping_add(messages);
        self.taken.bytes = self.taken.bytes.wrapping_add(delivery.wire_bytes as u32);
        self.recording = delivery.head.ready != record::ABSENT;
        Some(delivery)
    }

    /// Whether [`Link::next`] has something.
    pub fn has_next(&self) -> bool {
        self.inbox.has_next()
    }

    #[inline]
    pub fn payload(&self) -> &[u8] {
        self.inbox.payload()
    }

    /// Whether anybody wants to know when a fragment came.
    #[inline]
    pub fn wants_stamps(&self, head: &Head) -> bool {
        head.flag != Flag::Bye && head.ready != record::ABSENT
    }

    /// Whether the last message was recorded.
    #[inline]
    pub fn is_recording(&self) -> bool {
        self.recording
    }

    /// Read once. `empty_at`: when a look last found nothing, in ticks (zero: unknown).
    #[inline]
    pub fn read(
        &mut self,
        wait: bool,
        empty_at: u64,
        clock: &Clock,
        conversion: &mut Conversion,
    ) -> Looked {
        if self.ended || self.failure.is_some() {
            return Looked::NotAsked;
        }
        let room = self.inbox.room();
        let asked = room.len();
        if asked == 0 {
            return Looked::NotAsked;
        }
        match stamp::receive(&self.stream, room, wait) {
            Ok(received) if received.bytes > 0 => {
                let cut = received.bytes == asked;
                let span = self.span(received.stamp_ns, cut, empty_at, clock, conversion);
                self.commit(received.bytes, Some(span));
                Looked::Something
            }
            Ok(_) => {
                self.end();
                Looked::Something
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) =>
            {
                Looked::Nothing
            }
            Err(error) => {
                self.fail(&error);
                Looked::Something
            }
        }
    }

    /// Why the peer is gone, if it is and if all that it had sent has been delivered. `again`: even
    /// if told before.
    pub fn failure(&mut self, again: bool) -> Option<FabricError> {
        let failure = self.failure.as_ref()?;
        if (self.reported && !again) || self.has_next() {
            return None;
        }
        self.reported = true;
        Some(failure.error(self.node))
    }

    /// Why nothing can be sent to the peer any more.
    pub fn refusal(&self) -> Option<FabricError> {
        match &self.failure {
            Some(failure) => Some(failure.error(self.node)),
            None if self.ended => Some(Failure::Lost("it has left".to_string()).error(self.node)),
            None => None,
        }
    }

    pub fn said_bye(&self) -> bool {
        self.said_bye
    }

    pub fn has_ended(&self) -> bool {
        self.ended || self.failure.is_some()
    }

    /// Bounds for when the bytes of a read came.
    #[inline]
    fn span(
        &mut self,
        stamp_ns: Option<u64>,
        cut: bool,
        empty_at: u64,
        clock: &Clock,
        conversion: &mut Conversion,
    ) -> Span {
        // Also where the last message had no stamps: the next one may, and the kernel's begin a
        // moment after they were asked for.
        let (on, latest) = match stamp_ns {
            Some(stamp_ns) => (ArrivedClock::Kernel, stamp_ns),
            None => (ArrivedClock::Receiver, clock.now().0),
        };
        let empty_at = match on {
            ArrivedClock::Kernel if empty_at != 0 => conversion.realtime_ns(empty_at),
            _ => empty_at,
        };
        // Found missing a moment ago and here now: it has just come.
        let just_now =
            empty_at != 0 && conversion.ns(latest.wrapping_sub(empty_at)) <= SEEN_AT_ONCE_NS;
        let before = self.came_before.filter(|(clock, _)| *clock == on).map_or(0, |(_, at)| at);
        let exact = !cut && (on == ArrivedClock::Kernel || just_now);
        if !cut || on == ArrivedClock::Receiver {
            self.came_before = Some((on, latest));
        }
        Span { clock: on, earliest: before.max(empty_at).min(latest), latest, exact }
    }

    #[inline]
    fn commit(&mut self, bytes: usize, span: Option<Span>) {
        match self.inbox.commit(bytes, span) {
            Ok(None) => {}
            Ok(Some(taken)) => self.learn(taken),
            Err(error) => self.failure = Some(Failure::Garbage(error.to_string())),
        }
    }

    /// The peer has taken so much of what we sent.
    #[inline]
    fn learn(&mut self, taken: Taken) {
        let messages = taken.messages.wrapping_sub(self.acknowledged.messages);
        let bytes = taken.bytes.wrapping_sub(self.acknowledged.bytes);
        let on_their_way = self.sent.bytes.wrapping_sub(self.acknowledged.bytes);
        if messages > self.in_flight() || bytes > on_their_way {
            self.failure = Some(Failure::Garbage(FrameError::AcknowledgesTooMuch.to_string()));
            return;
        }
        self.acknowledged = taken;
    }

    /// The stream has ended: good order, or not.
    fn end(&mut self) {
        self.ended = true;
        if !self.inbox.bye_seen() {
            self.failure =
                Some(Failure::Lost("its connection ended without a good-bye".to_string()));
        }
    }

    fn fail(&mut self, error: &io::Error) {
        if self.inbox.bye_seen() {
            // It had said good-bye; how its connection goes down does not matter.
            self.ended = true;
        } else {
            self.failure.get_or_insert(Failure::Lost(format!("its connection broke: {error}")));
        }
    }

    /// A failed write says only that the peer reads no more. What it had sent is still to be read,
    /// and the end of that tells what happened.
    fn note_write<T>(&mut self, result: io::Result<T>) -> Option<T> {
        result.map_err(|error| self.outbox_is_void(&error)).ok()
    }

    #[cold]
    fn outbox_is_void(&mut self, error: &io::Error) {
        while !self.has_ended() && self.inbox.has_room() {
            let room = self.inbox.room();
            match stamp::receive(&self.stream, room, false) {
                Ok(received) if received.bytes > 0 => self.commit(received.bytes, None),
                _ => break,
            }
        }
        self.fail(error);
    }
}
