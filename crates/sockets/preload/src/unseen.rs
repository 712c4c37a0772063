//! What a process has of which no call told: io_uring, and TCP connections that carried bytes, of
//! programs that make system calls without the C library. It is looked for among the descriptors of
//! the process when it ends.
//!
//! Nothing is allocated and no lock taken: a program may end within a signal handler.

use crate::{account, births, listing, log, next, state, stdio, table};
use interpose::errno;
use libc::c_int;
use std::sync::atomic::Ordering;
use streams::entry::{head, noticed};

/// What was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Unseen {
    io_uring: bool,
    connections: u64,
    listens: bool,
}

/// Look for it, and note it, where the process is traced.
fn look() {
    if state::tracing_already().is_some() && !state::is_vforked_child() {
        errno::kept(|| note(found()));
        errno::kept(stdio::notice_all);
        account::note_all();
    }
}

/// The same as the process ends. One that was not traced so far, for it made no call that is seen,
/// begins to be if there is something to note.
fn ended() {
    if state::is_off() || state::is_vforked_child() {
        return;
    }
    let found = found();
    if found != Unseen::default() && state::tracing().is_some() {
        note(found);
    }
    stdio::notice_all();
    account::note_all();
}

fn note(found: Unseen) {
    let bits = [(found.io_uring, noticed::IO_URING), (found.listens, noticed::LISTENS_UNSEEN)];
    bits.into_iter().filter(|(is_so, _)| *is_so).for_each(|(_, bit)| log::notice(bit));
    if let Some(word) = log::head_word(head::UNSEEN_AT) {
        word.fetch_max(found.connections, Ordering::Relaxed);
    }
}

fn found() -> Unseen {
    let mut found = Unseen::default();
    listing::each(|descriptor, link| {
        found.io_uring |= link == b"anon_inode:[io_uring]";
        if link.starts_with(b"socket:") && table::get(descriptor).is_blank() {
            found.listens |= listens(descriptor);
            found.connections += u64::from(carried(descriptor));
        }
    });
    found
}

fn listens(socket: c_int) -> bool {
    births::option(socket, libc::SO_PROTOCOL) == Some(libc::IPPROTO_TCP)
        && births::option(socket, libc::SO_ACCEPTCONN) == Some(1)
}

/// Whether it is a TCP connection on which bytes went in either direction.
fn carried(socket: c_int) -> bool {
    // SAFETY: all zeros is a value of this type.
    let mut facts: libc::tcp_info = unsafe { std::mem::zeroed() };
    let mut length = size_of::<libc::tcp_info>() as libc::socklen_t;
    // SAFETY: room for what is asked, and its length.
    let answer = unsafe {
        let (level, name) = (libc::IPPROTO_TCP, libc::TCP_INFO);
        libc::getsockopt(socket, level, name, (&raw mut facts).cast(), &raw mut length)
    };
    // The first byte of each direction that is acknowledged stands for the connection itself.
    answer == 0 && (facts.tcpi_bytes_received > 0 || facts.tcpi_bytes_acked > 1)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn _exit(code: c_int) -> ! {
    look();
    // SAFETY: ends the process, as the function of this name does.
    unsafe { next::syscall(libc::SYS_exit_group, code.into(), 0, 0, 0, 0, 0) };
    std::process::abort()
}

#[cfg_attr(not(test), unsafe(export_name = "_Exit"))]
unsafe extern "C-unwind" fn exit_at_once(code: c_int) -> ! {
    // SAFETY: the same.
    unsafe { _exit(code) }
}

/// Called when the process ends by `exit`, or by the end of `main`.
extern "C" fn unloaded() {
    errno::kept(ended);
}

#[cfg(not(test))]
#[used]
#[unsafe(link_section = ".fini_array")]
static UNLOADED: extern "C" fn() = unloaded;

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd;

    #[test]
    fn connections_that_carried_nothing_are_not_counted() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut other, _) = listener.accept().unwrap();
        let ends = [one.as_raw_fd(), other.as_raw_fd()];
        assert!(listens(listener.as_raw_fd()) && ends.iter().all(|end| !listens(*end)));
        assert_eq!(ends.map(carried), [false, false]);
        one.write_all(b"hello").unwrap();
        other.read_exact(&mut [0; 5]).unwrap();
        assert_eq!(ends.map(carried), [true, true]);
        assert!(!carried(listener.as_raw_fd()) && !carried(0));
    }
}
