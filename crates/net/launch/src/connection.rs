//! The coordinator's end of control connections: a thread at the door, and one that listens to each
//! node.
//!
//! Strangers all have the one thread at the door ([`fabric::Door`]). A connection that has proved
//! to hold the key gets a thread of its own, so that a slow one delays nobody; the threads sleep in
//! blocking reads and cost nothing while nodes measure. What they hear goes to the launch as
//! [`Event`]s.

use crate::frame::{
    BODY_BYTES_MAX, Frame, FrameError, SMALL_BODY_BYTES_MAX, decode_body, read_frame, read_raw,
};
use crate::protocol::{Join, Message};
use clock::{Clock, Ticks};
use fabric::{Door, Guest, Introduction, Knock, Purpose, Role, Strangers, Timed};
use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// What whoever connects must have come for.
pub(crate) const OURS: Introduction = Introduction {
    role: Role::Server,
    purpose: Purpose::Control,
    node: Introduction::NO_NODE,
    session: 0,
};
/// How long a process that has proved who it is may take to say what it wants.
const JOIN: Duration = Duration::from_secs(5);
/// How long what was sent may stay untaken before the connection counts as lost: long enough for a
/// coordinator that was stopped for a moment.
const UNTAKEN: Duration = Duration::from_secs(60);
/// How long a node's process may refuse to take a control message.
const SEND: Duration = Duration::from_secs(5);

/// What the coordinator hears.
pub(crate) enum Event {
    /// Somebody was not let in.
    Refused { reason: String },
    /// A node process wants to take part.
    Joined { connection: Connection, join: Join },
    /// A node process says something. The stamp was taken when it had come, before it was decoded.
    Heard { from: u64, frame: Frame, received: Ticks },
    /// A connection has ended.
    Closed { from: u64, error: FrameError },
}

/// The sending half of a control connection. Dropping it closes both.
pub(crate) struct Connection {
    pub id: u64,
    pub peer: SocketAddr,
    stream: TcpStream,
}

impl Connection {
    pub fn send(&mut self, frame: &Frame) -> Result<(), FrameError> {
        let bytes = frame.encode()?;
        self.stream.write_all(&bytes).map_err(|source| FrameError::Io { source })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Wakes the thread that reads; fails only if the other side was faster.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// Where those who are let in are heard.
pub(crate) struct Reception {
    pub clock: Clock,
    pub events: SyncSender<Event>,
    pub closing: AtomicBool,
    strangers: Mutex<Strangers>,
    next_id: AtomicU64,
}

impl Reception {
    pub fn new(clock: Clock, events: SyncSender<Event>) -> Reception {
        let (closing, strangers, next_id) = Default::default();
        Reception { clock, events, closing, strangers, next_id }
    }

    /// Those who were not let in so far.
    pub fn strangers(&self) -> Strangers {
        *self.counted()
    }

    /// Let connections in until the listener is shut down.
    pub fn keep(self: Arc<Reception>, mut door: Door) {
        while !self.closing.load(Ordering::Acquire) {
            let attended = door.attend(None, &mut |knock| match knock {
                Knock::Guest(guest) => self.clone().admit(guest),
                Knock::Stranger(reason) => self.tell(Event::Refused { reason }),
            });
            *self.counted() = door.strangers();
            if attended.is_err() {
                return;
            }
        }
    }

    fn counted(&self) -> MutexGuard<'_, Strangers> {
        // Only ever replaced as a whole.
        self.strangers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn admit(self: Arc<Reception>, guest: Guest) {
        let (reception, peer) = (self.clone(), guest.peer);
        let spawned =
            thread::Builder::new().name("fourstamp-control".into()).spawn(move || match reception
                .meet(guest.stream, guest.peer)
            {
                Ok((stream, id)) => reception.listen(stream, id),
                Err(reason) => reception.tell(Event::Refused { reason }),
            });
        if let Err(error) = spawned {
            // Its connection has gone with the closure.
            self.tell(Event::Refused {
                reason: format!("cannot start a thread that listens to {peer}: {error}"),
            });
        }
    }

    /// Find out what it wants.
    fn meet(&self, mut stream: TcpStream, peer: SocketAddr) -> Result<(TcpStream, u64), String> {
        let failed = |what: String| format!("{peer} did not join: {what}");
        prepare(&stream).map_err(|error| failed(error.to_string()))?;
        stream.set_timeouts(Some(JOIN)).map_err(|error| failed(error.to_string()))?;
        let join = match read_frame(&mut stream, SMALL_BODY_BYTES_MAX) {
            Ok(Frame::Message(Message::Join(join))) => join,
            Ok(_) => return Err(failed("it began with an unexpected message".into())),
            Err(error) => return Err(failed(error.to_string())),
        };
        let sender = stream.try_clone().map_err(|error| failed(error.to_string()))?;
        stream.set_read_timeout(None).map_err(|error| failed(error.to_string()))?;
        stream.set_write_timeout(Some(SEND)).map_err(|error| failed(error.to_string()))?;
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        self.tell(Event::Joined { connection: Connection { id, peer, stream: sender }, join });
        Ok((stream, id))
    }

    fn listen(&self, mut stream: TcpStream, from: u64) {
        loop {
            let heard = read_raw(&mut stream, BODY_BYTES_MAX);
            let received = self.clock.now();
            match heard.and_then(|(kind, body)| decode_body(kind, &body)) {
                Ok(frame) => self.tell(Event::Heard { from, frame, received }),
                Err(error) => return self.tell(Event::Closed { from, error }),
            }
        }
    }

    fn tell(&self, event: Event) {
        // Nobody listens any more: the coordinator is being dropped, and the connection goes with
        // the event.
        let _ = self.events.send(event);
    }
}

/// Control messages must not wait for each other, and a peer whose machine vanished must be
/// noticed.
pub(crate) fn prepare(stream: &TcpStream) -> std::io::Result<()> {
    use rustix::net::sockopt;
    stream.set_nodelay(true)?;
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, Duration::from_secs(10))?;
    sockopt::set_tcp_keepintvl(stream, Duration::from_secs(5))?;
    sockopt::set_tcp_keepcnt(stream, 3)?;
    // The same where something is on its way, as parts of logs are: keepalive then rests.
    sockopt::set_tcp_user_timeout(stream, UNTAKEN.as_millis() as u32)?;
    Ok(())
}
