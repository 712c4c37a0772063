//! The error number of the calling thread.

/// Set it, as a C function does that fails.
pub fn set(number: i32) {
    // SAFETY: the C library gives the address of this thread's own variable.
    unsafe { *libc::__errno_location() = number };
}

/// Do something that the program's view of `errno` must not notice.
pub fn kept<T>(what: impl FnOnce() -> T) -> T {
    // SAFETY: as above.
    let before = unsafe { *libc::__errno_location() };
    let value = what();
    set(before);
    value
}
