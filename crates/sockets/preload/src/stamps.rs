//! The kernel's stamps of what was received: asked for once a socket, found in control data.
//!
//! `SO_TIMESTAMPING` with software stamps of receiving only. Stamps of sending would come by the
//! socket's error queue and wake the program's own `poll`. Unlike `SO_TIMESTAMP` it never makes a
//! stamp up for data that came before it was asked for.

use crate::next;
use libc::{c_int, c_void, cmsghdr, msghdr};

/// Bytes of control data that hold the stamps and nothing else.
pub const ROOM: usize = 64;
/// Room for control data, aligned as it must be.
#[repr(C, align(8))]
pub struct Control<const BYTES: usize>(pub [u8; BYTES]);

/// Ask for stamps.
pub fn ask(socket: c_int) -> bool {
    let flags: c_int =
        (libc::SOF_TIMESTAMPING_RX_SOFTWARE | libc::SOF_TIMESTAMPING_SOFTWARE) as c_int;
    // SAFETY: the option takes an int.
    let answer = unsafe {
        next::setsockopt(
            socket,
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPING,
            (&raw const flags).cast(),
            size_of::<c_int>() as u32,
        )
    };
    answer == 0
}

/// Whether the program has asked for control data by this option, so that what it receives must be
/// left alone.
pub fn is_programs_own(level: c_int, name: c_int) -> bool {
    const TCP_INQ: c_int = 36;
    const NEW_STAMPS: std::ops::RangeInclusive<c_int> = 63..=65;
    let of_socket = [libc::SO_TIMESTAMP, libc::SO_TIMESTAMPNS, libc::SO_TIMESTAMPING];
    level == libc::SOL_SOCKET && (of_socket.contains(&name) || NEW_STAMPS.contains(&name))
        || level == libc::IPPROTO_TCP && name == TCP_INQ
}

/// The stamp in the control data of a message that was received: ns of `CLOCK_REALTIME`, 0 for
/// none.
///
/// # Safety
/// The message is as `recvmsg` has left it.
#[inline(always)]
pub unsafe fn find(message: &msghdr) -> u64 {
    // SAFETY: the caller's; the macros of the C library walk through what the kernel has written.
    unsafe {
        let mut at: *const cmsghdr = libc::CMSG_FIRSTHDR(message);
        while let Some(one) = at.as_ref() {
            if is_stamp(one) {
                let time = libc::CMSG_DATA(at).cast::<libc::timespec>().read_unaligned();
                return (time.tv_sec as u64)
                    .wrapping_mul(1_000_000_000)
                    .wrapping_add(time.tv_nsec as u64);
            }
            at = libc::CMSG_NXTHDR(message, at);
        }
    }
    0
}

fn is_stamp(one: &cmsghdr) -> bool {
    one.cmsg_level == libc::SOL_SOCKET && one.cmsg_type == libc::SCM_TIMESTAMPING
}

/// Give the program the control data that it would have got without the stamps.
///
/// # Safety
/// `ours` is as `recvmsg` has left it, and `theirs` has the program's control buffer of
/// `msg_controllen` bytes.
pub unsafe fn hand_over(ours: &msghdr, theirs: &mut msghdr) {
    let room = theirs.msg_controllen;
    let mut used = 0;
    let mut flags = ours.msg_flags;
    // SAFETY: the caller's; each piece lies whole in our buffer, and is copied only where it fits.
    unsafe {
        let mut at: *const cmsghdr = libc::CMSG_FIRSTHDR(ours);
        while let Some(one) = at.as_ref() {
            let bytes = one.cmsg_len;
            if is_stamp(one) {
            } else if used + bytes <= room {
                let to = theirs.msg_control.cast::<u8>().add(used);
                std::ptr::copy_nonoverlapping(at.cast::<u8>(), to, bytes);
                used = (used + bytes.next_multiple_of(size_of::<usize>())).min(room);
            } else {
                flags |= libc::MSG_CTRUNC;
            }
            at = libc::CMSG_NXTHDR(ours, at);
        }
    }
    theirs.msg_controllen = used as _;
    theirs.msg_flags = flags;
}

/// The smallest message that a plain receive is.
pub fn message(vectors: *mut libc::iovec, count: usize, control: *mut c_void) -> msghdr {
    // SAFETY: all zeros is a message that has nothing.
    let mut message: msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = vectors;
    message.msg_iovlen = count as _;
    message.msg_control = control;
    message.msg_controllen = if control.is_null() { 0 } else { ROOM as _ };
    message
}
