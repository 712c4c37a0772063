//! Which calls are this library's own: those must never reach paged memory, which they serve.

use crate::next::{self, Routine};
use libc::{c_int, c_void, pthread_attr_t, pthread_t};
use std::cell::Cell;

thread_local! {
    /// How deep this thread is in the library's own code.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// While it lives, what this thread allocates comes from the C library, and the threads that it
/// starts are the engine's.
pub struct Own(());

impl Own {
    /// Begin.
    pub fn begin() -> Own {
        let _ = DEPTH.try_with(|depth| depth.set(depth.get() + 1));
        Own(())
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        let _ = DEPTH.try_with(|depth| depth.set(depth.get() - 1));
    }
}

/// Whether this thread is in the library's own code.
pub fn inside() -> bool {
    DEPTH.try_with(Cell::get).unwrap_or(0) > 0
}

struct Start {
    routine: Routine,
    argument: *mut c_void,
}

extern "C" fn own_thread(start: *mut c_void) -> *mut c_void {
    // SAFETY: `pthread_create` below made it with `into_raw`, for this thread alone.
    let start = unsafe { Box::from_raw(start.cast::<Start>()) };
    std::mem::forget(Own::begin());
    (start.routine)(start.argument)
}

/// A thread that the engine starts is the engine's; all others start as they are.
///
/// # Safety
/// As for `pthread_create(3)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_create(
    thread: *mut pthread_t,
    attributes: *const pthread_attr_t,
    routine: Routine,
    argument: *mut c_void,
) -> c_int {
    if !inside() {
        // SAFETY: the caller's own arguments.
        return unsafe { next::pthread_create(thread, attributes, routine, argument) };
    }
    let start = Box::into_raw(Box::new(Start { routine, argument }));
    // SAFETY: the caller's own arguments, and a routine that takes what it is given.
    let refused = unsafe { next::pthread_create(thread, attributes, own_thread, start.cast()) };
    if refused != 0 {
        // SAFETY: no thread has it.
        drop(unsafe { Box::from_raw(start) });
    }
    refused
}
