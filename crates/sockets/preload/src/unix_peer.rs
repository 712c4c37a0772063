//! Which socket a Unix-domain socket is connected to: the kernel says it over netlink (sock_diag),
//! and nowhere else. It says nothing of a peer that was gone before it was accepted; who that was,
//! and to whom it had connected, it still does.

use crate::address::{self, Ask};
use libc::{c_int, c_void, socklen_t};
use std::os::unix::fs::MetadataExt;
use streams::entry::{Birth, Caller};

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

/// Who connected to whom, of an end that came to be in this way.
pub fn caller(socket: c_int, birth: Birth) -> Caller {
    let (process, of_listener): (_, Ask) = match birth {
        Birth::Connected => (Some(std::process::id()), libc::getpeername),
        Birth::Accepted => (connected_by(socket), libc::getsockname),
        Birth::Pair | Birth::Found => return Caller::UNKNOWN,
    };
    let (Some(process), Some((name, length))) = (process, address::whole(socket, of_listener))
    else {
        return Caller::UNKNOWN;
    };
    let length = (length as usize).min(size_of_val(&name));
    // SAFETY: so many bytes of it mean something, and all of it can be read.
    let name = unsafe { std::slice::from_raw_parts((&raw const name).cast(), length) };
    let namespace = std::fs::metadata("/proc/self/ns/pid").map_or(0, |file| file.ino());
    Caller::new(process, namespace, name)
}

/// The process that had connected, as it is numbered here.
fn connected_by(socket: c_int) -> Option<u32> {
    let mut found = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = size_of::<libc::ucred>() as socklen_t;
    // SAFETY: room for what is asked, and its length.
    let answer = unsafe {
        let (level, name) = (libc::SOL_SOCKET, libc::SO_PEERCRED);
        libc::getsockopt(socket, level, name, (&raw mut found).cast(), &raw mut length)
    };
    if answer == 0 { u32::try_from(found.pid).ok() } else { None }
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
    use std::os::fd::AsRawFd;
    use std::os::unix::net::{UnixListener, UnixStream};

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

    #[test]
    fn who_has_gone_is_known_by_its_process_and_by_whom_it_had_connected_to() {
        let home = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| {
            let listener = UnixListener::bind(home.path().join(name)).unwrap();
            let client = UnixStream::connect(home.path().join(name)).unwrap();
            let called = caller(client.as_raw_fd(), Birth::Connected);
            drop(client);
            let accepted = listener.accept().unwrap().0;
            assert_eq!(caller(accepted.as_raw_fd(), Birth::Accepted), called);
            called
        });
        assert!(one.is_known() && one != other);
        let [one, _] = UnixStream::pair().map(|(one, other)| [one, other]).unwrap();
        assert_eq!(caller(one.as_raw_fd(), Birth::Pair), Caller::UNKNOWN);
    }
}
