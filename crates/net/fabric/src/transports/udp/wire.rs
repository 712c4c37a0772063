//! A pair's socket, with the faults that are put in before it.

use super::faults::Faults;
use crate::transports::sockets::stamp::{self, Received};
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::UdpSocket;

/// Where a pair's datagrams go out and come in.
pub(super) struct Wire {
    pub socket: UdpSocket,
    faults: Option<Faults>,
    /// What the kernel had no room for. Nothing is added while there is something, but what faults
    /// let go.
    backlog: VecDeque<Vec<u8>>,
    /// Why nothing can be sent any more.
    pub broken: Option<io::Error>,
}

impl Wire {
    pub fn new(socket: UdpSocket, faults: Option<Faults>) -> Wire {
        Wire { socket, faults, backlog: VecDeque::new(), broken: None }
    }

    /// Whether something waits for the kernel.
    pub fn is_backed_up(&self) -> bool {
        !self.backlog.is_empty()
    }

    /// Send what waits. `true`: nothing waits any more.
    #[inline]
    pub fn write(&mut self) -> bool {
        while let Some(datagram) = self.backlog.front() {
            match self.socket.send(datagram) {
                Err(error) if is_full(&error) => return false,
                result => self.broken = hard(result).or(self.broken.take()),
            }
            self.backlog.pop_front();
        }
        true
    }

    /// Send a datagram, or what becomes of it.
    #[inline]
    pub fn send(&mut self, now: u64, datagram: &[u8]) {
        let Wire { socket, faults, backlog, broken } = self;
        let mut out = |datagram: &[u8]| put(socket, backlog, broken, datagram);
        match faults {
            Some(faults) => faults.pass(now, datagram, &mut out),
            None => out(datagram),
        }
    }

    /// Let go what faults have held back long enough.
    #[inline]
    pub fn due(&mut self, now: u64) {
        let Wire { socket, faults, backlog, broken } = self;
        if let Some(faults) = faults {
            faults.due(now, &mut |datagram: &[u8]| put(socket, backlog, broken, datagram));
        }
    }

    /// When something that is held back goes.
    pub fn deadline(&self) -> u64 {
        self.faults.as_ref().map_or(u64::MAX, Faults::deadline)
    }

    /// Datagrams that faults swallowed.
    pub fn swallowed(&self) -> u64 {
        self.faults.as_ref().map_or(0, |faults| faults.lost)
    }

    /// The next datagram, if one is here.
    #[inline]
    pub fn receive(&self, room: &mut [u8]) -> io::Result<Option<Received>> {
        match stamp::receive(&self.socket, room, false) {
            Ok(received) => Ok(Some(received)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            // Interrupted; or nobody listened where an earlier datagram went, which the lifeline
            // tells better.
            Err(error) if is_nothing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn put(
    socket: &UdpSocket,
    backlog: &mut VecDeque<Vec<u8>>,
    broken: &mut Option<io::Error>,
    datagram: &[u8],
) {
    if backlog.is_empty() {
        match socket.send(datagram) {
            Err(error) if is_full(&error) => {}
            result => return *broken = hard(result).or(broken.take()),
        }
    }
    backlog.push_back(datagram.to_vec());
}

fn is_full(error: &io::Error) -> bool {
    error.kind() == ErrorKind::WouldBlock || error.raw_os_error() == Some(libc::ENOBUFS)
}

fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::ConnectionRefused)
}

fn hard(result: io::Result<usize>) -> Option<io::Error> {
    result.err().filter(|error| !is_nothing(error))
}
