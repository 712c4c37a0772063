//! A call that is being made on a stream socket, or on a pipe.

use crate::frames::{self, Way};
use crate::state::Tracing;
use crate::table::{self, Known};
use crate::{births, stdio, thread};
use libc::c_int;

/// What was known when the program made the call.
#[derive(Clone, Copy)]
pub struct Begun {
    pub tracing: Tracing,
    pub known: Known,
    pub descriptor: c_int,
    /// When the call was entered, ticks of the run's clock.
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
    if known.is_uncounted() {
        stdio::notice(descriptor, known);
    }
    if way == Way::Sent {
        thread::with(|own| own.sending.set(own.sending.get().wrapping_add(1)));
    }
    Some(Begun { tracing, known, descriptor, enter: tracing.now() })
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
