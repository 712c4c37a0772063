//! Plain system calls for memory. The C library's functions of these names do no more, and need no
//! looking up.

use libc::{c_int, c_long, c_void, off_t, size_t};

/// The kernel's answer, with `errno` set by the C library when it refuses.
///
/// # Safety
/// As for `mmap(2)`.
pub unsafe fn mmap(
    address: *mut c_void,
    bytes: size_t,
    access: c_int,
    flags: c_int,
    file: c_int,
    offset: off_t,
) -> *mut c_void {
    // SAFETY: the caller answers for the arguments.
    unsafe {
        libc::syscall(libc::SYS_mmap, address, bytes, access, flags, file, offset) as *mut c_void
    }
}

/// # Safety
/// As for `munmap(2)`.
pub unsafe fn munmap(address: usize, bytes: usize) -> c_int {
    // SAFETY: the caller answers for the arguments.
    answer(unsafe { libc::syscall(libc::SYS_munmap, address, bytes) })
}

/// # Safety
/// As for `mremap(2)`.
pub unsafe fn mremap(
    address: *mut c_void,
    bytes: size_t,
    new: size_t,
    flags: c_int,
    target: *mut c_void,
) -> *mut c_void {
    // SAFETY: the caller answers for the arguments.
    unsafe { libc::syscall(libc::SYS_mremap, address, bytes, new, flags, target) as *mut c_void }
}

/// # Safety
/// As for `madvise(2)`.
pub unsafe fn madvise(address: usize, bytes: usize, advice: c_int) -> c_int {
    // SAFETY: the caller answers for the arguments.
    answer(unsafe { libc::syscall(libc::SYS_madvise, address, bytes, advice) })
}

/// # Safety
/// As for `mprotect(2)`.
pub unsafe fn mprotect(address: *mut c_void, bytes: size_t, access: c_int) -> c_int {
    // SAFETY: the caller answers for the arguments.
    answer(unsafe { libc::syscall(libc::SYS_mprotect, address, bytes, access) })
}

/// # Safety
/// As for `mlock2(2)`; without flags it is `mlock(2)`, which older kernels have alone.
pub unsafe fn mlock(address: *const c_void, bytes: size_t, flags: c_int) -> c_int {
    // SAFETY: the caller answers for the arguments.
    answer(unsafe {
        match flags {
            0 => libc::syscall(libc::SYS_mlock, address, bytes),
            _ => libc::syscall(libc::SYS_mlock2, address, bytes, flags),
        }
    })
}

/// # Safety
/// As for `mlockall(2)`.
pub unsafe fn mlockall(flags: c_int) -> c_int {
    // SAFETY: the caller answers for the arguments.
    answer(unsafe { libc::syscall(libc::SYS_mlockall, flags) })
}

fn answer(value: c_long) -> c_int {
    if value == 0 { 0 } else { -1 }
}
