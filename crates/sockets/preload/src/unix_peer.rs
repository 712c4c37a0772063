//! Which socket a Unix-domain socket is connected to: the kernel says it over netlink (sock_diag),
//! and nowhere else.

use libc::{c_int, c_void};

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const SHOW_PEER: u32 = 4;
const DIAG_PEER: u16 = 2;

#[repr(C)]
struct Request {
    length: u32,
    kind: u16,
    flags: u16,
    sequence: u32,
    port: u32,
    family: u8,
    protocol: u8,
    padding: u16,
    states: u32,
    inode: u32,
    show: u32,
    cookie: [u32; 2],
}

/// The peer's number in the system, of the socket with this one; 0 where the kernel does not tell.
pub fn of(inode: u64) -> u64 {
    let Ok(inode) = u32::try_from(inode) else { return 0 };
    let request = Request {
        length: size_of::<Request>() as u32,
        kind: SOCK_DIAG_BY_FAMILY,
        flags: libc::NLM_F_REQUEST as u16,
        sequence: 1,
        port: 0,
        family: libc::AF_UNIX as u8,
        protocol: 0,
        padding: 0,
        states: u32::MAX,
        inode,
        show: SHOW_PEER,
        cookie: [u32::MAX; 2],
    };
    let mut answer = [0u8; 1024];
    ask(&request, &mut answer).and_then(|bytes| peer_in(answer.get(..bytes)?)).unwrap_or(0)
}

fn ask(request: &Request, answer: &mut [u8]) -> Option<usize> {
    const NETLINK_SOCK_DIAG: c_int = 4;
    // SAFETY: plain system calls with a request and a buffer that live until the end of the
    // function. The functions of the C library that have these names are our own.
    unsafe {
        let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
        let socket =
            libc::syscall(libc::SYS_socket, libc::AF_NETLINK, kind, NETLINK_SOCK_DIAG) as c_int;
        if socket < 0 {
            return None;
        }
        let (from, bytes) = (&raw const *request, size_of::<Request>());
        let none = std::ptr::null::<c_void>();
        let sent = libc::syscall(libc::SYS_sendto, socket, from, bytes, 0, none, 0);
        let got = match sent == bytes as i64 {
            true => {
                let (to, room) = (answer.as_mut_ptr(), answer.len());
                let flags = libc::MSG_DONTWAIT;
                libc::syscall(libc::SYS_recvfrom, socket, to, room, flags, none, none)
            }
            false => -1,
        };
        libc::syscall(libc::SYS_close, socket);
        usize::try_from(got).ok()
    }
}

/// The attribute that names the peer, in an answer.
fn peer_in(answer: &[u8]) -> Option<u64> {
    /// The head of the answer, and what comes before its attributes.
    const BEFORE: usize = 16 + 16;
    let half = |at: usize| Some(u16::from_ne_bytes(answer.get(at..at + 2)?.try_into().ok()?));
    let word = |at: usize| Some(u32::from_ne_bytes(answer.get(at..at + 4)?.try_into().ok()?));
    if half(4)? != SOCK_DIAG_BY_FAMILY {
        return None;
    }
    let mut at = BEFORE;
    loop {
        let (length, kind) = (usize::from(half(at)?), half(at + 2)?);
        if kind == DIAG_PEER {
            return word(at + 4).map(u64::from);
        }
        at += length.max(4).next_multiple_of(4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::net::UnixStream;

    #[test]
    fn the_ends_of_a_pair_know_each_other() {
        let (one, other) = UnixStream::pair().unwrap();
        let inode = |end: &UnixStream| {
            let link = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(end));
            std::fs::metadata(link).unwrap().ino()
        };
        assert_eq!(of(inode(&one)), inode(&other));
        assert_eq!(of(inode(&other)), inode(&one));
        assert_eq!(of(1), 0);
    }
}
