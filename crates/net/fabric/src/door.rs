//! A door: a listening socket that lets in only who proves to hold the run key, or one of several,
//! whoever else knocks.
//!
//! One thread looks after all that are at the door: none of them has a thread of its own or more
//! than [`HANDSHAKE`] before it has proved anything, and when there are [`AT_ONCE`] the oldest
//! makes room for the next. Those who are not let in are counted by kind; only the first of each
//! kind is told in words. The decisions are in `door/lobby.rs`, without sockets and clocks; here
//! are the sockets. The other side of this is [`reach`](crate::reach::reach), which comes again
//! when it was pushed out.

mod lobby;
mod strangers;

#[cfg(test)]
mod tests;

pub use strangers::{StrangerKind, Strangers};

use crate::handshake::{Introduction, Proved, Session};
use crate::key::RunKey;
use crate::key_ring::KeyRing;
use lobby::{Heard, Limits, Lobby, Refusal};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// Time for a handshake, which takes two round trips.
const HANDSHAKE: Duration = Duration::from_secs(2);
/// Handshakes at one time: few beside the usual 1,024 descriptors of a process.
const AT_ONCE: usize = 256;
/// Connections that the kernel may hold until they are accepted. As many as it allows: when there
/// is no more room, it lets the next one wait a second.
const BACKLOG: i32 = 4096;
/// Connections that are accepted before those at the door are heard again.
const ACCEPTED_IN_A_ROW: usize = 64;
/// How long nobody is accepted when the system has no descriptor or memory for a connection.
const REST: Duration = Duration::from_millis(20);

/// A listener that knows whom to let in.
pub struct Door {
    listener: TcpListener,
    lobby: Lobby<TcpStream>,
    rests_until: Option<Instant>,
}

/// Somebody who has proved who it is. Its stream blocks, and has no timeouts.
#[derive(Debug)]
pub struct Guest {
    /// The connection.
    pub stream: TcpStream,
    /// Where it comes from.
    pub peer: SocketAddr,
    /// What it proved.
    pub who: Introduction,
    /// The keys of the connection.
    pub session: Session,
    /// The run key that it holds.
    pub key: RunKey,
}

/// What happened at the door.
#[derive(Debug)]
pub enum Knock {
    /// Somebody is let in.
    Guest(Guest),
    /// Somebody is not, for the first time for this kind of reason. Later ones are only
    /// [counted](Door::strangers).
    Stranger(String),
}

impl Door {
    /// Open it. A guest must hold one of the keys; `ours` is what it must have come for.
    ///
    /// # Errors
    /// When the listener cannot be prepared.
    pub fn open(
        listener: TcpListener,
        keys: impl Into<KeyRing>,
        ours: Introduction,
    ) -> std::io::Result<Door> {
        listener.set_nonblocking(true)?;
        rustix::net::listen(&listener, BACKLOG)?;
        let limits = Limits { at_once: AT_ONCE, patience: HANDSHAKE };
        Ok(Door { listener, lobby: Lobby::new(keys.into(), ours, limits), rests_until: None })
    }

    /// Those who were not let in so far.
    pub fn strangers(&self) -> Strangers {
        self.lobby.counts()
    }

    /// Wait until something happens, at most so long (`None`: for ever), and do what is to be done.
    /// Whoever wants to wake it shuts the listener down.
    ///
    /// # Errors
    /// When the listener does not listen any more.
    pub fn attend(
        &mut self,
        at_most: Option<Duration>,
        tell: &mut dyn FnMut(Knock),
    ) -> std::io::Result<()> {
        let (knocking, speaking) = self.wait(at_most)?;
        // From behind, because whoever leaves lets the others move up.
        for place in speaking.into_iter().rev() {
            self.hear(place, tell);
        }
        if knocking {
            self.accept(tell)?;
        }
        let refusals = self.lobby.expire(Instant::now());
        refusals.into_iter().for_each(|refusal| say(refusal, tell));
        Ok(())
    }

    /// Whether somebody knocks, and which of those here have something to say.
    fn wait(&mut self, at_most: Option<Duration>) -> std::io::Result<(bool, Vec<usize>)> {
        let now = Instant::now();
        let left = |then: Instant| then.saturating_duration_since(now);
        let rest = self.rests_until.map(left).filter(|rest| !rest.is_zero());
        let patience =
            [at_most, self.lobby.next_deadline().map(left), rest].into_iter().flatten().min();
        let timeout = patience.and_then(|patience| Timespec::try_from(patience).ok());
        let mut watched: Vec<_> =
            self.lobby.connections().map(|stream| PollFd::new(stream, PollFlags::IN)).collect();
        if rest.is_none() {
            watched.push(PollFd::new(&self.listener, PollFlags::IN));
        }
        match poll(&mut watched, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let ready = |fd: &PollFd<'_>| !fd.revents().is_empty();
        let (strangers, listener) = watched.split_at(self.lobby.len());
        let speaking =
            strangers.iter().enumerate().filter(|(_, fd)| ready(fd)).map(|(place, _)| place);
        Ok((listener.iter().any(ready), speaking.collect()))
    }

    fn accept(&mut self, tell: &mut dyn FnMut(Knock)) -> std::io::Result<()> {
        for _ in 0..ACCEPTED_IN_A_ROW {
            match self.listener.accept() {
                Ok((stream, peer)) => self.meet(stream, peer, tell),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if is_final(&error) => return Err(error),
                Err(error) if is_want(&error) => {
                    // Strangers hold what is wanting, or somebody else does: then only time helps.
                    (0..self.lobby.len().div_ceil(2))
                        .filter_map(|_| self.lobby.crowd_out())
                        .collect::<Vec<_>>()
                        .into_iter()
                        .for_each(|refusal| say(refusal, tell));
                    self.rests_until = Some(Instant::now() + REST);
                    return Ok(());
                }
                // It was gone before it was accepted (accept(2) passes on errors of the connection
                // itself).
                Err(_) => {}
            }
        }
        Ok(())
    }

    fn meet(&mut self, stream: TcpStream, peer: SocketAddr, tell: &mut dyn FnMut(Knock)) {
        if stream.set_nonblocking(true).is_err() {
            return;
        }
        let crowded = self.lobby.enter(stream, peer, Instant::now());
        crowded.into_iter().for_each(|refusal| say(refusal, tell));
        // Most peers say who they are at once.
        if let Some(last) = self.lobby.len().checked_sub(1) {
            self.hear(last, tell);
        }
    }

    /// Read what the stranger at `place` has said.
    fn hear(&mut self, place: usize, tell: &mut dyn FnMut(Knock)) {
        let mut buffer = [0; 128];
        let (stream, wants) = self.lobby.listen(place);
        let room = wants.min(buffer.len());
        let count = match stream.read(&mut buffer[..room]) {
            Ok(count) if count > 0 => count,
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) =>
            {
                return;
            }
            Ok(_) | Err(_) => return say(self.lobby.hang_up(place), tell),
        };
        match self.lobby.hear(place, &buffer[..count]) {
            Heard::Waits(words) => {
                // There is room for so few bytes in a new connection, unless it is gone.
                let (stream, _) = self.lobby.listen(place);
                if !matches!(stream.write(&words), Ok(written) if written == words.len()) {
                    say(self.lobby.hang_up(place), tell);
                }
            }
            Heard::Proved { connection: mut stream, peer, proved, say } => {
                let told = stream.set_nonblocking(false).and_then(|()| stream.write_all(&say));
                if told.is_ok() {
                    let Proved { who, session, key } = *proved;
                    tell(Knock::Guest(Guest { stream, peer, who, session, key }));
                }
            }
            Heard::Refused { mut connection, refusal, say: words } => {
                let _ = connection.write(&words);
                say(refusal, tell);
            }
        }
    }
}

fn say(refusal: Refusal, tell: &mut dyn FnMut(Knock)) {
    if refusal.is_first {
        tell(Knock::Stranger(refusal.reason.to_string()));
    }
}

/// Whether the socket is none that listens: it was shut down.
fn is_final(error: &std::io::Error) -> bool {
    [Errno::INVAL, Errno::BADF, Errno::NOTSOCK].iter().any(|errno| is(error, *errno))
}

/// Whether the system lacks something that may come back.
fn is_want(error: &std::io::Error) -> bool {
    [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM].iter().any(|errno| is(error, *errno))
}

fn is(error: &std::io::Error, errno: Errno) -> bool {
    error.raw_os_error() == Some(errno.raw_os_error())
}
