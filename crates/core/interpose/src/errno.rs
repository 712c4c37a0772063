//! The error number of the calling thread.

/// Set it, as a C function does that fails.
pub fn set(number: i32) {
    // SAFETY: the C library gives the address of this thread's own variable.
    unsafe { *libc::__errno_location() = number };
}

/// What it is.
#[inline(always)]
pub fn get() -> i32 {
    // SAFETY: as above.
    unsafe { *libc::__errno_location() }
}

/// Do something that the program's view of `errno` must not notice.
pub fn kept<T>(what: impl FnOnce() -> T) -> T {
    let before = get();
    let value = what();
    set(before);
    value
}
