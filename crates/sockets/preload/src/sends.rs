//! The calls that send.

use crate::begun::{Begun, begin};
use crate::births::{self, Peer};
use crate::{log, next, state};
use interpose::errno;
use libc::{
    c_int, c_uint, c_void, iovec, mmsghdr, msghdr, off_t, size_t, sockaddr, socklen_t, ssize_t,
};
use streams::entry::{Birth, Call, Kind, flags, noticed};

/// The call has returned `sent` of `offered` bytes.
#[inline(always)]
fn end(begun: Begun, sent: ssize_t, offered: usize, flags: c_int) {
    let exit = begun.tracing.now();
    let refused = sent < 0 && errno::get() == libc::EAGAIN;
    if sent < 0 && !refused || sent == 0 {
        return;
    }
    let mut how = if refused { flags::REFUSED } else { 0 };
    if begun.known.is_non_blocking() || flags & libc::MSG_DONTWAIT != 0 {
        how |= flags::NO_WAIT;
    }
    if flags & libc::MSG_OOB != 0 {
        log::notice(noticed::URGENT);
    }
    let call = Call {
        socket: begun.known.number(),
        flags: how,
        bytes: sent.max(0) as u32,
        enter: begun.enter,
        exit,
        fourth: offered as u64,
    };
    if !log::write(&call.slot(Kind::Send)) {
        state::stop();
    }
}

/// Make a call and log it.
#[inline(always)]
fn sent(
    socket: c_int,
    (offered, flags): (usize, c_int),
    call: impl FnOnce() -> ssize_t,
) -> ssize_t {
    let Some(begun) = begin(socket) else { return call() };
    let sent = call();
    end(begun, sent, offered, flags);
    sent
}

/// Bytes of all pieces.
///
/// # Safety
/// There are `count` of them.
unsafe fn bytes_of(vectors: *const iovec, count: usize) -> usize {
    if vectors.is_null() || count > 1024 {
        return 0;
    }
    // SAFETY: the caller's.
    let vectors = unsafe { std::slice::from_raw_parts(vectors, count) };
    vectors.iter().fold(0, |sum, one| sum.wrapping_add(one.iov_len))
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn send(
    socket: c_int,
    buffer: *const c_void,
    bytes: size_t,
    flags: c_int,
) -> ssize_t {
    // SAFETY: the program's own arguments.
    sent(socket, (bytes, flags), || unsafe { next::send(socket, buffer, bytes, flags) })
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
        return unsafe { fast_open((socket, flags), (buffer, bytes), (to, length)) };
    }
    // SAFETY: the program's own arguments.
    sent(socket, (bytes, flags), || unsafe {
        next::sendto(socket, buffer, bytes, flags, to, length)
    })
}

/// A connection that begins with its first bytes.
///
/// # Safety
/// The arguments are the program's.
#[cold]
unsafe fn fast_open(
    (socket, flags): (c_int, c_int),
    (buffer, bytes): (*const c_void, size_t),
    (to, length): (*const sockaddr, socklen_t),
) -> ssize_t {
    let tracing = state::tracing();
    let enter = tracing.map(|tracing| tracing.now());
    // SAFETY: the caller's.
    let sent = unsafe { next::sendto(socket, buffer, bytes, flags, to, length) };
    if let (Some(tracing), Some(enter)) = (tracing, enter)
        && (sent >= 0 || errno::get() == libc::EINPROGRESS)
    {
        let known = state::inside(|| {
            // SAFETY: the kernel has read the address.
            let peer: Peer = unsafe { births::peer_of(to, length) };
            births::begin(socket, (Birth::Connected, [enter, enter]), peer, &tracing)
        });
        if let Some(known) = known {
            end(Begun { tracing, known, enter }, sent, bytes, flags);
        }
    }
    sent
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn sendmsg(
    socket: c_int,
    message: *const msghdr,
    flags: c_int,
) -> ssize_t {
    let Some(begun) = begin(socket) else {
        // SAFETY: the program's own arguments.
        return unsafe { next::sendmsg(socket, message, flags) };
    };
    // SAFETY: as above; the kernel has read the message where it says so.
    let (sent, offered) = unsafe {
        let sent = next::sendmsg(socket, message, flags);
        let was_read = sent >= 0 || errno::get() == libc::EAGAIN;
        let pieces = || bytes_of((*message).msg_iov, (*message).msg_iovlen);
        (sent, if was_read { pieces() } else { 0 })
    };
    end(begun, sent, offered, flags);
    sent
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn sendmmsg(
    socket: c_int,
    messages: *mut mmsghdr,
    count: c_uint,
    flags: c_int,
) -> c_int {
    let Some(begun) = begin(socket) else {
        // SAFETY: the program's own arguments.
        return unsafe { next::sendmmsg(socket, messages, count, flags) };
    };
    // SAFETY: as above.
    let done = unsafe { next::sendmmsg(socket, messages, count, flags) };
    if done <= 0 {
        end(begun, done as ssize_t, 0, flags);
        return done;
    }
    // SAFETY: the kernel has sent so many of them, and written their lengths.
    let lengths = unsafe { std::slice::from_raw_parts(messages, done as usize) };
    for one in lengths {
        let bytes = one.msg_len as usize;
        end(begun, bytes as ssize_t, bytes, flags);
    }
    done
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn write(file: c_int, buffer: *const c_void, bytes: size_t) -> ssize_t {
    // SAFETY: the program's own arguments.
    sent(file, (bytes, 0), || unsafe { next::write(file, buffer, bytes) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn writev(file: c_int, vectors: *const iovec, count: c_int) -> ssize_t {
    let Some(begun) = begin(file) else {
        // SAFETY: the program's own arguments.
        return unsafe { next::writev(file, vectors, count) };
    };
    // SAFETY: as above; the kernel has read the pieces where it says so.
    unsafe {
        let sent = next::writev(file, vectors, count);
        let was_read = sent >= 0 || errno::get() == libc::EAGAIN;
        let offered = if was_read { bytes_of(vectors, count as usize) } else { 0 };
        end(begun, sent, offered, 0);
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
    sent(to, (0, 0), || unsafe { next::sendfile(to, from, offset, bytes) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn sendfile64(
    to: c_int,
    from: c_int,
    offset: *mut off_t,
    bytes: size_t,
) -> ssize_t {
    // SAFETY: the program's own arguments. The two are one where an offset has 64 bits.
    sent(to, (0, 0), || unsafe { next::sendfile(to, from, offset, bytes) })
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
    // One end is a pipe.
    match begin(to) {
        Some(begun) => {
            let moved = call();
            end(begun, moved, 0, 0);
            moved
        }
        None => crate::receives::moved(from, call),
    }
}
