//! The functions that this library stands before: those of the same name behind it in the loader's
//! order.
//!
//! `dlsym` may allocate while it looks for them. The C library's allocator has second names that
//! need no looking up; they serve meanwhile.

use libc::{
    FILE, c_int, c_void, iovec, msghdr, off_t, pthread_attr_t, pthread_t, size_t, sockaddr,
    socklen_t, ssize_t,
};
use std::ffi::CStr;

/// What a thread runs.
pub type Routine = extern "C" fn(*mut c_void) -> *mut c_void;

unsafe extern "C" {
    pub fn __libc_malloc(bytes: size_t) -> *mut c_void;
    pub fn __libc_calloc(count: size_t, bytes: size_t) -> *mut c_void;
    pub fn __libc_realloc(pointer: *mut c_void, bytes: size_t) -> *mut c_void;
    pub fn __libc_free(pointer: *mut c_void);
    pub fn __libc_memalign(alignment: size_t, bytes: size_t) -> *mut c_void;
}

interpose::functions! {
    abi "C", missing missing;
    malloc(bytes: size_t) -> *mut c_void, meanwhile __libc_malloc;
    calloc(count: size_t, bytes: size_t) -> *mut c_void, meanwhile __libc_calloc;
    realloc(pointer: *mut c_void, bytes: size_t) -> *mut c_void, meanwhile __libc_realloc;
    free(pointer: *mut c_void), meanwhile __libc_free;
    memalign(alignment: size_t, bytes: size_t) -> *mut c_void, meanwhile __libc_memalign;
    aligned_alloc(alignment: size_t, bytes: size_t) -> *mut c_void, meanwhile __libc_memalign;
    posix_memalign(result: *mut *mut c_void, alignment: size_t, bytes: size_t) -> c_int;
    malloc_usable_size(pointer: *mut c_void) -> size_t;
    pthread_create(
        thread: *mut pthread_t, attributes: *const pthread_attr_t, routine: Routine,
        argument: *mut c_void
    ) -> c_int;
    read(file: c_int, buffer: *mut c_void, bytes: size_t) -> ssize_t;
    write(file: c_int, buffer: *const c_void, bytes: size_t) -> ssize_t;
    pread(file: c_int, buffer: *mut c_void, bytes: size_t, offset: off_t) -> ssize_t;
    pwrite(file: c_int, buffer: *const c_void, bytes: size_t, offset: off_t) -> ssize_t;
    recv(socket: c_int, buffer: *mut c_void, bytes: size_t, flags: c_int) -> ssize_t;
    send(socket: c_int, buffer: *const c_void, bytes: size_t, flags: c_int) -> ssize_t;
    recvfrom(
        socket: c_int, buffer: *mut c_void, bytes: size_t, flags: c_int,
        from: *mut sockaddr, length: *mut socklen_t
    ) -> ssize_t;
    sendto(
        socket: c_int, buffer: *const c_void, bytes: size_t, flags: c_int,
        to: *const sockaddr, length: socklen_t
    ) -> ssize_t;
    getrandom(buffer: *mut c_void, bytes: size_t, flags: u32) -> ssize_t;
    readv(file: c_int, vectors: *const iovec, count: c_int) -> ssize_t;
    writev(file: c_int, vectors: *const iovec, count: c_int) -> ssize_t;
    preadv(file: c_int, vectors: *const iovec, count: c_int, offset: off_t) -> ssize_t;
    pwritev(file: c_int, vectors: *const iovec, count: c_int, offset: off_t) -> ssize_t;
    recvmsg(socket: c_int, message: *mut msghdr, flags: c_int) -> ssize_t;
    sendmsg(socket: c_int, message: *const msghdr, flags: c_int) -> ssize_t;
    fread(buffer: *mut c_void, bytes: size_t, count: size_t, stream: *mut FILE) -> size_t;
    fwrite(buffer: *const c_void, bytes: size_t, count: size_t, stream: *mut FILE) -> size_t;
    fread_unlocked(buffer: *mut c_void, bytes: size_t, count: size_t, stream: *mut FILE) -> size_t;
    fwrite_unlocked(
        buffer: *const c_void, bytes: size_t, count: size_t, stream: *mut FILE
    ) -> size_t;
    setvbuf(stream: *mut FILE, buffer: *mut i8, mode: c_int, bytes: size_t) -> c_int;
    __read_chk(file: c_int, buffer: *mut c_void, bytes: size_t, room: size_t) -> ssize_t;
    __pread_chk(
        file: c_int, buffer: *mut c_void, bytes: size_t, offset: off_t, room: size_t
    ) -> ssize_t;
    __pread64_chk(
        file: c_int, buffer: *mut c_void, bytes: size_t, offset: off_t, room: size_t
    ) -> ssize_t;
    __recv_chk(
        socket: c_int, buffer: *mut c_void, bytes: size_t, room: size_t, flags: c_int
    ) -> ssize_t;
    __recvfrom_chk(
        socket: c_int, buffer: *mut c_void, bytes: size_t, room: size_t, flags: c_int,
        from: *mut sockaddr, length: *mut socklen_t
    ) -> ssize_t;
    __fread_chk(
        buffer: *mut c_void, room: size_t, bytes: size_t, count: size_t, stream: *mut FILE
    ) -> size_t;
    __fread_unlocked_chk(
        buffer: *mut c_void, room: size_t, bytes: size_t, count: size_t, stream: *mut FILE
    ) -> size_t;
}

/// An address in the C library.
pub fn of_the_library() -> *const c_void {
    __libc_malloc as *const c_void
}

/// Ends the process as the loader would.
#[cold]
fn missing(name: &CStr) -> ! {
    crate::say::end(format_args!(
        "the C library lacks the function {}; paged programs need the GNU C library",
        name.to_string_lossy()
    ))
}
