//! One connection to one peer: its two buffers, its window ([`super::flow`]), when its bytes came
//! ([`super::sight`]), and how it ends ([`super::ending`]).

use super::ending::Ending;
use super::flow::{Flow, Late};
use super::frame::{Frame, HEADER_BYTES};
use super::inbox::{Delivery, Inbox};
use super::outbox::{Outbox, Socket};
use super::sight::{Seen, Sight};
use crate::error::FabricError;
use crate::spec::{NodeId, Spec};
use crate::transport::{Flag, Head};
use crate::transports::sockets::arrive::Span;
use crate::transports::sockets::observer::Observer;
use crate::transports::sockets::stamp;
use crate::window::Window;
use record::ArrivedClock;
use rustix::net::{Shutdown, shutdown};
use std::io::{self, ErrorKind};
use std::net::TcpStream;
use std::time::Duration;

/// What may be on its way to one peer.
pub(super) const WINDOW: Window =
    Window { messages: 1024, bytes: 1 << 20, fragment_bytes: 128 << 10 };
/// Headers that an inbox has room for besides a window: that of the frame in the node's hands, a
/// good-bye's, and that of an acknowledgement until all of it has come.
const SPARE_HEADERS: usize = 3;

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
    /// How long a read that waits does so.
    read_timeout: Option<Duration>,
    /// Whether the last message carried stamps: then it is worth knowing when nothing had come yet.
    recording: bool,
    inbox: Inbox,
    outbox: Outbox,
    flow: Flow,
    sight: Sight,
    ending: Ending,
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
            stream,
            read_timeout: None,
            recording: true,
            inbox: Inbox::new(longest, inbox_bytes),
            outbox: Outbox::default(),
            flow: Flow::new(window),
            sight: Sight::default(),
            ending: Ending::default(),
        }
    }

    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Whether something is gathered or left over.
    pub fn has_pending(&self) -> bool {
        self.outbox.pending() > 0 && !self.ending.has_failed()
    }

    /// Whether a read makes sense.
    pub fn wants_reading(&self) -> bool {
        !self.ending.is_over() && self.inbox.has_room()
    }

    /// Messages on their way to the peer, as far as it has told.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        self.flow.in_flight()
    }

    /// Whether a fragment may be put in now.
    #[inline]
    pub fn has_room(&self, bytes: usize) -> bool {
        self.flow.has_room(bytes) && self.outbox.has_room()
    }

    /// Whether a good part of the window is on its way: a node that takes nothing should look what
    /// has been taken.
    #[inline]
    pub fn is_deep(&self) -> bool {
        self.flow.is_deep()
    }

    /// Put in a fragment that there is room for.
    #[inline]
    pub fn put(&mut self, head: &Head, payload: &[u8], now: u64) {
        self.ending.said_bye |= head.flag == Flag::Bye;
        let frame = Frame { head: Some(*head), len: payload.len(), taken: self.flow.taken() };
        self.flow.goes(&frame, now);
        let result = self.outbox.put(&frame.encode(), payload, &mut Socket(&self.stream));
        self.note_write(result);
    }

    /// Write what waits, as far as the kernel takes it. `true`: all of it went (or never will).
    #[inline]
    pub fn write(&mut self) -> bool {
        if self.ending.has_failed() {
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
    pub fn acknowledge(&mut self, late: Option<Late>) {
        if !self.flow.must_tell(late) || self.nobody_waits() {
            return;
        }
        let frame = Frame { head: None, len: 0, taken: self.flow.taken() };
        self.flow.goes(&frame, late.map_or(0, |late| late.now));
        let put = self.outbox.put(&frame.encode(), &[], &mut Socket(&self.stream));
        self.note_write(put);
        self.write();
    }

    /// Whether the peer would like to know what has been taken.
    #[inline]
    pub fn owes(&self) -> bool {
        self.flow.owes() && !self.nobody_waits()
    }

    fn nobody_waits(&self) -> bool {
        self.ending.is_over() || self.inbox.bye_seen()
    }

    /// The next fragment that is here, if any. The one before is released.
    #[inline]
    pub fn next(&mut self) -> Option<Delivery> {
        let delivery = self.inbox.next()?;
        self.flow.takes(delivery.head.flag == Flag::Last, delivery.wire_bytes);
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

    /// From now on a read that waits does so for at most `timeout`.
    pub fn limit_wait(&mut self, timeout: Duration) -> io::Result<()> {
        if self.read_timeout != Some(timeout) {
            self.stream.set_read_timeout(Some(timeout))?;
            self.read_timeout = Some(timeout);
        }
        Ok(())
    }

    /// Read once.
    #[inline]
    pub fn read(&mut self, wait: bool, observer: &mut Observer) -> Looked {
        if self.ending.is_over() {
            return Looked::NotAsked;
        }
        let room = self.inbox.room();
        let asked = room.len();
        if asked == 0 {
            return Looked::NotAsked;
        }
        match stamp::receive(&self.stream, room, wait) {
            Ok(received) if received.bytes > 0 => {
                // Also where the last message had no stamps: the next one may, and the kernel's
                // begin a moment after they were asked for.
                let stamp = match received.stamp_ns {
                    Some(stamp_ns) => (ArrivedClock::Kernel, stamp_ns),
                    None => (ArrivedClock::Receiver, observer.now()),
                };
                let (cut, empty_at) = (received.bytes == asked, observer.looks.empty_at());
                let seen = Seen { stamp, cut, empty_at };
                let span = self.sight.span(&seen, &mut observer.conversion);
                self.commit(received.bytes, Some(span));
                Looked::Something
            }
            Ok(_) => {
                self.ending.stream_ended(self.inbox.bye_seen());
                Looked::Something
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) =>
            {
                Looked::Nothing
            }
            Err(error) => {
                self.ending.broke(&error, self.inbox.bye_seen());
                Looked::Something
            }
        }
    }

    /// Why the peer is gone, if it is and if all that it had sent has been delivered. `again`: even
    /// if told before.
    pub fn failure(&mut self, again: bool) -> Option<FabricError> {
        if !self.ending.has_failed() || self.has_next() {
            return None;
        }
        self.ending.tell(self.node, again)
    }

    /// Why nothing can be sent to the peer any more.
    pub fn refusal(&self) -> Option<FabricError> {
        self.ending.refusal(self.node)
    }

    pub fn said_bye(&self) -> bool {
        self.ending.said_bye
    }

    pub fn has_ended(&self) -> bool {
        self.ending.is_over()
    }

    #[inline]
    fn commit(&mut self, bytes: usize, span: Option<Span>) {
        let told = self.inbox.commit(bytes, span);
        let learnt = told.and_then(|taken| taken.map_or(Ok(()), |taken| self.flow.learn(taken)));
        if let Err(error) = learnt {
            self.ending.nonsense(error);
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
        self.ending.broke(error, self.inbox.bye_seen());
    }
}
