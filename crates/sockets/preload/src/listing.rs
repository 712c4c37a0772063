//! The descriptors that the process has, and what each is a link to.
//!
//! Nothing is allocated and no lock taken.

use crate::table::{self, Known};
use crate::{log, next};
use libc::{c_char, c_int};
use std::ffi::CStr;

const FOLDER: &CStr = c"/proc/self/fd";
/// Names of descriptors that are read at once.
const ROOM: usize = 4096;
/// A link to a descriptor's file is not longer, as far as it matters.
const LINK: usize = 64;

#[repr(C, align(8))]
struct Names([u8; ROOM]);

/// Once, as the library is loaded: sockets that are there were made by another program.
pub fn account_for_all() {
    each(|descriptor, link| {
        if link.starts_with(b"socket:") {
            table::set(descriptor, Known::ACCOUNTED);
        }
    });
}

/// Go through the descriptors of the process, but for those that are used for that: each with what
/// its link says.
pub fn each(mut take: impl FnMut(c_int, &[u8])) {
    let mut names = Names([0; ROOM]);
    // SAFETY: plain system calls with a path and a buffer that live until the end of the function;
    // the functions of the C library that have these names are our own, or may be a point at which
    // a thread is cancelled.
    unsafe {
        let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC;
        let folder = call(libc::SYS_openat, [libc::AT_FDCWD as i64, address(FOLDER), flags.into()]);
        if folder < 0 {
            return;
        }
        loop {
            let room = [folder, names.0.as_mut_ptr() as i64, ROOM as i64];
            let Ok(got @ 1..) = usize::try_from(call(libc::SYS_getdents64, room)) else { break };
            each_name(&names.0[..got.min(ROOM)], |name| {
                let Some(descriptor) = number(name) else { return };
                if i64::from(descriptor) == folder || log::is_ours(descriptor) {
                    return;
                }
                let mut link = [0u8; LINK];
                let at = name.as_ptr() as i64;
                let room = (link.as_mut_ptr() as i64, LINK as i64);
                let got = next::syscall(libc::SYS_readlinkat, folder, at, room.0, room.1, 0, 0);
                if let Ok(got @ 1..) = usize::try_from(got) {
                    take(descriptor, &link[..got.min(LINK)]);
                }
            });
        }
        call(libc::SYS_close, [folder, 0, 0]);
    }
}

/// # Safety
/// What the system call demands.
unsafe fn call(number: i64, [one, two, three]: [i64; 3]) -> i64 {
    // SAFETY: the caller's.
    unsafe { next::syscall(number, one, two, three, 0, 0, 0) }
}

fn address(text: &CStr) -> i64 {
    text.as_ptr() as *const c_char as i64
}

/// The names in what `getdents64` has written, each with the 0 behind it.
fn each_name(entries: &[u8], mut take: impl FnMut(&[u8])) {
    /// An entry's length is two bytes there, and its name begins behind them and a byte.
    const LENGTH_AT: usize = 16;
    const NAME_AT: usize = 19;
    let mut rest = entries;
    while let Some(length) = rest.get(LENGTH_AT..LENGTH_AT + 2) {
        let length = usize::from(u16::from_ne_bytes([length[0], length[1]]));
        let Some(name) = rest.get(NAME_AT..length) else { return };
        take(name);
        rest = &rest[length..];
    }
}

/// A name of digits, up to a 0.
fn number(name: &[u8]) -> Option<c_int> {
    let digits = &name[..name.iter().position(|byte| *byte == 0)?];
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::os::fd::AsRawFd;

    #[test]
    fn descriptors_are_found_with_what_they_are() {
        next::look_all_up();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut found = Vec::new();
        each(|descriptor, link| found.push((descriptor, link.to_vec())));
        let own = found.iter().find(|(descriptor, _)| *descriptor == listener.as_raw_fd());
        assert!(own.unwrap().1.starts_with(b"socket:["), "{found:?}");
    }
}
