//! What a thread of the program must know of itself.

use crate::rank::{Rank, Tracer};
use std::cell::Cell;

/// A thread.
pub struct Thread {
    /// It is in a call of the program: what the library, or the tracer, calls from there is not the
    /// program's.
    pub inside: Cell<bool>,
    number: Cell<u8>,
    is_known: Cell<bool>,
}

thread_local! {
    /// This one.
    pub static THREAD: Thread = const { Thread::new() };
}

impl Thread {
    const fn new() -> Thread {
        Thread { inside: Cell::new(false), number: Cell::new(0), is_known: Cell::new(false) }
    }

    /// Its number, by the order of first calls.
    #[inline(always)]
    pub fn number(&self, tracer: &Tracer) -> u8 {
        if !self.is_known.replace(true) {
            self.number.set(tracer.with(Rank::next_thread));
        }
        self.number.get()
    }
}
