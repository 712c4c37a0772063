//! The calls that send.

use crate::address::{self, Peer};
use crate::begun::{Begun, begin, has_sent};
use crate::births;
use crate::frames::{self, Bytes, Way};
use crate::{log, next, pipes, receives, stamps, state};
use interpose::errno;
use libc::{
    c_int, c_uint, c_void, iovec, mmsghdr, msghdr, off_t, size_t, sockaddr, socklen_t, ssize_t,
};
use streams::entry::{Birth, Call, Kind, flags, noticed};

/// The call has returned `sent` of `offered` bytes, which are these.
///
/// # Safety
/// `bytes` are the arguments of the call, which has read `sent` bytes there.
#[inline(always)]
unsafe fn end(begun: Begun, sent: ssize_t, (offered, bytes): (usize, Bytes), flags: c_int) {
    log_it(begun, sent, offered, flags);
    if begun.known.is_framed() {
        // SAFETY: the caller's.
        unsafe { frames::end(begun.known.number(), Way::Sent, sent, bytes) };
    }
}

#[inline(always)]
fn log_it(begun: Begun, sent: ssize_t, offered: usize, flags: c_int) {
    let exit = begun.tracing.now();
    let mut how = 0;
    if sent <= 0 {
        if sent == 0 || errno::get() != libc::EAGAIN {
            return;
        }
        how = flags::REFUSED;
    }
    if begun.known.is_non_blocking() || flags & libc::MSG_DONTWAIT != 0 {
        how |= flags::NO_WAIT;
    }
    if flags & libc::MSG_OOB != 0 {
        log::notice(noticed::URGENT);
    }
    let mut fourth = offered as u64;
    if begun.known.is_pipe()
        && sent > 0
        && let Some(look) = pipes::look_behind(begun.descriptor, exit, &begun.tracing)
    {
        how |= flags::LOOKED | if sent.unsigned_abs() < offered { flags::PART } else { 0 };
        fourth = look;
    }
    let call = Call {
        socket: begun.known.number(),
        flags: how,
        bytes: sent.max(0) as u32,
        enter: begun.enter,
        exit,
        fourth,
    };
    if !log::write(&call.slot(Kind::Send)) {
        state::stop();
    }
}

/// Make a call and log it.
///
/// # Safety
/// See [`end`].
#[inline(always)]
unsafe fn sent(
    socket: c_int,
    (offered, bytes, flags): (usize, Bytes, c_int),
    call: impl FnOnce() -> ssize_t,
) -> ssize_t {
    let Some(begun) = begin(socket, Way::Sent) else { return call() };
    let sent = call();
    has_sent();
    // SAFETY: the caller's.
    unsafe { end(begun, sent, (offered, bytes), flags) };
    sent
}

/// Bytes of all pieces, and where they are.
///
/// # Safety
/// There are `count` of them.
unsafe fn pieces_of(vectors: *const iovec, count: usize) -> (usize, Bytes) {
    if vectors.is_null() || count > 1024 {
        return (0, Bytes::Hidden);
    }
    // SAFETY: the caller's.
    let pieces = unsafe { std::slice::from_raw_parts(vectors, count) };
    let sum = pieces.iter().fold(0, |sum: usize, one| sum.wrapping_add(one.iov_len));
    (sum, Bytes::Pieces(vectors, count))
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn send(
    socket: c_int,
    buffer: *const c_void,
    bytes: size_t,
    flags: c_int,
) -> ssize_t {
    let given = (bytes, Bytes::at(buffer), flags);
    // SAFETY: the program's own arguments.
    unsafe { sent(socket, given, move || next::send(socket, buffer, bytes, flags)) }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn sendto(
    socket: c_int,
    buffer: *const c_void,
    bytes: size_t,
    flags: c_int,
    to: *const sockaddr,
    length: socklen_t,
) -> ssize_t {
    if flags & libc::MSG_FASTOPEN != 0 {
        // SAFETY: the program's own arguments.
        let call = || unsafe { next::sendto(socket, buffer, bytes, flags, to, length) };
        let first = || First { to, length, given: (bytes, Bytes::at(buffer)) };
        // SAFETY: the program's own arguments.
        return unsafe { fast_open((socket, flags), call, first) };
    }
    let given = (bytes, Bytes::at(buffer), flags);
    // SAFETY: the program's own arguments.
    unsafe { sent(socket, given, move || next::sendto(socket, buffer, bytes, flags, to, length)) }
}

/// What begins a connection: to whom, and the first bytes.
struct First {
    to: *const sockaddr,
    length: socklen_t,
    given: (usize, Bytes),
}

/// A connection that begins with its first bytes.
///
/// # Safety
/// `first` says what the program gave to the call, and is asked when the kernel has read it.
#[cold]
unsafe fn fast_open(
    (socket, flags): (c_int, c_int),
    call: impl FnOnce() -> ssize_t,
    first: impl FnOnce() -> First,
) -> ssize_t {
    let Some(tracing) = state::tracing() else { return call() };
    state::inside(|| stamps::ask(socket));
    let enter = tracing.now();
    let sent = call();
    if sent < 0 && errno::get() != libc::EINPROGRESS {
        return sent;
    }
    let First { to, length, given } = first();
    let known = state::inside(|| {
        // SAFETY: the kernel has read the address.
        let peer: Peer = unsafe { address::peer_of(to, length) };
        births::begin(socket, (Birth::Connected, [enter, enter]), peer, &tracing)
    });
    if let Some(known) = known {
        // SAFETY: the caller's.
        unsafe { end(Begun { tracing, known, descriptor: socket, enter }, sent, given, flags) };
    }
    sent
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn sendmsg(
    socket: c_int,
    message: *const msghdr,
    flags: c_int,
) -> ssize_t {
    // SAFETY: the program's own arguments.
    let call = || unsafe { next::sendmsg(socket, message, flags) };
    if flags & libc::MSG_FASTOPEN != 0 {
        // SAFETY: the kernel has read the message when this is asked.
        let first = || unsafe {
            let given = pieces_of((*message).msg_iov, (*message).msg_iovlen);
            First { to: (*message).msg_name.cast(), length: (*message).msg_namelen, given }
        };
        // SAFETY: as above.
        return unsafe { fast_open((socket, flags), call, first) };
    }
    let Some(begun) = begin(socket, Way::Sent) else { return call() };
    let sent = call();
    has_sent();
    // SAFETY: the kernel has read the message where it says so.
    unsafe {
        let was_read = sent >= 0 || errno::get() == libc::EAGAIN;
        let given = match was_read {
            true => pieces_of((*message).msg_iov, (*message).msg_iovlen),
            false => (0, Bytes::Hidden),
        };
        end(begun, sent, given, flags);
        sent
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn sendmmsg(
    socket: c_int,
    messages: *mut mmsghdr,
    count: c_uint,
    flags: c_int,
) -> c_int {
    let Some(begun) = begin(socket, Way::Sent) else {
        // SAFETY: the program's own arguments.
        return unsafe { next::sendmmsg(socket, messages, count, flags) };
    };
    // SAFETY: as above.
    let done = unsafe { next::sendmmsg(socket, messages, count, flags) };
    has_sent();
    if done <= 0 {
        // SAFETY: no bytes are said to be there.
        unsafe { end(begun, done as ssize_t, (0, Bytes::Hidden), flags) };
        return done;
    }
    // SAFETY: the kernel has sent so many of them, and written their lengths.
    unsafe {
        for one in std::slice::from_raw_parts(messages, done as usize) {
            let bytes = one.msg_len as usize;
            log_it(begun, bytes as ssize_t, bytes, flags);
            if begun.known.is_framed() {
                let (_, pieces) = pieces_of(one.msg_hdr.msg_iov, one.msg_hdr.msg_iovlen);
                frames::moved(begun.known.number(), Way::Sent, bytes as ssize_t, pieces);
            }
        }
    }
    if begun.known.is_framed() {
        frames::leave(begun.known.number(), Way::Sent);
    }
    done
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn write(file: c_int, buffer: *const c_void, bytes: size_t) -> ssize_t {
    let given = (bytes, Bytes::at(buffer), 0);
    // SAFETY: the program's own arguments.
    unsafe { sent(file, given, move || next::write(file, buffer, bytes)) }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn writev(file: c_int, vectors: *const iovec, count: c_int) -> ssize_t {
    let Some(begun) = begin(file, Way::Sent) else {
        // SAFETY: the program's own arguments.
        return unsafe { next::writev(file, vectors, count) };
    };
    // SAFETY: as above; the kernel has read the pieces where it says so.
    unsafe {
        let sent = next::writev(file, vectors, count);
        has_sent();
        let was_read = sent >= 0 || errno::get() == libc::EAGAIN;
        let given = match was_read {
            true => pieces_of(vectors, count as usize),
            false => (0, Bytes::Hidden),
        };
        end(begun, sent, given, 0);
        sent
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn sendfile(
    to: c_int,
    from: c_int,
    offset: *mut off_t,
    bytes: size_t,
) -> ssize_t {
    // How many bytes the file has left is not known: none counts as refused.
    // SAFETY: the program's own arguments.
    unsafe { sent(to, (0, Bytes::Hidden, 0), || next::sendfile(to, from, offset, bytes)) }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn sendfile64(
    to: c_int,
    from: c_int,
    offset: *mut off_t,
    bytes: size_t,
) -> ssize_t {
    // SAFETY: the program's own arguments. The two are one where an offset has 64 bits.
    unsafe { sent(to, (0, Bytes::Hidden, 0), || next::sendfile(to, from, offset, bytes)) }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn splice(
    from: c_int,
    from_offset: *mut i64,
    to: c_int,
    to_offset: *mut i64,
    bytes: size_t,
    flags: c_uint,
) -> ssize_t {
    // SAFETY: the program's own arguments.
    let call = || unsafe { next::splice(from, from_offset, to, to_offset, bytes, flags) };
    // One end is a pipe, or both are.
    match begin(to, Way::Sent) {
        Some(begun) => {
            let moved = if pipes::is_on() { receives::moved(from, call) } else { call() };
            has_sent();
            // SAFETY: no bytes are said to be there.
            unsafe { end(begun, moved, (0, Bytes::Hidden), 0) };
            moved
        }
        None => receives::moved(from, call),
    }
}

/// What is copied from one pipe into another stays in the first.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn tee(from: c_int, to: c_int, bytes: size_t, flags: c_uint) -> ssize_t {
    // SAFETY: the program's own arguments.
    let call = || unsafe { next::tee(from, to, bytes, flags) };
    match pipes::is_on() {
        // SAFETY: no bytes are said to be there.
        true => unsafe { sent(to, (0, Bytes::Hidden, 0), call) },
        false => call(),
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn vmsplice(
    file: c_int,
    vectors: *const iovec,
    count: size_t,
    flags: c_uint,
) -> ssize_t {
    // SAFETY: the program's own arguments.
    let call = || unsafe { next::vmsplice(file, vectors, count, flags) };
    match pipes::is_on() {
        // SAFETY: no bytes are said to be there.
        true if pipes::is_written(file) => unsafe { sent(file, (0, Bytes::Hidden, 0), call) },
        true => receives::moved(file, call),
        false => call(),
    }
}
