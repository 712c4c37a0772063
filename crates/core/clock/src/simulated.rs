//! Simulated time: a clock that stands still until somebody moves it.
//!
//! Nodes that run in simulated time are threads, one of which runs at a moment; whoever lets them
//! run sets the time of each. A tick is a nanosecond since the simulation began.

use crate::Ticks;
use std::cell::Cell;

thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
}

/// What the simulated clock shows on this thread.
#[inline]
pub(crate) fn now() -> u64 {
    NOW.get()
}

/// Set what the simulated clock shows on this thread from now on.
pub fn set_simulated(now: Ticks) {
    NOW.set(now.0);
}
