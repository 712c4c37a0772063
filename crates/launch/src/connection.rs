//! The coordinator's end of control connections: the door, and a thread that listens to each node.
//!
//! Every connection has a thread of its own from the first byte, so that a slow, foreign or hostile one delays nobody; the
//! threads sleep in blocking reads and cost nothing while nodes measure. What they hear goes to the launch as
//! [`Event`]s.

use crate::frame::{
    BODY_BYTES_MAX, Frame, FrameError, SMALL_BODY_BYTES_MAX, decode_body, read_frame, read_raw,
};
use crate::protocol::{Join, Message};
use clock::{Clock, Ticks};
use fabric::{Introduction, Purpose, Role, RunKey, Timed, authenticate};
use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::Duration;

/// How long a connection may take to prove who it is, and again to say what it wants.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// Connections that may be at the door at one time; more are hung up on.
const AT_THE_DOOR_MAX: usize = 64;
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

/// Lets connections in, or not.
pub(crate) struct Door {
    pub key: RunKey,
    pub clock: Clock,
    pub events: SyncSender<Event>,
    pub closing: AtomicBool,
    at_the_door: AtomicUsize,
    next_id: AtomicU64,
}

impl Door {
    pub fn new(key: RunKey, clock: Clock, events: SyncSender<Event>) -> Door {
        let (closing, at_the_door, next_id) = Default::default();
        Door { key, clock, events, closing, at_the_door, next_id }
    }

    /// Accept connections until the listener is shut down.
    pub fn keep(self: Arc<Door>, listener: &TcpListener) {
        loop {
            let accepted = listener.accept();
            if self.closing.load(Ordering::Acquire) {
                return;
            }
            match accepted {
                Ok((stream, peer)) => self.clone().admit(stream, peer),
                // No descriptors left, or a connection that was gone before it was accepted: neither is a reason
                // to stop listening, and the first would spin.
                Err(_) => thread::sleep(Duration::from_millis(20)),
            }
        }
    }

    fn admit(self: Arc<Door>, stream: TcpStream, peer: SocketAddr) {
        if self.at_the_door.fetch_add(1, Ordering::AcqRel) >= AT_THE_DOOR_MAX {
            self.at_the_door.fetch_sub(1, Ordering::AcqRel);
            return;
        }
        let door = self.clone();
        let spawned = thread::Builder::new().name("fourstamp-control".into()).spawn(move || {
            let met = door.meet(stream, peer);
            door.at_the_door.fetch_sub(1, Ordering::AcqRel);
            match met {
                Ok((stream, id)) => door.listen(stream, id),
                Err(reason) => door.tell(Event::Refused { reason }),
            }
        });
        if spawned.is_err() {
            // The connection was dropped with the closure.
            self.at_the_door.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Find out who it is and what it wants.
    fn meet(&self, mut stream: TcpStream, peer: SocketAddr) -> Result<(TcpStream, u64), String> {
        let ours = Introduction {
            role: Role::Server,
            purpose: Purpose::Control,
            node: Introduction::NO_NODE,
            session: 0,
        };
        authenticate(&mut stream, peer, &self.key, ours, HANDSHAKE).map_err(|error| error.to_string())?;
        let failed = |what: String| format!("{peer} did not join: {what}");
        prepare(&stream).map_err(|error| failed(error.to_string()))?;
        stream.set_timeouts(Some(HANDSHAKE)).map_err(|error| failed(error.to_string()))?;
        let join = match read_frame(&mut stream, SMALL_BODY_BYTES_MAX) {
            Ok(Frame::Message(Message::Join(join))) => join,
            Ok(_) => return Err(failed("it began with another message".into())),
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
        // Nobody listens any more: the coordinator is being dropped, and the connection goes with the event.
        let _ = self.events.send(event);
    }
}

/// Control messages must not wait for each other, and a peer whose machine vanished must be noticed.
pub(crate) fn prepare(stream: &TcpStream) -> std::io::Result<()> {
    use rustix::net::sockopt;
    stream.set_nodelay(true)?;
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, Duration::from_secs(10))?;
    sockopt::set_tcp_keepintvl(stream, Duration::from_secs(5))?;
    sockopt::set_tcp_keepcnt(stream, 3)?;
    Ok(())
}
