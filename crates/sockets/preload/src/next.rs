//! The functions that this library stands before: those of the same name behind it in the loader's
//! order. They may be left by the cancellation of a thread, which unwinds.

use libc::{
    FILE, c_char, c_int, c_long, c_uint, c_ulong, c_void, epoll_event, fd_set, gid_t, iovec,
    mmsghdr, mode_t, msghdr, nfds_t, off_t, pollfd, sigset_t, size_t, sockaddr, socklen_t, ssize_t,
    timespec, timeval, uid_t,
};
use std::ffi::CStr;

interpose::functions! {
    abi "C-unwind", missing missing;
    socketpair(domain: c_int, kind: c_int, protocol: c_int, ends: *mut c_int) -> c_int;
    socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int;
    listen(socket: c_int, backlog: c_int) -> c_int;
    connect(socket: c_int, to: *const sockaddr, length: socklen_t) -> c_int;
    accept(socket: c_int, from: *mut sockaddr, length: *mut socklen_t) -> c_int;
    accept4(socket: c_int, from: *mut sockaddr, length: *mut socklen_t, flags: c_int) -> c_int;
    setsockopt(
        socket: c_int, level: c_int, name: c_int, value: *const c_void, length: socklen_t
    ) -> c_int;
    send(socket: c_int, buffer: *const c_void, bytes: size_t, flags: c_int) -> ssize_t;
    sendto(
        socket: c_int, buffer: *const c_void, bytes: size_t, flags: c_int,
        to: *const sockaddr, length: socklen_t
    ) -> ssize_t;
    sendmsg(socket: c_int, message: *const msghdr, flags: c_int) -> ssize_t;
    sendmmsg(socket: c_int, messages: *mut mmsghdr, count: c_uint, flags: c_int) -> c_int;
    write(file: c_int, buffer: *const c_void, bytes: size_t) -> ssize_t;
    writev(file: c_int, vectors: *const iovec, count: c_int) -> ssize_t;
    sendfile(to: c_int, from: c_int, offset: *mut off_t, bytes: size_t) -> ssize_t;
    splice(
        from: c_int, from_offset: *mut i64, to: c_int, to_offset: *mut i64, bytes: size_t,
        flags: c_uint
    ) -> ssize_t;
    tee(from: c_int, to: c_int, bytes: size_t, flags: c_uint) -> ssize_t;
    vmsplice(file: c_int, vectors: *const iovec, count: size_t, flags: c_uint) -> ssize_t;
    recv(socket: c_int, buffer: *mut c_void, bytes: size_t, flags: c_int) -> ssize_t;
    recvfrom(
        socket: c_int, buffer: *mut c_void, bytes: size_t, flags: c_int,
        from: *mut sockaddr, length: *mut socklen_t
    ) -> ssize_t;
    recvmsg(socket: c_int, message: *mut msghdr, flags: c_int) -> ssize_t;
    recvmmsg(
        socket: c_int, messages: *mut mmsghdr, count: c_uint, flags: c_int, limit: *mut timespec
    ) -> c_int;
    read(file: c_int, buffer: *mut c_void, bytes: size_t) -> ssize_t;
    readv(file: c_int, vectors: *const iovec, count: c_int) -> ssize_t;
    __read_chk(file: c_int, buffer: *mut c_void, bytes: size_t, room: size_t) -> ssize_t;
    __recv_chk(
        socket: c_int, buffer: *mut c_void, bytes: size_t, room: size_t, flags: c_int
    ) -> ssize_t;
    __recvfrom_chk(
        socket: c_int, buffer: *mut c_void, bytes: size_t, room: size_t, flags: c_int,
        from: *mut sockaddr, length: *mut socklen_t
    ) -> ssize_t;
    close(file: c_int) -> c_int;
    close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int;
    closefrom(first: c_int);
    fclose(stream: *mut FILE) -> c_int;
    fdopen(file: c_int, mode: *const c_char) -> *mut FILE;
    dup(file: c_int) -> c_int;
    dup2(file: c_int, to: c_int) -> c_int;
    dup3(file: c_int, to: c_int, flags: c_int) -> c_int;
    fcntl(file: c_int, command: c_int, argument: *mut c_void) -> c_int;
    fcntl64(file: c_int, command: c_int, argument: *mut c_void) -> c_int;
    ioctl(file: c_int, request: c_long, argument: *mut c_void) -> c_int;
    open(path: *const c_char, flags: c_int, mode: mode_t) -> c_int;
    open64(path: *const c_char, flags: c_int, mode: mode_t) -> c_int;
    openat(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int;
    openat64(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int;
    pipe(ends: *mut c_int) -> c_int;
    pipe2(ends: *mut c_int, flags: c_int) -> c_int;
    epoll_create(size: c_int) -> c_int;
    epoll_create1(flags: c_int) -> c_int;
    eventfd(count: c_uint, flags: c_int) -> c_int;
    poll(files: *mut pollfd, count: nfds_t, ms: c_int) -> c_int;
    __poll_chk(files: *mut pollfd, count: nfds_t, ms: c_int, room: size_t) -> c_int;
    ppoll(
        files: *mut pollfd, count: nfds_t, limit: *const timespec, mask: *const sigset_t
    ) -> c_int;
    __ppoll_chk(
        files: *mut pollfd, count: nfds_t, limit: *const timespec, mask: *const sigset_t,
        room: size_t
    ) -> c_int;
    select(
        count: c_int, read: *mut fd_set, write: *mut fd_set, except: *mut fd_set,
        limit: *mut timeval
    ) -> c_int;
    pselect(
        count: c_int, read: *mut fd_set, write: *mut fd_set, except: *mut fd_set,
        limit: *const timespec, mask: *const sigset_t
    ) -> c_int;
    epoll_wait(epoll: c_int, events: *mut epoll_event, count: c_int, ms: c_int) -> c_int;
    epoll_pwait(
        epoll: c_int, events: *mut epoll_event, count: c_int, ms: c_int, mask: *const sigset_t
    ) -> c_int;
    epoll_pwait2(
        epoll: c_int, events: *mut epoll_event, count: c_int, limit: *const timespec,
        mask: *const c_void
    ) -> c_int;
    execv(path: *const c_char, words: *const *const c_char) -> c_int;
    execve(
        path: *const c_char, words: *const *const c_char, variables: *const *const c_char
    ) -> c_int;
    execvp(file: *const c_char, words: *const *const c_char) -> c_int;
    execvpe(
        file: *const c_char, words: *const *const c_char, variables: *const *const c_char
    ) -> c_int;
    setuid(user: uid_t) -> c_int;
    seteuid(user: uid_t) -> c_int;
    setreuid(real: uid_t, effective: uid_t) -> c_int;
    setresuid(real: uid_t, effective: uid_t, saved: uid_t) -> c_int;
    setgid(group: gid_t) -> c_int;
    setegid(group: gid_t) -> c_int;
    setregid(real: gid_t, effective: gid_t) -> c_int;
    setresgid(real: gid_t, effective: gid_t, saved: gid_t) -> c_int;
    setgroups(count: size_t, groups: *const gid_t) -> c_int;
    initgroups(user: *const c_char, group: gid_t) -> c_int;
    chroot(path: *const c_char) -> c_int;
    prctl(option: c_int, two: c_ulong, three: c_ulong, four: c_ulong, five: c_ulong) -> c_int;
    syscall(
        number: c_long, one: c_long, two: c_long, three: c_long, four: c_long, five: c_long,
        six: c_long
    ) -> c_long;
}

/// Ends the process as the loader would.
#[cold]
fn missing(name: &CStr) -> ! {
    let _ = name;
    // SAFETY: ends the process at once, with the loader's exit code for a missing symbol.
    unsafe { libc::_exit(127) }
}
