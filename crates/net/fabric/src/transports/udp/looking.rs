//! Looking at the sockets of an end: reading what has come, sending what is due, sleeping until
//! there is either.

use super::Endpoint;
use super::link::{Link, Reading};
use crate::error::FabricError;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::time::Duration;

/// Datagrams read in one go before something else is done.
const READS_MAX: u32 = 64;
/// With more peers than this, the kernel is asked which of them have something.
const ASKED_ONE_BY_ONE: usize = 2;

impl Endpoint {
    #[inline]
    pub(super) fn reading(&mut self, at: usize) -> (&mut Link, Reading<'_>) {
        let Endpoint { links, room, observer, report, .. } = self;
        (&mut links[at], Reading { room, observer, report })
    }

    /// Read what has come from one peer. `true`: something.
    #[inline]
    pub(super) fn read(&mut self, at: usize) -> bool {
        let (link, mut reading) = self.reading(at);
        let mut reads = 0;
        while reads < READS_MAX && link.read(&mut reading) {
            reads += 1;
        }
        reads > 0
    }

    /// Read from all peers until there is a message. `true`: something has come.
    #[inline]
    pub(super) fn read_some(&mut self) -> bool {
        if self.links.len() > ASKED_ONE_BY_ONE {
            return self.read_ready();
        }
        let mut something = false;
        for at in 0..self.links.len() {
            let (link, mut reading) = self.reading(at);
            while link.read(&mut reading) {
                something = true;
                if link.pair.has_next() {
                    break;
                }
            }
        }
        something
    }

    pub(super) fn read_ready(&mut self) -> bool {
        let mut sockets: Vec<PollFd<'_>> =
            self.links.iter().map(|link| PollFd::new(&link.wire.socket, PollFlags::IN)).collect();
        if !matches!(poll(&mut sockets, Some(&timespec(Duration::ZERO))), Ok(1..)) {
            return false;
        }
        let ready: Vec<bool> = sockets.iter().map(|socket| !socket.revents().is_empty()).collect();
        drop(sockets);
        let mut something = false;
        for at in (0..ready.len()).filter(|at| ready[*at]) {
            something |= self.read(at);
        }
        something
    }

    /// Send what should go now to one peer.
    #[inline]
    pub(super) fn serve(&mut self, at: usize, now: u64, idle: bool) {
        self.links[at].serve(now, idle, &mut self.out, &mut self.report);
    }

    #[inline]
    pub(super) fn serve_all(&mut self, now: u64, idle: bool) {
        for at in 0..self.links.len() {
            self.serve(at, now, idle);
        }
    }

    /// There is no room: see whether acknowledgements make some. `true`: there is now.
    #[cold]
    pub(super) fn make_room(&mut self, at: usize) -> bool {
        self.read(at);
        let now = self.observer.now();
        self.links[at].pair.found_no_room(now);
        self.serve(at, now, true);
        self.links[at].pair.has_room()
    }

    /// How long nothing has to be done if nothing comes.
    pub(super) fn until_deadline(&self) -> Duration {
        let deadline = self.links.iter().map(Link::deadline).min().unwrap_or(u64::MAX);
        let ticks = deadline.saturating_sub(self.observer.now());
        Duration::from_nanos(self.observer.conversion.ns(ticks))
    }

    /// Sleep until a socket has something, or for so long.
    pub(super) fn wait(&self, timeout: Duration) -> Result<(), FabricError> {
        let asked = |link: &Link| {
            if link.wire.is_backed_up() { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN }
        };
        let mut sockets: Vec<PollFd<'_>> =
            self.links.iter().map(|link| PollFd::new(&link.wire.socket, asked(link))).collect();
        match poll(&mut sockets, Some(&timespec(timeout))) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(FabricError::io("waiting for datagrams")(error.into())),
        }
    }
}

#[inline]
pub(super) fn timespec(time: Duration) -> Timespec {
    Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos() as _ }
}
