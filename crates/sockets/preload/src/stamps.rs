//! The kernel's stamps of what was received: asked for once a socket, found in control data.
//!
//! `SO_TIMESTAMPING` with software stamps of receiving only. Stamps of sending would come by the
//! socket's error queue and wake the program's own `poll`. Unlike `SO_TIMESTAMP` it never makes a
//! stamp up for data that came before it was asked for.

use crate::{next, table};
use libc::{c_int, c_void, cmsghdr, msghdr, socklen_t};

/// Bytes of control data that hold the stamps, behind one that the program has asked for.
pub const ROOM: usize = 96;
/// `SO_TIMESTAMPING` where times have 64 bits everywhere; its control data has the same number.
const TIMESTAMPING_NEW: c_int = 65;
/// Room for control data, aligned as it must be.
#[repr(C, align(8))]
pub struct Control<const BYTES: usize>(pub [u8; BYTES]);

/// Ask for stamps. `false`: the program has asked itself, in its own way, or the kernel refuses.
pub fn ask(socket: c_int) -> bool {
    let flags: c_int =
        (libc::SOF_TIMESTAMPING_RX_SOFTWARE | libc::SOF_TIMESTAMPING_SOFTWARE) as c_int;
    if table::get(socket).is_left_alone() {
        return false;
    }
    match asked(socket) {
        0 => {}
        // What is accepted has the flags of the socket that listens.
        ours if ours == flags => return true,
        _ => return false,
    }
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

/// Which stamps are asked for.
fn asked(socket: c_int) -> c_int {
    let (mut flags, mut length) = ([0 as c_int; 2], size_of::<[c_int; 2]>() as socklen_t);
    let (level, name) = (libc::SOL_SOCKET, libc::SO_TIMESTAMPING);
    // SAFETY: room for the flags, behind which a clock's number may stand, and their length.
    unsafe { libc::getsockopt(socket, level, name, (&raw mut flags).cast(), &raw mut length) };
    flags[0]
}

/// Whether the program asks by this option for the stamps that we ask for, so that what it receives
/// must be left alone. Control data of other kinds is told from ours.
pub fn is_programs_own(level: c_int, name: c_int) -> bool {
    level == libc::SOL_SOCKET && matches!(name, libc::SO_TIMESTAMPING | TIMESTAMPING_NEW)
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
    let is_of_socket = one.cmsg_level == libc::SOL_SOCKET;
    is_of_socket && matches!(one.cmsg_type, libc::SCM_TIMESTAMPING | TIMESTAMPING_NEW)
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
