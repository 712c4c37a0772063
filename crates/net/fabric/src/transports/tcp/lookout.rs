//! Waiting for several connections at once: which can be read, which can be written.
//!
//! Level-triggered: what was not read to its end is reported again, so a look costs one call, and
//! one read for each connection that has something. A connection is asked about writing only while
//! something waits to be written.

use rustix::event::{PollFd, PollFlags, Timespec, epoll, poll};
use std::io;
use std::mem::MaybeUninit;
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::time::Duration;

/// Events taken in one call; the rest comes with the next.
const EVENTS_MAX: usize = 64;

/// Watches over connections, which it knows by number.
pub(super) struct Lookout {
    epoll: OwnedFd,
    asked: Vec<Asked>,
    ready: Vec<usize>,
}

/// What is asked about a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    pub reading: bool,
    pub writing: bool,
}

impl Asked {
    fn flags(self) -> epoll::EventFlags {
        let mut flags = epoll::EventFlags::empty();
        flags.set(epoll::EventFlags::IN, self.reading);
        flags.set(epoll::EventFlags::OUT, self.writing);
        flags
    }

    fn poll_flags(self) -> PollFlags {
        let mut flags = PollFlags::empty();
        flags.set(PollFlags::IN, self.reading);
        flags.set(PollFlags::OUT, self.writing);
        flags
    }
}

impl Lookout {
    pub fn new(connections: usize) -> io::Result<Lookout> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let asked = vec![Asked::default(); connections];
        Ok(Lookout { epoll, asked, ready: Vec::with_capacity(EVENTS_MAX) })
    }

    /// Ask about a connection from now on. Nothing happens if it is asked about in that way
    /// already.
    #[inline]
    pub fn ask(&mut self, at: usize, stream: &TcpStream, now: Asked) -> io::Result<()> {
        let before = self.asked[at];
        if before == now {
            return Ok(());
        }
        self.asked[at] = now;
        let data = epoll::EventData::new_u64(at as u64);
        let nothing = Asked::default();
        // A connection that is at its end is reported always, even if nothing is asked: so it is
        // taken out.
        match (before == nothing, now == nothing) {
            (_, true) => epoll::delete(&self.epoll, stream)?,
            (true, false) => epoll::add(&self.epoll, stream, data, now.flags())?,
            (false, false) => epoll::modify(&self.epoll, stream, data, now.flags())?,
        }
        Ok(())
    }

    /// Wait for at most `timeout`; the connections that have something.
    #[inline]
    pub fn look(&mut self, timeout: Duration) -> io::Result<&[usize]> {
        self.ready.clear();
        let millisecond = Duration::from_millis(1);
        if timeout > Duration::ZERO && timeout < millisecond {
            // epoll_wait counts in whole milliseconds.
            wait_for(&mut [PollFd::new(&self.epoll, PollFlags::IN)], timeout)?;
        }
        let timeout = if timeout < millisecond { Duration::ZERO } else { timeout };
        let mut events = [MaybeUninit::uninit(); EVENTS_MAX];
        match epoll::wait(&self.epoll, &mut events, Some(&timespec(timeout))) {
            Ok((events, _)) => {
                self.ready.extend(events.iter().map(|event| event.data.u64() as usize))
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(&self.ready)
    }
}

/// Wait for one connection, for at most `timeout`.
pub(super) fn wait_for_one(stream: &TcpStream, asked: Asked, timeout: Duration) -> io::Result<()> {
    if asked == Asked::default() {
        std::thread::sleep(timeout);
        return Ok(());
    }
    wait_for(&mut [PollFd::new(stream, asked.poll_flags())], timeout)
}

fn wait_for(fds: &mut [PollFd<'_>], timeout: Duration) -> io::Result<()> {
    match poll(fds, Some(&timespec(timeout))) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[inline]
fn timespec(time: Duration) -> Timespec {
    Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos() as _ }
}
