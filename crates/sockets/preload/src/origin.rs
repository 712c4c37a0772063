//! How many bytes a TCP connection had carried before this process came to use it, as the kernel
//! counts them (`TCP_INFO`), so that its bytes are those that the other end counts.
//!
//! Sent is what was handed to the kernel: what has left it, without what was sent again, and what
//! has not. Received is what was taken out: what has come, without what lies unread. The kernel
//! counts the end of a stream (FIN) as a byte, and the beginning (SYN) as one that was acknowledged
//! where the end connected; by that it is known which end did.
//!
//! Two counts of what was sent, made of different counters, have to agree. Nothing is said where
//! they do not, or where the kernel lacks one of them (before Linux 4.19); nor where the kernel
//! makes other bytes of the program's (its own TLS), for it counts those.

use crate::next;
use libc::{c_int, c_ulong, socklen_t, tcp_info};
use std::mem::offset_of;
use streams::entry::Before;

/// Bytes come and go while they are counted: so often is that done once more.
const TRIES: usize = 64;

// States of a connection (`enum` in the kernel's tcp_states.h).
const ESTABLISHED: u8 = 1;
const FIN_WAIT1: u8 = 4;
const FIN_WAIT2: u8 = 5;
const CLOSE_WAIT: u8 = 8;
const LAST_ACK: u8 = 9;
const CLOSING: u8 = 11;

/// What the kernel counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counted {
    state: u8,
    quiet_ms: u32,
    acknowledged: u64,
    arrived: u64,
    left: u64,
    left_again: u64,
    not_left: u32,
}

/// Of a socket, whose number this is; `None` where the kernel does not say it.
pub fn of(descriptor: c_int, number: u32) -> Option<Before> {
    if carries_other_bytes(descriptor) {
        return None;
    }
    let mut before = counted(descriptor)?;
    for _ in 0..TRIES {
        let unread = queued(descriptor, libc::FIONREAD)?;
        let unacknowledged = queued(descriptor, libc::TIOCOUTQ)?;
        let after = counted(descriptor)?;
        // Time passes all the same.
        if before == (Counted { quiet_ms: before.quiet_ms, ..after }) {
            return passed(number, &after, (unread, unacknowledged));
        }
        before = after;
    }
    None
}

/// What has passed, by what was counted and what lies in the socket's two queues.
fn passed(number: u32, counted: &Counted, (unread, unacknowledged): (u64, u64)) -> Option<Before> {
    let (has_ended, is_ended_by_peer) = match counted.state {
        ESTABLISHED => (false, false),
        CLOSE_WAIT => (false, true),
        FIN_WAIT1 | FIN_WAIT2 => (true, false),
        LAST_ACK | CLOSING => (true, true),
        _ => return None,
    };
    let left = counted.left.checked_sub(counted.left_again)?;
    // The end of the stream is the last that leaves.
    let end_not_left = u64::from(has_ended && counted.not_left > 0);
    let sent = (left + u64::from(counted.not_left)).checked_sub(end_not_left)?;
    let counted_too = counted.acknowledged + unacknowledged;
    let beginning = counted_too.checked_sub(sent + u64::from(has_ended))?;
    let received = counted.arrived.checked_sub(u64::from(is_ended_by_peer) + unread)?;
    let (socket, has_connected, quiet_ms) = (number, beginning == 1, counted.quiet_ms);
    let passed = Before { socket, has_connected, sent, received, unread, quiet_ms };
    (beginning <= 1).then_some(passed)
}

fn counted(socket: c_int) -> Option<Counted> {
    /// A kernel that writes less has no count of what has left.
    const LENGTH: usize = offset_of!(tcp_info, tcpi_bytes_retrans) + size_of::<u64>();
    // SAFETY: all zeros is a value of this type.
    let mut facts: tcp_info = unsafe { std::mem::zeroed() };
    let mut length = size_of::<tcp_info>() as socklen_t;
    // SAFETY: room for what is asked, and its length.
    let answer = unsafe {
        let (level, name) = (libc::IPPROTO_TCP, libc::TCP_INFO);
        libc::getsockopt(socket, level, name, (&raw mut facts).cast(), &raw mut length)
    };
    (answer == 0 && length as usize >= LENGTH).then_some(Counted {
        state: facts.tcpi_state,
        quiet_ms: facts.tcpi_last_data_recv,
        acknowledged: facts.tcpi_bytes_acked,
        arrived: facts.tcpi_bytes_received,
        left: facts.tcpi_bytes_sent,
        left_again: facts.tcpi_bytes_retrans,
        not_left: facts.tcpi_notsent_bytes,
    })
}

/// Whether another protocol of the kernel's lies between the program and TCP.
fn carries_other_bytes(socket: c_int) -> bool {
    let (mut name, mut length) = ([0u8; 16], 16 as socklen_t);
    let (level, option) = (libc::IPPROTO_TCP, libc::TCP_ULP);
    // SAFETY: room for the protocol's name, and its length.
    let answer = unsafe {
        libc::getsockopt(socket, level, option, name.as_mut_ptr().cast(), &raw mut length)
    };
    answer == 0 && length > 0
}

fn queued(socket: c_int, what: c_ulong) -> Option<u64> {
    let mut bytes: c_int = 0;
    // SAFETY: room for the int that is asked.
    let answer = unsafe { next::ioctl(socket, what as _, (&raw mut bytes).cast()) };
    if answer == 0 { u64::try_from(bytes).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{ErrorKind, Read, Write};
    use std::net::{Shutdown, TcpListener, TcpStream};
    use std::os::fd::AsRawFd;
    use std::time::{Duration, Instant};

    /// The end that connected, and the one that was accepted.
    fn connection() -> [TcpStream; 2] {
        next::look_all_up();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        [one, listener.accept().unwrap().0]
    }

    fn of_end(end: &TcpStream) -> [u64; 4] {
        let found = of(end.as_raw_fd(), 7).unwrap();
        [found.has_connected.into(), found.sent, found.received, found.unread]
    }

    /// What is on its way has come when the kernel says so.
    fn comes_to(end: &TcpStream, expected: [u64; 4]) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while of_end(end) != expected && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(of_end(end), expected);
    }

    #[test]
    fn bytes_are_counted_from_the_beginning_of_the_connection() {
        let [mut one, mut other] = connection();
        assert_eq!([&one, &other].map(of_end), [[1, 0, 0, 0], [0, 0, 0, 0]]);
        one.write_all(&[1; 100]).unwrap();
        comes_to(&other, [0, 0, 0, 100]);
        other.read_exact(&mut [0; 30]).unwrap();
        other.write_all(&[2; 77]).unwrap();
        comes_to(&one, [1, 100, 0, 77]);
        assert_eq!(of_end(&other), [0, 77, 30, 70]);
    }

    /// The socket is full at both ends: bytes that have not left, and bytes that are sent again to
    /// see whether there is room.
    #[test]
    fn bytes_on_their_way_count_as_sent_and_not_as_received() {
        let [mut one, mut other] = connection();
        one.set_nonblocking(true).unwrap();
        let mut sent = 0;
        let full = loop {
            match one.write(&[1; 100_000]) {
                Ok(bytes) => sent += bytes as u64,
                Err(error) => break error.kind(),
            }
        };
        assert_eq!(full, ErrorKind::WouldBlock);
        assert_eq!(of_end(&one), [1, sent, 0, 0]);
        std::thread::sleep(Duration::from_millis(700));
        assert_eq!(of_end(&one), [1, sent, 0, 0]);
        let mut got = vec![0; 1_000_000];
        other.read_exact(&mut got).unwrap();
        let found = of_end(&other);
        assert_eq!(
            (found[..3].to_vec(), found[3] <= sent - 1_000_000),
            (vec![0, 0, 1_000_000], true)
        );
        let mut rest = vec![0; sent as usize - got.len()];
        other.read_exact(&mut rest).unwrap();
        comes_to(&other, [0, 0, sent, 0]);
        assert_eq!(of_end(&one), [1, sent, 0, 0]);
    }

    #[test]
    fn the_end_of_a_stream_is_no_byte() {
        let [mut one, mut other] = connection();
        one.write_all(&[1; 9]).unwrap();
        one.shutdown(Shutdown::Write).unwrap();
        comes_to(&other, [0, 0, 0, 9]);
        assert_eq!(of_end(&one), [1, 9, 0, 0]);
        other.read_exact(&mut [0; 4]).unwrap();
        assert_eq!(of_end(&other), [0, 0, 4, 5]);
        let mut rest = Vec::new();
        other.read_to_end(&mut rest).unwrap();
        other.write_all(&[2; 5]).unwrap();
        comes_to(&one, [1, 9, 0, 5]);
        assert_eq!((rest.len(), of_end(&other)), (5, [0, 5, 9, 0]));
    }

    #[test]
    fn the_end_of_a_stream_that_has_not_left_is_no_byte_either() {
        let [mut one, other] = connection();
        one.set_nonblocking(true).unwrap();
        let mut sent = 0;
        while let Ok(bytes) = one.write(&[1; 100_000]) {
            sent += bytes as u64;
        }
        one.shutdown(Shutdown::Write).unwrap();
        assert_eq!(of_end(&one), [1, sent, 0, 0]);
        drop(other);
    }

    #[test]
    fn counts_that_contradict_each_other_say_nothing() {
        let fine =
            Counted { state: ESTABLISHED, acknowledged: 101, left: 100, ..Counted::default() };
        let passed_of = |counted: Counted| passed(7, &counted, (0, 0));
        assert!(passed_of(fine).unwrap().has_connected);
        assert_eq!(passed_of(Counted { left: 90, ..fine }), None);
        assert_eq!(passed_of(Counted { left: 102, ..fine }), None);
        assert_eq!(passed_of(Counted { left_again: 200, ..fine }), None);
        assert_eq!(passed(7, &fine, (1, 0)), None, "more lies there than has come");
        assert_eq!(passed_of(Counted { state: 2, ..fine }), None);
    }

    #[test]
    fn what_is_no_connection_has_no_origin() {
        next::look_all_up();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        assert_eq!(of(listener.as_raw_fd(), 7), None);
        assert_eq!(of(0, 7), None);
    }
}
