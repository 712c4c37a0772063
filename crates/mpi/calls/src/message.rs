//! The two sides of a message.

use crate::channel::{Channel, Label};
use crate::event::{Looked, Open, Size};

/// What the sender knows. Stamps are ns on the timeline, rows those of the table of calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub src: u32,
    pub dst: u32,
    pub label: Label,
    /// Number among the sends of its rank.
    pub seq: u64,
    pub ready: i64,
    /// Exit of the call that completed it; null if none did.
    pub released: i64,
    pub bytes: u64,
    pub row: i64,
    pub site: u32,
    /// It was released by the call that sent it, which waited for nothing but the library's own
    /// ways.
    pub blocking: bool,
    pub mode: Mode,
    /// The call that released it.
    pub done: Done,
}

/// What a send asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Standard,
    /// It ends only when the receive has been posted.
    Synchronous,
    /// It never waits for the receive: its bytes are copied, or the receive is posted already.
    Local,
}

/// A call that something waited in: its row of the table of calls, and when it was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    pub row: i64,
    pub enter: i64,
}

/// What the receiver knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Got {
    pub src: u32,
    pub dst: u32,
    pub label: Label,
    /// Number among the messages that its rank took; none for one that no call has collected.
    pub number: Option<u64>,
    pub posted: i64,
    pub awaited: i64,
    pub taken: i64,
    pub looked: Looked,
    /// What the receive left open.
    pub open: Open,
    pub bytes: u64,
    /// How much of the message `bytes` are.
    pub size: Size,
    pub row: i64,
    pub site: u32,
    /// The call that completed it completed no other receive.
    pub alone: bool,
    /// Row of the call that completed it; null if none did.
    pub done_row: i64,
}

impl Sent {
    #[inline]
    pub fn channel(&self) -> Channel {
        Channel::new(self.src, self.dst, self.label)
    }
}

impl Got {
    #[inline]
    pub fn channel(&self) -> Channel {
        Channel::new(self.src, self.dst, self.label)
    }
}
