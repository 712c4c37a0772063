//! A call whose end is known, on the timeline.

use crate::entry::{Call, flags};
use record::NULL;

/// An entry of a log together with how its request ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    /// As logged; its ticks are in `enter` and `exit` too.
    pub call: Call,
    /// Row of the rank's table of calls.
    pub row: i64,
    /// ns; null without a clock model.
    pub enter: i64,
    /// ns; null for a call that was never left.
    pub exit: i64,
    pub ended: Ended,
    pub looked: Looked,
}

/// How the request of a call ended, or the call itself if it has none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    pub how: End,
    /// Row, enter and exit of the call that completed it.
    pub row: i64,
    pub enter: i64,
    pub exit: i64,
    /// Number among the messages that the rank took.
    pub taken: u64,
    /// Of a receive: what it got.
    pub source: i32,
    pub tag: i32,
    pub bytes: u64,
    /// How much of the message `bytes` are.
    pub size: Size,
    /// The call completed no other receive.
    pub alone: bool,
}

/// How much of a message the bytes are that its receiver was told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Size {
    /// All of it.
    #[default]
    Whole,
    /// What fitted.
    Cut,
    /// It was not told.
    Untold,
}

/// Ways to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Not yet known.
    Open,
    /// A call completed it.
    Completed,
    /// A receive got its message.
    Took,
    /// It was truly cancelled.
    Cancelled,
    /// It was given back before it was complete.
    GivenBack,
    /// The same, and was to be cancelled: nobody knows whether it took a message.
    Unknown,
    /// Nothing in the log says that it ended.
    Never,
}

/// What a rank saw of a message before it took it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Looked {
    /// Enter of the call that found it: a probe, or the one that took it.
    pub from: i64,
    /// Exit of that call.
    pub until: i64,
    /// A poll begun then had not found it; null if none is known.
    pub not_before: i64,
    /// It was a probe: what it found may be the announcement of a message whose bytes were yet to
    /// come.
    pub is_probe: bool,
    /// Row of that call.
    pub row: i64,
    /// What it left open.
    pub open: Open,
}

/// What a receive or a probe takes whatever it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Open {
    pub source: bool,
    pub tag: bool,
}

impl Open {
    /// Bits of its code.
    pub const BITS: u32 = 2;

    pub fn of(call: &Call) -> Open {
        let has = |flag: u16| call.flags & flag != 0;
        Open { source: has(flags::ANY_SOURCE), tag: has(flags::ANY_TAG) }
    }

    pub fn code(self) -> u8 {
        u8::from(self.source) | u8::from(self.tag) << 1
    }
}

impl Event {
    /// Of no call.
    pub fn none() -> Event {
        let (call, ended, looked) = (Call::default(), Ended::NEVER, Looked::NOTHING);
        Event { call, row: NULL, enter: NULL, exit: NULL, ended, looked }
    }
}

impl Looked {
    pub const NOTHING: Looked = Looked {
        from: NULL,
        until: NULL,
        not_before: NULL,
        is_probe: false,
        row: NULL,
        open: Open { source: false, tag: false },
    };
}

impl Ended {
    pub const OPEN: Ended = Ended {
        how: End::Open,
        row: NULL,
        enter: NULL,
        exit: NULL,
        taken: 0,
        source: 0,
        tag: 0,
        bytes: 0,
        size: Size::Whole,
        alone: false,
    };
    pub const NEVER: Ended = Ended { how: End::Never, ..Ended::OPEN };
}
