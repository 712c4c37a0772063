//! A call that is being made on a stream socket.

use crate::births;
use crate::frames::{self, Way};
use crate::state::Tracing;
use crate::table::{self, Known};
use crate::thread;
use libc::c_int;

/// What was known when the program made the call.
#[derive(Clone, Copy)]
pub struct Begun {
    pub tracing: Tracing,
    pub known: Known,
    /// When a call that sends was entered, ticks of the run's clock. Of one that receives it tells
    /// nothing of a message, and a reading of the clock takes its time.
    pub enter: u64,
}

/// Begin, if the descriptor is a stream socket of a process that is traced.
#[inline(always)]
pub fn begin(descriptor: c_int, way: Way) -> Option<Begun> {
    let (tracing, mut known) = births::stream(descriptor)?;
    if known.is_framed() && !frames::enter(known.number(), way) {
        known = known.with_framing(false);
        table::set(descriptor, known);
    }
    if way == Way::Received {
        return Some(Begun { tracing, known, enter: 0 });
    }
    thread::with(|own| own.sending.set(own.sending.get().wrapping_add(1)));
    Some(Begun { tracing, known, enter: tracing.now() })
}

/// A call that sends has returned.
#[inline(always)]
pub fn has_sent() {
    thread::with(|own| own.sending.set(own.sending.get().wrapping_sub(1)));
}

/// Whether this thread is in a call that sends, which a signal has interrupted.
pub fn is_sending() -> bool {
    thread::with(|own| own.sending.get() != 0)
}
