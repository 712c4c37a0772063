//! The kernel's receive stamps, and what they mean on this node's clock.
//!
//! With SO_TIMESTAMPING the kernel notes when a segment (or a datagram) reached its network layer,
//! and a read returns the note of the last segment it touched, in nanoseconds of `CLOCK_REALTIME`
//! (Documentation/networking/timestamping.rst). On loopback that is within the sender's system
//! call. std and rustix do not offer the ancillary data, hence the system calls here.

use clock::Clock;
use rustix::time::{ClockId, clock_gettime};
use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::AsRawFd;
use std::ptr;

/// A comparison of the clocks serves for so long.
const ANCHOR_NS: i64 = 10_000_000;
/// Less time than this between two comparisons does not tell the rate.
const RATE_NS: i64 = 1_000_000;

/// What one read brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Received {
    /// Bytes; zero at the end of the stream.
    pub bytes: usize,
    /// The kernel's stamp of the last segment, ns of `CLOCK_REALTIME`.
    pub stamp_ns: Option<u64>,
}

/// Ask for stamps. An error: this kernel has none.
pub(crate) fn enable(stream: &impl AsRawFd) -> io::Result<()> {
    ask(stream, libc::SOF_TIMESTAMPING_RX_SOFTWARE | libc::SOF_TIMESTAMPING_SOFTWARE)
}

fn ask(stream: &impl AsRawFd, flags: libc::c_uint) -> io::Result<()> {
    // SAFETY: the option's value is a c_uint that lives across the call, given with its size.
    let result = unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPING,
            ptr::from_ref(&flags).cast(),
            size_of::<libc::c_uint>() as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// As on a kernel without stamps.
#[cfg(test)]
pub(crate) fn disable(stream: &impl AsRawFd) -> io::Result<()> {
    ask(stream, 0)
}

/// Read into `room`, with the stamp. `wait`: as long as the socket's time-out allows, else not at
/// all.
#[inline]
pub(crate) fn receive(stream: &impl AsRawFd, room: &mut [u8], wait: bool) -> io::Result<Received> {
    // Room for one SCM_TIMESTAMPING (three timespecs) and more, aligned for a cmsghdr.
    let mut control = [MaybeUninit::<u64>::uninit(); 16];
    let mut part = libc::iovec { iov_base: room.as_mut_ptr().cast(), iov_len: room.len() };
    // SAFETY: a msghdr of zeros is valid: no address, no parts, no control data.
    let mut message: libc::msghdr = unsafe { MaybeUninit::zeroed().assume_init() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of_val(&control) as _;
    let flags = if wait { 0 } else { libc::MSG_DONTWAIT };
    // SAFETY: the message points to the caller's buffer and to `control`, each with its length;
    // both outlive the call.
    let bytes = unsafe { libc::recvmsg(stream.as_raw_fd(), &raw mut message, flags) };
    if bytes < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(Received { bytes: bytes as usize, stamp_ns: stamp_of(&message) })
}

/// The stamp among the ancillary data of a message that recvmsg has filled in.
#[inline]
fn stamp_of(message: &libc::msghdr) -> Option<u64> {
    // SAFETY: recvmsg has set the control pointer and length to the messages it wrote.
    let mut header = unsafe { libc::CMSG_FIRSTHDR(message) };
    while !header.is_null() {
        // SAFETY: CMSG_FIRSTHDR and CMSG_NXTHDR give null or a whole header within the control
        // buffer.
        let (level, kind, len) =
            unsafe { ((*header).cmsg_level, (*header).cmsg_type, (*header).cmsg_len as usize) };
        // SAFETY: CMSG_LEN only computes.
        let enough =
            len >= unsafe { libc::CMSG_LEN(size_of::<[libc::timespec; 3]>() as u32) } as usize;
        if level == libc::SOL_SOCKET && kind == libc::SCM_TIMESTAMPING && enough {
            // SAFETY: the length says that three timespecs follow the header. They need not be
            // aligned.
            let [software, ..] =
                unsafe { libc::CMSG_DATA(header).cast::<[libc::timespec; 3]>().read_unaligned() };
            let ns = software.tv_sec as u64 * 1_000_000_000 + software.tv_nsec as u64;
            return (ns != 0).then_some(ns);
        }
        // SAFETY: `header` came from the same message.
        header = unsafe { libc::CMSG_NXTHDR(message, header) };
    }
    None
}

/// Converts between `CLOCK_REALTIME` and this node's ticks, roughly: for the queue gauge and for
/// bounds. What is recorded is put on the timeline by the clock model when the run is closed.
pub(crate) struct Conversion {
    clock: Clock,
    first: Pair,
    last: Pair,
    ns_per_tick: f64,
}

#[derive(Clone, Copy)]
struct Pair {
    ticks: u64,
    realtime_ns: i64,
}

impl Conversion {
    /// `ns_per_tick`: a first guess, corrected as time passes.
    pub fn new(clock: Clock, ns_per_tick: f64) -> Conversion {
        let first = read_both(&clock);
        Conversion { clock, first, last: first, ns_per_tick }
    }

    /// A kernel stamp in this node's ticks. Compares the clocks anew when the last comparison is
    /// too old for it.
    #[inline]
    pub fn ticks(&mut self, realtime_ns: u64) -> u64 {
        let mut since = realtime_ns as i64 - self.last.realtime_ns;
        if since > ANCHOR_NS {
            self.compare();
            since = realtime_ns as i64 - self.last.realtime_ns;
        }
        self.last.ticks.wrapping_add_signed((since as f64 / self.ns_per_tick) as i64)
    }

    /// This node's ticks as nanoseconds of `CLOCK_REALTIME`.
    pub fn realtime_ns(&mut self, ticks: u64) -> u64 {
        let mut since = ticks.wrapping_sub(self.last.ticks) as i64;
        if since as f64 * self.ns_per_tick > ANCHOR_NS as f64 {
            self.compare();
            since = ticks.wrapping_sub(self.last.ticks) as i64;
        }
        self.last.realtime_ns.wrapping_add((since as f64 * self.ns_per_tick) as i64) as u64
    }

    /// Nanoseconds that so many ticks last.
    pub fn ns(&self, ticks: u64) -> u64 {
        (ticks as f64 * self.ns_per_tick) as u64
    }

    /// Compare the clocks, and learn the rate from all the time since the first comparison.
    #[cold]
    pub fn compare(&mut self) {
        self.last = read_both(&self.clock);
        let ticks = self.last.ticks.wrapping_sub(self.first.ticks) as i64;
        if ticks > 0 && self.last.realtime_ns - self.first.realtime_ns > RATE_NS {
            self.ns_per_tick =
                (self.last.realtime_ns - self.first.realtime_ns) as f64 / ticks as f64;
        }
    }
}

/// The tightest of three tries: one may be interrupted between its reads.
fn read_both(clock: &Clock) -> Pair {
    let one = || {
        let before = clock.now().0;
        let realtime = clock_gettime(ClockId::Realtime);
        let width = clock.now().0.wrapping_sub(before);
        let realtime_ns = realtime.tv_sec * 1_000_000_000 + realtime.tv_nsec as i64;
        (width, Pair { ticks: before.wrapping_add(width / 2), realtime_ns })
    };
    let tries = [one(), one(), one()];
    let best = tries.into_iter().min_by_key(|(width, _)| *width);
    best.map_or(tries[0].1, |(_, pair)| pair)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    use std::time::Duration;

    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        client.set_nodelay(true).unwrap();
        let server = listener.accept().unwrap().0;
        enable(&server).expect("kernel receive stamps");
        (client, server)
    }

    fn realtime_ns() -> u64 {
        let now = clock_gettime(ClockId::Realtime);
        now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
    }

    /// Write `count` messages of eight bytes a millisecond apart, then read once. The wall times
    /// are those around the last write. The first second may be without stamps: the kernel begins
    /// to take them in the background.
    fn one_read_of(count: usize) -> (Received, u64, u64) {
        let (mut client, server) = pair();
        let mut buffer = [0; 4096];
        for _ in 0..100 {
            client.write_all(b"warm-up!").unwrap();
            std::thread::sleep(Duration::from_millis(2));
            if receive(&server, &mut buffer, true).unwrap().stamp_ns.is_some() {
                break;
            }
        }
        let (mut before, mut after) = (0, 0);
        for _ in 0..count {
            std::thread::sleep(Duration::from_millis(1));
            before = realtime_ns();
            client.write_all(b"8 bytes!").unwrap();
            after = realtime_ns();
        }
        std::thread::sleep(Duration::from_millis(5));
        (receive(&server, &mut buffer, false).unwrap(), before, after)
    }

    #[test]
    fn a_read_of_one_message_tells_when_it_came() {
        let (received, before, after) = one_read_of(1);
        let stamp = received.stamp_ns.expect("a stamp");
        assert_eq!(received.bytes, 8);
        assert!((before..=after).contains(&stamp), "{before} {stamp} {after}");
    }

    /// What `inbox.rs` builds on: of several messages in one read, the stamp is the last one's.
    #[test]
    fn a_read_of_several_messages_tells_when_the_last_came() {
        let (received, before, after) = one_read_of(5);
        let stamp = received.stamp_ns.expect("a stamp");
        assert_eq!(received.bytes, 40);
        assert!((before..=after).contains(&stamp), "{before} {stamp} {after}");
    }

    #[test]
    fn ticks_and_realtime_convert_both_ways() {
        let clock = Clock::system();
        let mut conversion = Conversion::new(clock, 1.0);
        std::thread::sleep(Duration::from_millis(25));
        let (ticks, now) = (clock.now().0, realtime_ns());
        assert!(conversion.ticks(now).abs_diff(ticks) < 2_000_000);
        assert!(conversion.realtime_ns(ticks).abs_diff(now) < 2_000_000);
    }

    #[test]
    fn an_empty_socket_says_so() {
        let (_client, server) = pair();
        let error = receive(&server, &mut [0; 8], false).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
    }
}
