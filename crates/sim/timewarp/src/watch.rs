//! What an engine tells about itself while it runs. Nothing is told, and nothing costs, unless
//! somebody implements it.

use crate::{ObjectId, VirtualTime};

/// A committed event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Committed {
    /// When.
    pub time: VirtualTime,
    /// Whose.
    pub object: ObjectId,
    /// Messages in its bundle.
    pub messages: u32,
    /// Sends it made, dropped ones included.
    pub sent: u32,
    /// Of these dropped, because they went beyond the cutoff.
    pub dropped: u32,
    /// How long its event section took, ns; 0 where objects are not timed.
    pub spent_ns: u64,
}

/// What a message of a committed event's bundle came from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cause {
    /// Who sent it.
    pub sender: ObjectId,
    /// In which event.
    pub send: VirtualTime,
    /// What it was.
    pub selector: i32,
}

/// What kind of message passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// An event message.
    Event,
    /// An anti-message.
    Anti,
    /// A message on its way back to its sender.
    Sendback,
}

/// What a message's record needs besides its stamps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passage {
    /// What it is.
    pub kind: Passing,
    /// Who sent it.
    pub sender: ObjectId,
    /// Whom it is for.
    pub receiver: ObjectId,
    /// When it was sent.
    pub send: VirtualTime,
    /// When it is to be handled.
    pub receive: VirtualTime,
    /// Length of its payload.
    pub bytes: usize,
}

/// A piece of the engine's work, with its begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// An event was executed (and may yet be undone).
    Execution {
        /// Whose.
        object: ObjectId,
        /// When.
        time: VirtualTime,
        /// Messages in its bundle.
        messages: u32,
    },
    /// Events were undone.
    Rollback {
        /// Whose.
        object: ObjectId,
        /// How far the object had come.
        from: VirtualTime,
        /// The earliest event undone.
        to: VirtualTime,
        /// How many.
        events: u32,
    },
    /// A step of fossil collection.
    Collection {
        /// Up to where.
        gvt: VirtualTime,
        /// Events committed.
        events: u32,
    },
    /// A round of computing GVT came to an end at this node.
    GvtRound {
        /// What it came to.
        gvt: VirtualTime,
        /// How often node 0 had to ask.
        passes: u32,
    },
}

/// Who is told. Every method does nothing unless it is written; `Stamp` is `()` for those who read
/// no clock.
pub trait Watch {
    /// What a moment is told as.
    type Stamp: Copy + Default;

    /// The present moment.
    fn now(&mut self) -> Self::Stamp;

    /// The moment at which a message for another node is made: the present one, unless the time
    /// that its event took has yet to pass.
    #[inline]
    fn made(&mut self) -> Self::Stamp {
        self.now()
    }

    /// Nanoseconds of a clock that never goes back: asked at every look at the load, and never
    /// else.
    fn clock_ns(&mut self) -> u64 {
        0
    }

    /// A piece of work that began at `begin` is done.
    #[inline]
    fn worked(&mut self, begin: Self::Stamp, work: Work) {
        let _ = (begin, work);
    }

    /// A message from this node to itself has been put into its queue.
    #[inline]
    fn within_node(&mut self, passage: Passage) {
        let _ = passage;
    }

    /// An arrival that had been queued (not [`Search::All`](crate::Search::All)) is taken: its
    /// number, counted from 0.
    #[inline]
    fn took(&mut self, arrival: u64) {
        let _ = arrival;
    }

    /// A message of the bundle of the event that [`Watch::committed`] tells next. Only with
    /// [`Options::causes`](crate::Options::causes).
    #[inline]
    fn caused(&mut self, cause: Cause) {
        let _ = cause;
    }

    /// An event can no longer be undone. Of one object these come in order of time.
    #[inline]
    fn committed(&mut self, event: Committed) {
        let _ = event;
    }

    /// A committed event's line of output.
    fn printed(&mut self, time: VirtualTime, object: ObjectId, line: &str) {
        let _ = (time, object, line);
    }

    /// Everything before this GVT has been committed, and nothing committed later will lie before
    /// it. (Some of what lies at it may have been committed already.)
    fn advanced(&mut self, gvt: VirtualTime) {
        let _ = gvt;
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    type Stamp = ();

    #[inline]
    fn now(&mut self) {}
}

/// Keeps the committed trace and the printed lines, for tests and small runs.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Committed events, in the order in which they were told.
    pub trace: Vec<Committed>,
    /// Printed lines, likewise.
    pub lines: Vec<(VirtualTime, ObjectId, String)>,
    /// A clock that goes on by a microsecond each time that it is read, and when it is told to.
    pub clock_us: u64,
}

impl Watch for Kept {
    type Stamp = ();

    fn now(&mut self) {}

    fn clock_ns(&mut self) -> u64 {
        self.clock_us += 1;
        self.clock_us * 1000
    }

    fn committed(&mut self, event: Committed) {
        // A trace is the same whenever it is made; times are not.
        self.trace.push(Committed { spent_ns: 0, ..event });
    }

    fn printed(&mut self, time: VirtualTime, object: ObjectId, line: &str) {
        self.lines.push((time, object, line.to_string()));
    }
}

impl Kept {
    /// In canonical order: by virtual time, then by object.
    pub fn sort(&mut self) {
        self.trace.sort_by_key(|event| (event.time, event.object));
        self.lines.sort_by_key(|(time, object, _)| (*time, *object));
    }
}
