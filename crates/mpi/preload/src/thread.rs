//! What a thread of the program must know of itself.

use crate::rank::{Rank, Tracer};
use std::cell::Cell;

/// A thread.
pub struct Thread {
    /// It is in a call of the program: what the library, or the tracer, calls from there is not the
    /// program's.
    pub inside: Cell<bool>,
    /// One more than its number; 0 while it has none.
    next_number: Cell<u16>,
}

/// Do something with this one.
#[inline(always)]
pub fn here<R>(work: impl FnOnce(&Thread) -> R) -> R {
    place::with(work)
}

/// Where a thread's own is. `thread_local!` in a shared library asks the loader for it at each use
/// (`__tls_get_addr`), because the library could have been loaded late. This one is loaded with the
/// program, before its first thread, so that the place is at a distance from the thread's pointer
/// that the loader fills in once ("initial exec").
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod place {
    use super::Thread;

    // Zeros are a thread that has made no call.
    core::arch::global_asm!(
        ".pushsection .tbss.fourstamp_mpitrace_thread, \"awT\", @nobits",
        ".hidden fourstamp_mpitrace_thread",
        ".globl fourstamp_mpitrace_thread",
        ".type fourstamp_mpitrace_thread, @object",
        ".size fourstamp_mpitrace_thread, {bytes}",
        ".p2align 3",
        "fourstamp_mpitrace_thread:",
        ".zero {bytes}",
        ".popsection",
        bytes = const size_of::<Thread>(),
    );

    #[inline(always)]
    pub fn with<R>(work: impl FnOnce(&Thread) -> R) -> R {
        let thread: *const Thread;
        // SAFETY: the word at fs:0 is the thread's pointer (System V ABI), and the loader has put
        // the distance from there to the variable above into the table of offsets.
        unsafe {
            core::arch::asm!(
                "mov {thread}, qword ptr fs:[0]",
                "add {thread}, qword ptr [rip + fourstamp_mpitrace_thread@GOTTPOFF]",
                thread = out(reg) thread,
                options(pure, nomem, nostack),
            );
        }
        // SAFETY: as large as a `Thread` and aligned for one, begun as zeros, which are a valid
        // one, and it lives as long as the thread that is running here; nobody else refers to it.
        work(unsafe { &*thread })
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod place {
    use super::Thread;
    use std::cell::Cell;

    thread_local! {
        static THREAD: Thread = const {
            Thread { inside: Cell::new(false), next_number: Cell::new(0) }
        };
    }

    #[inline(always)]
    pub fn with<R>(work: impl FnOnce(&Thread) -> R) -> R {
        THREAD.with(work)
    }
}

impl Thread {
    /// Its number, by the order of first calls.
    #[inline(always)]
    pub fn number(&self, tracer: &Tracer) -> u8 {
        match self.next_number.get() {
            0 => self.be_numbered(tracer),
            next => (next - 1) as u8,
        }
    }

    #[cold]
    fn be_numbered(&self, tracer: &Tracer) -> u8 {
        let number = tracer.with(Rank::next_thread);
        self.next_number.set(u16::from(number) + 1);
        number
    }
}
