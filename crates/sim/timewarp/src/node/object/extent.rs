//! Which part of an object is here: from one virtual time to before another.

use crate::VirtualTime;

/// A part of an object.
#[derive(Clone, Copy)]
pub(in crate::node) struct Extent {
    pub begin: VirtualTime,
    /// [`VirtualTime::INVALID`]: none, it goes on to the end of time.
    pub end: VirtualTime,
}

impl Extent {
    pub const WHOLE: Extent = Extent { begin: VirtualTime::NEGINF, end: VirtualTime::INVALID };

    /// From `begin` on to the end of time.
    pub fn from(begin: VirtualTime) -> Extent {
        Extent { begin, ..Extent::WHOLE }
    }

    /// Whether no part comes after it.
    pub fn is_last(&self) -> bool {
        self.end == VirtualTime::INVALID
    }
}
