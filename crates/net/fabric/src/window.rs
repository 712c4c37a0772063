//! How much may be on its way to a peer: sent, and not yet taken by the peer's program. For
//! transports whose receiver tells its sender what it has taken.

use crate::spec::PathRoom;

/// What bounds a path, and the fragments on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Messages on their way.
    pub messages: u32,
    /// Bytes of frames on their way.
    pub bytes: u32,
    /// Longest payload of a fragment.
    pub fragment_bytes: usize,
}

/// Fragments that a chosen window holds.
const FRAGMENTS: u32 = 8;

impl Window {
    /// `self`, or what the spec wants instead.
    pub fn or_chosen(self, room: Option<PathRoom>) -> Window {
        let Some(PathRoom { messages, bytes }) = room else { return self };
        let fragment_bytes = ((bytes / FRAGMENTS) as usize).min(self.fragment_bytes);
        Window { messages, bytes, fragment_bytes }
    }

    /// Whether so much has been taken that the peer must hear of it, though nothing goes its way.
    #[inline]
    pub fn is_due(&self, messages: u32, bytes: u32) -> bool {
        messages >= self.messages.div_ceil(4) || bytes >= self.bytes / 4
    }
}
