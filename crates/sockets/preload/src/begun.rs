//! A call that is being made on a stream socket, or on a pipe.

use crate::frames::{self, Way};
use crate::state::Tracing;
use crate::table::{self, Known};
use crate::{births, pipes};
use libc::c_int;
use std::cell::Cell;

thread_local! {
    /// Calls that send and in which this thread is: more than one where a signal came.
    static SENDING: Cell<u32> = const { Cell::new(0) };
}

/// What was known when the program made the call.
#[derive(Clone, Copy)]
pub struct Begun {
    pub tracing: Tracing,
    pub known: Known,
    pub descriptor: c_int,
    /// Ticks of the run's clock.
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
    if matches!(way, Way::Sent) {
        SENDING.set(SENDING.get() + 1);
    }
    if known.is_pipe() {
        pipes::notice_stream(descriptor, known);
    }
    Some(Begun { tracing, known, descriptor, enter: tracing.now() })
}

/// A call that sends has returned.
#[inline(always)]
pub fn has_sent() {
    SENDING.set(SENDING.get().wrapping_sub(1));
}

/// Whether this thread is in a call that sends, which a signal has interrupted.
pub fn is_sending() -> bool {
    SENDING.get() != 0
}
