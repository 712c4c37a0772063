//! How a message travelled: at once, or after its receive was posted.

use crate::event::Looked;
use crate::message::{Got, Mode, Sent};
use record::NULL;

/// A posting later than the send by less than this says nothing about who waited for whom.
pub(crate) const CLEARLY_NS: i64 = 20_000;

/// How messages of a size travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// At once, whether the receive is posted or not.
    Eager,
    /// After the receive is posted.
    Rendezvous,
    /// Not known.
    #[default]
    Unknown,
}

impl Protocol {
    /// What tells of the arrival of a message that travels so: a probe does only if the bytes came
    /// with the announcement.
    #[inline]
    pub fn looked_for(self, got: &Got) -> Looked {
        match got.looked.is_probe && self != Protocol::Eager {
            true => Looked { from: got.awaited, until: got.taken, is_probe: false, ..got.looked },
            false => got.looked,
        }
    }
}

/// What a message's own stamps tell together with what is usual for its size. A send that returned
/// before the posting has surely not waited for it; one that returned after it may have been kept
/// from running.
pub(crate) fn settled(own: Option<Protocol>, usual: Protocol) -> Protocol {
    match (own, usual) {
        (Some(Protocol::Rendezvous), Protocol::Eager) => Protocol::Unknown,
        (Some(Protocol::Eager), _) => Protocol::Eager,
        (_, usual) => usual,
    }
}

/// What a message's own stamps tell of how it travelled: a send that returned before the receive
/// was posted has not waited for it, and one that returned after a posting that was clearly later
/// than itself probably has.
pub(crate) fn protocol(sent: &Sent, got: &Got, clock_error: i64) -> Option<Protocol> {
    let telling = sent.mode == Mode::Standard && sent.released != NULL;
    if !telling || got.posted - sent.ready < CLEARLY_NS + 2 * clock_error {
        return None;
    }
    match sent.released < got.posted - clock_error {
        true => Some(Protocol::Eager),
        // A call that completes more than its own send may have waited for that.
        false if sent.blocking && sent.released > got.posted + clock_error => {
            Some(Protocol::Rendezvous)
        }
        false => None,
    }
}
