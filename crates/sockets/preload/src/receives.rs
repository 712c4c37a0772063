//! The calls that receive. On TCP each is made as `recvmsg`, which brings the kernel's stamp.

use crate::begun::{Begun, begin};
use crate::frames::{self, Bytes, Way};
use crate::stamps::{self, Control, ROOM};
use crate::{births, log, next, pipes, state, table, thread};
use interpose::errno;
use libc::{
    c_int, c_uint, c_void, iovec, mmsghdr, msghdr, size_t, sockaddr, socklen_t, ssize_t, timespec,
};
use std::mem::MaybeUninit;
use streams::entry::{Call, Kind, SLOT_WORDS, flags, noticed, wait_slot};

/// What leaves the bytes where they are, or brings others than the stream's.
const NOT_TAKING: c_int = libc::MSG_PEEK | libc::MSG_OOB | libc::MSG_ERRQUEUE;
/// Most pieces that `recvmsg` accepts.
const PIECES_MAX: usize = 1024;
/// Control data of the program's up to this is looked through.
const CONTROL_MAX: usize = 1024;

/// Begin a call that takes bytes out of the stream.
#[inline(always)]
fn taking(socket: c_int, flags: c_int) -> Option<Begun> {
    if flags & NOT_TAKING != 0 {
        if flags & libc::MSG_OOB != 0 {
            log::notice(noticed::URGENT);
        }
        return None;
    }
    begin(socket, Way::Received)
}

/// The call has returned `got` of `wanted` bytes, which are these and the last of which came at
/// `stamp`.
///
/// # Safety
/// `bytes` are the arguments of the call, which has left `got` bytes there.
#[inline(always)]
unsafe fn end(begun: Begun, got: ssize_t, (wanted, bytes): (usize, Bytes), stamp: u64) {
    log_it(begun, got, wanted, stamp);
    if begun.known.is_framed() {
        // SAFETY: the caller's.
        unsafe { frames::end(begun.known.number(), Way::Received, got, bytes) };
    }
}

#[inline(always)]
fn log_it(begun: Begun, got: ssize_t, wanted: usize, stamp: u64) {
    if got < 0 || wanted == 0 {
        return;
    }
    let exit = begun.tracing.now();
    let mut how = if stamp != 0 { flags::STAMPED } else { 0 };
    if got == 0 {
        how |= flags::END;
    }
    if (got as usize) < wanted {
        how |= flags::EMPTIED;
    }
    let mut fourth = stamp;
    if begun.known.is_pipe()
        && let Some(look) = pipes::look_behind(begun.descriptor, exit, &begun.tracing)
    {
        how |= flags::LOOKED;
        fourth = look;
    }
    let call = Call {
        socket: begun.known.number(),
        flags: how,
        bytes: got as u32,
        enter: begun.enter,
        exit,
        fourth,
    };
    if !write(call) {
        state::stop();
    }
}

/// Write a receive down. The first one behind a wait, and the second in each window, has the wait
/// before it.
#[inline(always)]
fn write(mut call: Call) -> bool {
    let (wait, is_logged) = thread::with(|own| (own.wait.get(), own.has_logged_wait.get()));
    if wait[1] == 0 {
        return log::write(&call.slot(Kind::Receive));
    }
    call.flags |= flags::HAS_WAITED;
    match is_logged {
        true => log::write(&call.slot(Kind::Receive)),
        false => write_both(wait, &call),
    }
}

/// In one piece, so that nothing comes between them.
#[inline(never)]
fn write_both(wait: [u64; 3], call: &Call) -> bool {
    let mut both = [0; 2 * SLOT_WORDS];
    both[..SLOT_WORDS].copy_from_slice(&wait_slot(wait));
    both[SLOT_WORDS..].copy_from_slice(&call.slot(Kind::Receive));
    thread::with(|own| own.has_logged_wait.set(true));
    log::write(&both)
}

/// Receive into one piece: `plain` is the program's own call.
#[inline(always)]
fn received(
    socket: c_int,
    (buffer, bytes, flags): (*mut c_void, usize, c_int),
    plain: impl Fn() -> ssize_t,
) -> ssize_t {
    let Some(begun) = taking(socket, flags) else { return plain() };
    // A receive of nothing may wait where a read of nothing does not.
    let there =
        (bytes, if flags & libc::MSG_TRUNC == 0 { Bytes::at(buffer) } else { Bytes::Hidden });
    if !begun.known.is_stamped() || bytes == 0 {
        let got = plain();
        // SAFETY: the program's own buffer, which the call has filled so far.
        unsafe { end(begun, got, there, 0) };
        return got;
    }
    let mut piece = iovec { iov_base: buffer, iov_len: bytes };
    // SAFETY: the program's own buffer.
    let (got, stamp) = unsafe { receive(socket, (&raw mut piece, 1), flags) };
    if got < 0 && is_no_socket(socket) {
        return plain();
    }
    // SAFETY: as above.
    unsafe { end(begun, got, there, stamp) };
    got
}

/// Receive with the kernel's stamp.
///
/// # Safety
/// The pieces are the program's.
#[inline(always)]
unsafe fn receive(
    socket: c_int,
    (pieces, count): (*mut iovec, usize),
    flags: c_int,
) -> (ssize_t, u64) {
    let mut control = MaybeUninit::<Control<ROOM>>::uninit();
    let mut message = stamps::message(pieces, count, control.as_mut_ptr().cast());
    // SAFETY: the caller's, and room for control data. What was received is looked through as far
    // as the kernel has written it.
    unsafe {
        let got = next::recvmsg(socket, &raw mut message, flags);
        (got, if got > 0 { stamps::find(&message) } else { 0 })
    }
}

/// The descriptor was closed without our notice, and is something else now.
#[cold]
fn is_no_socket(descriptor: c_int) -> bool {
    let is_so = errno::get() == libc::ENOTSOCK;
    if is_so {
        table::forget(descriptor);
    }
    is_so
}

/// Bytes that a call moves out of a socket without showing them.
pub fn moved(from: c_int, call: impl FnOnce() -> ssize_t) -> ssize_t {
    let Some(begun) = taking(from, 0) else { return call() };
    let moved = call();
    // SAFETY: no bytes are said to be there.
    unsafe { end(begun, moved, (usize::MAX, Bytes::Hidden), 0) };
    moved
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn recv(
    socket: c_int,
    buffer: *mut c_void,
    bytes: size_t,
    flags: c_int,
) -> ssize_t {
    // SAFETY: the program's own arguments.
    received(socket, (buffer, bytes, flags), move || unsafe {
        next::recv(socket, buffer, bytes, flags)
    })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn __recv_chk(
    socket: c_int,
    buffer: *mut c_void,
    bytes: size_t,
    room: size_t,
    flags: c_int,
) -> ssize_t {
    // SAFETY: the program's own arguments; where there is too little room, its own call says so.
    unsafe {
        match bytes <= room {
            true => recv(socket, buffer, bytes, flags),
            false => next::__recv_chk(socket, buffer, bytes, room, flags),
        }
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn recvfrom(
    socket: c_int,
    buffer: *mut c_void,
    bytes: size_t,
    flags: c_int,
    from: *mut sockaddr,
    length: *mut socklen_t,
) -> ssize_t {
    // SAFETY: the program's own arguments.
    let plain = || unsafe { next::recvfrom(socket, buffer, bytes, flags, from, length) };
    if from.is_null() {
        return received(socket, (buffer, bytes, flags), plain);
    }
    let Some(begun) = taking(socket, flags) else { return plain() };
    let got = plain();
    let there = if flags & libc::MSG_TRUNC == 0 { Bytes::at(buffer) } else { Bytes::Hidden };
    // SAFETY: the program's own buffer, which the call has filled so far.
    unsafe { end(begun, got, (bytes, there), 0) };
    got
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn __recvfrom_chk(
    socket: c_int,
    buffer: *mut c_void,
    bytes: size_t,
    room: size_t,
    flags: c_int,
    from: *mut sockaddr,
    length: *mut socklen_t,
) -> ssize_t {
    // SAFETY: the program's own arguments.
    unsafe {
        match bytes <= room {
            true => recvfrom(socket, buffer, bytes, flags, from, length),
            false => next::__recvfrom_chk(socket, buffer, bytes, room, flags, from, length),
        }
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn read(file: c_int, buffer: *mut c_void, bytes: size_t) -> ssize_t {
    // SAFETY: the program's own arguments.
    received(file, (buffer, bytes, 0), move || unsafe { next::read(file, buffer, bytes) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn __read_chk(
    file: c_int,
    buffer: *mut c_void,
    bytes: size_t,
    room: size_t,
) -> ssize_t {
    // SAFETY: the program's own arguments.
    unsafe {
        match bytes <= room {
            true => read(file, buffer, bytes),
            false => next::__read_chk(file, buffer, bytes, room),
        }
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn readv(file: c_int, vectors: *const iovec, count: c_int) -> ssize_t {
    // SAFETY: the program's own arguments.
    let plain = || unsafe { next::readv(file, vectors, count) };
    let Some(begun) = taking(file, 0) else { return plain() };
    let pieces = usize::try_from(count).unwrap_or(0);
    if !begun.known.is_stamped() || vectors.is_null() || !(1..=PIECES_MAX).contains(&pieces) {
        let got = plain();
        let there = if got > 0 { Bytes::Pieces(vectors, pieces) } else { Bytes::Hidden };
        // SAFETY: the kernel has filled the program's pieces so far.
        unsafe { end(begun, got, (usize::MAX, there), 0) };
        return got;
    }
    // SAFETY: the program's own pieces; a pointer that cannot be read would end a call of the
    // C library's in the same way only in the kernel, so the kernel reads them first.
    let (got, stamp) = unsafe { receive(file, (vectors.cast_mut(), pieces), 0) };
    if got < 0 && is_no_socket(file) {
        return plain();
    }
    // SAFETY: the kernel has read the pieces, and filled them so far.
    unsafe {
        let there = match got {
            1.. => (room_of(vectors, pieces), Bytes::Pieces(vectors, pieces)),
            _ => (usize::MAX, Bytes::Hidden),
        };
        end(begun, got, there, stamp);
    }
    got
}

/// Bytes of all pieces.
///
/// # Safety
/// There are `count` of them.
unsafe fn room_of(vectors: *const iovec, count: usize) -> usize {
    // SAFETY: the caller's.
    let vectors = unsafe { std::slice::from_raw_parts(vectors, count) };
    vectors.iter().fold(0, |sum, one| sum.wrapping_add(one.iov_len))
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn recvmsg(socket: c_int, message: *mut msghdr, flags: c_int) -> ssize_t {
    let Some(begun) = taking(socket, flags) else {
        // SAFETY: the program's own arguments.
        return unsafe { not_taking(socket, message, flags) };
    };
    // SAFETY: as above; the kernel has read the message where it has received.
    unsafe {
        let (got, stamp) = match begun.known.is_stamped() {
            true => without_stamps(socket, message, flags),
            false => (next::recvmsg(socket, message, flags), 0),
        };
        let there = match got {
            1.. => {
                let (pieces, count) = ((*message).msg_iov, (*message).msg_iovlen);
                let is_shown = flags & libc::MSG_TRUNC == 0;
                let bytes = if is_shown { Bytes::Pieces(pieces, count) } else { Bytes::Hidden };
                (room_of(pieces, count), bytes)
            }
            _ => (usize::MAX, Bytes::Hidden),
        };
        end(begun, got, there, stamp);
        got
    }
}

/// A look at what is there, or at the socket's errors, or no call on a stream socket.
///
/// # Safety
/// The message is the program's.
unsafe fn not_taking(socket: c_int, message: *mut msghdr, flags: c_int) -> ssize_t {
    let is_ours = flags & NOT_TAKING != 0
        && flags & libc::MSG_ERRQUEUE == 0
        && births::stream(socket).is_some_and(|(_, known)| known.is_stamped());
    // SAFETY: the caller's.
    unsafe {
        match is_ours {
            true => without_stamps(socket, message, flags).0,
            false => next::recvmsg(socket, message, flags),
        }
    }
}

/// The program's own `recvmsg`, with the stamp for us and the rest for the program.
///
/// # Safety
/// The message is the program's.
unsafe fn without_stamps(socket: c_int, message: *mut msghdr, flags: c_int) -> (ssize_t, u64) {
    if message.is_null() {
        // SAFETY: the kernel refuses it.
        return (unsafe { next::recvmsg(socket, message, flags) }, 0);
    }
    let mut control = Control([0u8; CONTROL_MAX + ROOM]);
    // SAFETY: the program's own message; a copy of it with our control data receives, and what the
    // kernel writes into a message is copied back.
    unsafe {
        let theirs = &mut *message;
        let mut ours = *message;
        ours.msg_control = control.0.as_mut_ptr().cast();
        ours.msg_controllen = control.0.len() as _;
        let got = next::recvmsg(socket, &raw mut ours, flags);
        if got < 0 {
            return (got, 0);
        }
        theirs.msg_namelen = ours.msg_namelen;
        if theirs.msg_control.is_null() {
            theirs.msg_controllen = 0;
        }
        stamps::hand_over(&ours, theirs);
        (got, stamps::find(&ours))
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn recvmmsg(
    socket: c_int,
    messages: *mut mmsghdr,
    count: c_uint,
    flags: c_int,
    limit: *mut timespec,
) -> c_int {
    // SAFETY: the program's own arguments.
    let call = || unsafe { next::recvmmsg(socket, messages, count, flags, limit) };
    let Some(begun) = taking(socket, flags) else { return call() };
    if begun.known.is_stamped() {
        crate::connections::leave_alone(socket);
    }
    let done = call();
    if done > 0 {
        // SAFETY: the kernel has received so many of them, and written their lengths.
        for one in unsafe { std::slice::from_raw_parts(messages, done as usize) } {
            let bytes = one.msg_len as ssize_t;
            log_it(begun, bytes, usize::MAX, 0);
            if begun.known.is_framed() {
                let (pieces, count) = (one.msg_hdr.msg_iov, one.msg_hdr.msg_iovlen);
                let is_shown = flags & libc::MSG_TRUNC == 0;
                let pieces = if is_shown { Bytes::Pieces(pieces, count) } else { Bytes::Hidden };
                // SAFETY: the kernel has filled the program's pieces so far.
                unsafe { frames::moved(begun.known.number(), Way::Received, bytes, pieces) };
            }
        }
    }
    if begun.known.is_framed() {
        frames::leave(begun.known.number(), Way::Received);
    }
    done
}
