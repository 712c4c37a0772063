//! How much is on its way to a peer, and what it has been told: the window and acknowledgements.
//! Pure.
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
use crate::window::Window;

/// Both directions of a connection, counted. Counts wrap.
pub(super) struct Flow {
    window: Window,
    sent: Taken,
    acknowledged: Taken,
    taken: Taken,
    told: Taken,
    /// When the peer was last told, in ticks.
    told_at: u64,
}

/// Now and how long something may be owed, in ticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Late {
    pub now: u64,
    pub limit: u64,
}

impl Flow {
    pub fn new(window: Window) -> Flow {
        let none = Taken::default();
        Flow { window, sent: none, acknowledged: none, taken: none, told: none, told_at: 0 }
    }

    /// Messages on their way to the peer, as far as it has told.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        self.sent.messages.wrapping_sub(self.acknowledged.messages)
    }

    /// Whether the window has room for a payload.
    #[inline]
    pub fn has_room(&self, bytes: usize) -> bool {
        self.in_flight() < self.window.messages
            && self.bytes_in_flight() + (HEADER_BYTES + bytes) as u32 <= self.window.bytes
    }

    /// Whether a good part of the window is on its way: a node that takes nothing should look what
    /// has been taken.
    #[inline]
    pub fn is_deep(&self) -> bool {
        self.in_flight() >= self.window.messages / 4
    }

    /// What the next frame tells the peer.
    #[inline]
    pub fn taken(&self) -> Taken {
        self.taken
    }

    /// This frame goes, now (ticks; zero: unknown), and tells the peer what has been taken.
    #[inline]
    pub fn goes(&mut self, frame: &Frame, now: u64) {
        if frame.head.is_some() {
            let messages = u32::from(frame.ends_message());
            self.sent.messages = self.sent.messages.wrapping_add(messages);
            self.sent.bytes = self.sent.bytes.wrapping_add(frame.wire_bytes() as u32);
        }
        self.told = frame.taken;
        if now != 0 {
            self.told_at = now;
        }
    }

    /// The program takes a fragment that took so many bytes in the stream.
    #[inline]
    pub fn takes(&mut self, ends_message: bool, bytes: usize) {
        self.taken.messages = self.taken.messages.wrapping_add(u32::from(ends_message));
        self.taken.bytes = self.taken.bytes.wrapping_add(bytes as u32);
    }

    /// The peer has taken so much of what we sent.
    #[inline]
    pub fn learn(&mut self, taken: Taken) -> Result<(), FrameError> {
        let messages = taken.messages.wrapping_sub(self.acknowledged.messages);
        let bytes = taken.bytes.wrapping_sub(self.acknowledged.bytes);
        if messages > self.in_flight() || bytes > self.bytes_in_flight() {
            return Err(FrameError::AcknowledgesTooMuch);
        }
        self.acknowledged = taken;
        Ok(())
    }

    /// Whether the peer has not been told of all that was taken.
    #[inline]
    pub fn owes(&self) -> bool {
        self.taken.bytes != self.told.bytes
    }

    /// Whether the peer must be told by a frame of its own: so much is owed, or (`late`) it has
    /// been owed for long.
    #[inline]
    pub fn must_tell(&self, late: Option<Late>) -> bool {
        let messages = self.taken.messages.wrapping_sub(self.told.messages);
        let bytes = self.taken.bytes.wrapping_sub(self.told.bytes);
        let is_late = |Late { now, limit }| bytes > 0 && now.wrapping_sub(self.told_at) > limit;
        self.window.is_due(messages, bytes) || late.is_some_and(is_late)
    }

    #[inline]
    fn bytes_in_flight(&self) -> u32 {
        self.sent.bytes.wrapping_sub(self.acknowledged.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{Flag, Head};
    use record::Kind;

    const WINDOW: Window = Window { messages: 8, bytes: 1000, fragment_bytes: 500 };

    fn frame(flow: &Flow, flag: Flag, len: usize) -> Frame {
        let kind = Kind::Data;
        let head = Head { ready: 1, sent: 2, seq: 0, kind, flag, batch: 1, in_flight: 0 };
        Frame { head: Some(head), len, taken: flow.taken() }
    }

    #[test]
    fn a_window_is_full_by_messages_and_by_bytes() {
        let mut flow = Flow::new(WINDOW);
        assert!(flow.has_room(1000 - HEADER_BYTES) && !flow.has_room(1001 - HEADER_BYTES));
        for number in 0..8 {
            assert_eq!((flow.in_flight(), flow.has_room(0)), (number, true));
            assert_eq!(flow.is_deep(), number >= 2);
            flow.goes(&frame(&flow, Flag::Last, 0), 0);
        }
        assert!(!flow.has_room(0));
        flow.learn(Taken { messages: 1, bytes: HEADER_BYTES as u32 }).unwrap();
        assert!(flow.has_room(0));
        flow.goes(&frame(&flow, Flag::More, 600), 0);
        assert_eq!(flow.in_flight(), 7, "a fragment ends no message");
        assert!(!flow.has_room(200));
    }

    #[test]
    fn nothing_is_acknowledged_that_was_not_sent() {
        let mut flow = Flow::new(WINDOW);
        flow.goes(&frame(&flow, Flag::Last, 10), 0);
        let bytes = HEADER_BYTES as u32 + 10;
        for wrong in [Taken { messages: 2, bytes }, Taken { messages: 1, bytes: bytes + 1 }] {
            assert_eq!(flow.learn(wrong), Err(FrameError::AcknowledgesTooMuch));
        }
        assert_eq!(flow.learn(Taken { messages: 1, bytes }), Ok(()));
        assert_eq!(flow.in_flight(), 0);
    }

    #[test]
    fn a_quarter_of_the_window_is_told_at_once_and_less_of_it_late() {
        let mut flow = Flow::new(WINDOW);
        let late = |now| Some(Late { now, limit: 100 });
        assert!(!flow.owes() && !flow.must_tell(late(1000)), "nothing is owed");
        flow.takes(true, 50);
        assert!(flow.owes() && !flow.must_tell(None));
        assert!(!flow.must_tell(late(100)) && flow.must_tell(late(101)));
        flow.takes(true, 50);
        assert!(flow.must_tell(None), "a quarter");
        flow.goes(&Frame { head: None, len: 0, taken: flow.taken() }, 500);
        assert!(!flow.owes() && !flow.must_tell(late(1000)));
        assert_eq!(flow.in_flight(), 0, "an acknowledgement is no message");
        flow.takes(false, 1);
        assert!(!flow.must_tell(late(600)) && flow.must_tell(late(601)));
    }
}
