//! The interpreter's lock, and whose it is.
//!
//! mpi4py gives the lock up around calls that may wait. To ask the interpreter anything it must be
//! held. It is taken only by a thread that has a state of its own, hence that gave it up or never
//! had it; not while the interpreter ends, when whoever waits for it is stopped for good; and not
//! where there is more than one interpreter, because then a state may not be the one that gave it
//! up.

use super::capi::{Pointer, functions};
use std::ffi::c_int;

/// What there is to ask about threads without the lock, and what takes it.
pub struct Threads {
    own: unsafe extern "C" fn() -> Pointer,
    current: unsafe extern "C" fn() -> Pointer,
    take: unsafe extern "C" fn(Pointer),
    give_up: unsafe extern "C" fn() -> Pointer,
    is_ending: unsafe extern "C" fn() -> c_int,
    first_interpreter: unsafe extern "C" fn() -> Pointer,
    next_interpreter: unsafe extern "C" fn(Pointer) -> Pointer,
}

impl Threads {
    /// Those of the program's interpreter.
    pub fn find() -> Option<Threads> {
        Some(functions!(Threads {
            own: c"PyGILState_GetThisThreadState",
            current: c"_PyThreadState_UncheckedGet" or c"PyThreadState_GetUnchecked",
            take: c"PyEval_RestoreThread",
            give_up: c"PyEval_SaveThread",
            is_ending: c"Py_IsFinalizing" or c"_Py_IsFinalizing",
            first_interpreter: c"PyInterpreterState_Head",
            next_interpreter: c"PyInterpreterState_Next",
        }))
    }

    /// The state of this thread; null for one that runs no Python.
    #[inline]
    pub fn own(&self) -> Pointer {
        // SAFETY: needs no lock: it reads what belongs to this thread; null once all has ended.
        unsafe { (self.own)() }
    }

    /// Do something while this thread, whose state is `own`, holds the lock; `None` if it must not
    /// be taken now.
    pub fn with<R>(&self, own: Pointer, work: impl FnOnce() -> R) -> Option<R> {
        // SAFETY: needs no lock. It may tell another thread's state, but `own` only if this thread
        // holds the lock.
        if unsafe { (self.current)() } == own {
            return Some(work());
        }
        if self.must_not_wait() {
            return None;
        }
        // SAFETY: the state is this thread's, which does not hold the lock; and it holds none of
        // ours that anybody could want who has this one.
        unsafe { (self.take)(own) };
        let _held = Held(self);
        Some(work())
    }

    fn must_not_wait(&self) -> bool {
        // SAFETY: these need no lock; interpreters are listed, and the list of one does not change
        // but for its end, which was asked for first.
        unsafe {
            let first = || (self.first_interpreter)();
            (self.is_ending)() != 0
                || first().is_null()
                || !(self.next_interpreter)(first()).is_null()
        }
    }
}

/// The lock, until this goes.
struct Held<'a>(&'a Threads);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // SAFETY: this thread took it, and gives back what it has.
        unsafe { (self.0.give_up)() };
    }
}
