//! A call that is being made on a stream socket.

use crate::births;
use crate::frames::{self, Way};
use crate::state::Tracing;
use crate::table::{self, Known};
use libc::c_int;

/// What was known when the program made the call.
#[derive(Clone, Copy)]
pub struct Begun {
    pub tracing: Tracing,
    pub known: Known,
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
    Some(Begun { tracing, known, enter: tracing.now() })
}
