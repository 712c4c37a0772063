//! Who is there: both ends of a connection prove that they hold the run key, without sending it.
//!
//! ```text
//! client                                        server
//!   head, Noise e (who I am)        ─────►            the server knows that the client had the key
//!                                   ◄─────  head, Noise e, ee (who I am)
//!   sealed nothing                  ─────►            it is the client, and no recording of it
//!                                   ◄─────  sealed nothing: come in
//! ```
//!
//! The run key is the pre-shared key of Noise's pattern NNpsk0 ([`session`]): who does not hold it
//! makes no message that opens, and is refused before anything costly was computed. A server may
//! accept several keys ([`KeyRing`]): it tries each of them on the hello, and one that does not
//! open it costs a few hashes. The heads
//! (protocol version, roles) are in its prologue, and who each end is (purpose, node number,
//! session) is sealed: so what was proved on one connection is worth nothing on another (the other
//! side's ephemeral key is new), in the other direction, or for another node, purpose or run. The
//! server proves nothing before the client has shown the key; a recording of a client gets as far
//! as the server's answer, which it cannot read.
//!
//! [`Handshake`] is the protocol on bytes, without sockets or clocks; [`authenticate`] drives one
//! over a socket within a deadline. What follows is encrypted only where somebody uses the
//! [`Session`] that comes out of it: whoever can alter packets on the way is not kept out of the
//! rest, which is why listeners bind to loopback unless told otherwise.

use crate::key::RunKey;
use crate::key_ring::KeyRing;
use snow::HandshakeState;
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

mod error;
mod hello;
mod session;

pub use error::HandshakeError;
use hello::{HEAD_BYTES, HELLO_BYTES, INTRODUCTION_BYTES};
pub use hello::{Introduction, Purpose, Role};
pub use session::{Session, Unopened};

/// A sealed message without contents.
const PROOF_BYTES: usize = Session::SEAL_BYTES;

/// A stream whose reads and writes can be made to give up.
pub trait Timed: Read + Write {
    /// Let every read and write fail after this time; `None` for never.
    fn set_timeouts(&self, timeout: Option<Duration>) -> std::io::Result<()>;
}

impl Timed for TcpStream {
    fn set_timeouts(&self, timeout: Option<Duration>) -> std::io::Result<()> {
        self.set_read_timeout(timeout)?;
        self.set_write_timeout(timeout)
    }
}

impl Timed for UnixStream {
    fn set_timeouts(&self, timeout: Option<Duration>) -> std::io::Result<()> {
        self.set_read_timeout(timeout)?;
        self.set_write_timeout(timeout)
    }
}

/// Somebody who has proved who it is.
#[derive(Debug)]
pub struct Proved {
    /// What it said of itself.
    pub who: Introduction,
    /// The keys of the connection to it.
    pub session: Session,
    /// The run key that both ends hold.
    pub key: RunKey,
}

/// Carry out the handshake over a blocking stream to `peer` (its address, for errors) and say who
/// is there. It is over within `deadline`, whatever the peer does; the stream has no timeouts
/// afterwards. Not a byte beyond the handshake is read.
pub fn authenticate<S: Timed>(
    stream: &mut S,
    peer: impl fmt::Display,
    key: &RunKey,
    ours: Introduction,
    deadline: Duration,
) -> Result<Proved, HandshakeError> {
    let handshake = Handshake::new(key, ours, peer.to_string())?;
    let proved = drive(stream, handshake, deadline)?;
    stream
        .set_timeouts(None)
        .map_err(|source| HandshakeError::Io { peer: peer.to_string(), source })?;
    Ok(proved)
}

/// The handshake as a state machine: bytes in, bytes out.
pub struct Handshake {
    keys: KeyRing,
    ours: Introduction,
    peer: String,
    state: State,
    inbox: Vec<u8>,
    outbox: Vec<u8>,
    /// The client's ephemeral key, to know it when it comes back.
    said: Vec<u8>,
    /// A test's.
    ephemeral: Option<[u8; 32]>,
}

enum State {
    /// Waiting for the peer's hello; a client has said its own. A server computes nothing before
    /// it has heard a whole one, so that those who flood it cost it nothing.
    Hello(Option<Begun>),
    /// Waiting for the proof that the peer has understood ours.
    Proof(Box<Proved>),
    Done(Box<Proved>),
    Failed,
}

/// An agreement under one of the keys.
struct Begun {
    noise: Box<HandshakeState>,
    key: RunKey,
}

impl Begun {
    fn new(
        key: &RunKey,
        role: Role,
        ephemeral: Option<&[u8; 32]>,
    ) -> Result<Begun, HandshakeError> {
        Ok(Begun { noise: session::begin(key, role, ephemeral)?, key: key.clone() })
    }

    /// What the other end says of itself in this message, if the key opens it.
    fn open(&mut self, message: &[u8]) -> Option<[u8; INTRODUCTION_BYTES]> {
        let mut words = [0; INTRODUCTION_BYTES];
        let opened = self.noise.read_message(message, &mut words) == Ok(INTRODUCTION_BYTES);
        opened.then_some(words)
    }
}

impl Handshake {
    /// Begin. A server accepts any of the keys; a client shows the first. `peer` is an address that
    /// errors name.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn new(
        keys: impl Into<KeyRing>,
        ours: Introduction,
        peer: String,
    ) -> Result<Handshake, HandshakeError> {
        Handshake::with(keys, ours, peer, None)
    }

    fn with(
        keys: impl Into<KeyRing>,
        ours: Introduction,
        peer: String,
        ephemeral: Option<&[u8; 32]>,
    ) -> Result<Handshake, HandshakeError> {
        let (keys, mut begun, mut outbox) = (keys.into(), None::<Begun>, Vec::new());
        // A server says nothing until it has seen a hello: a port scan learns nothing.
        if ours.role == Role::Client {
            let begun = begun.insert(Begun::new(&keys.now()[0], ours.role, ephemeral)?);
            outbox = hello(&mut begun.noise, &ours)?;
        }
        let said = outbox.get(HEAD_BYTES..HEAD_BYTES + 32).unwrap_or_default().to_vec();
        let (state, inbox, ephemeral) = (State::Hello(begun), Vec::new(), ephemeral.copied());
        Ok(Handshake { keys, ours, peer, state, inbox, outbox, said, ephemeral })
    }

    /// How many bytes more it can use now; 0 when it is over.
    pub fn wants(&self) -> usize {
        let whole = match self.state {
            State::Hello(_) => HELLO_BYTES,
            State::Proof(_) => PROOF_BYTES,
            State::Done(_) | State::Failed => 0,
        };
        whole.saturating_sub(self.inbox.len())
    }

    /// Take bytes from the peer, at most [`wants`](Self::wants) of them, and say how many were
    /// taken. After an error the handshake is over; what is then [`outgoing`](Self::outgoing) tells
    /// the peer so.
    pub fn receive(&mut self, bytes: &[u8]) -> Result<usize, HandshakeError> {
        let taken = bytes.len().min(self.wants());
        self.inbox.extend_from_slice(&bytes[..taken]);
        self.advance().inspect_err(|_| self.state = State::Failed)?;
        Ok(taken)
    }

    /// What is to be sent to the peer now.
    pub fn outgoing(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.outbox)
    }

    /// Who the peer is, once it has proved it.
    pub fn finished(&self) -> Option<Introduction> {
        match &self.state {
            State::Done(proved) => Some(proved.who),
            _ => None,
        }
    }

    /// The same with the keys of the connection.
    pub fn into_proved(self) -> Option<Proved> {
        match self.state {
            State::Done(proved) => Some(*proved),
            _ => None,
        }
    }

    fn advance(&mut self) -> Result<(), HandshakeError> {
        if let State::Hello(_) = self.state {
            // Foreign bytes are known by their beginning: do not wait for a whole hello of them.
            hello::check_beginning(&self.inbox, &self.peer)?;
        }
        if self.wants() > 0 {
            return Ok(());
        }
        let inbox = std::mem::take(&mut self.inbox);
        match std::mem::replace(&mut self.state, State::Failed) {
            State::Hello(begun) => self.hear(begun, &inbox),
            State::Proof(proved) => self.judge(proved, &inbox),
            over => {
                self.state = over;
                Ok(())
            }
        }
    }

    fn hear(&mut self, begun: Option<Begun>, bytes: &[u8]) -> Result<(), HandshakeError> {
        let role = hello::role(bytes, &self.peer)?;
        let message = &bytes[HEAD_BYTES..];
        if role == self.ours.role || message.starts_with(&self.said) && !self.said.is_empty() {
            return Err(HandshakeError::Reflected { peer: self.peer.clone() });
        }
        let Some((Begun { mut noise, key }, words)) = self.open(begun, message)? else {
            self.refuse();
            return Err(self.wrong_key());
        };
        let who = Introduction::decode(role, &words, &self.peer)?;
        if self.ours.role == Role::Server {
            // Also to a client that will be refused: it then finds the reason by itself.
            self.outbox = hello(&mut noise, &self.ours)?;
        }
        self.ours.check_match(&who, &self.peer)?;
        let session = Session::new(*noise).map_err(|_| self.wrong_key())?;
        let mut proved = Box::new(Proved { who, session, key });
        if self.ours.role == Role::Client {
            self.prove(&mut proved)?;
        }
        self.state = State::Proof(proved);
        Ok(())
    }

    /// The agreement whose key opens the message: the one begun, or of a server with the first of
    /// its keys that does.
    fn open(
        &self,
        begun: Option<Begun>,
        message: &[u8],
    ) -> Result<Option<(Begun, [u8; INTRODUCTION_BYTES])>, HandshakeError> {
        if let Some(mut begun) = begun {
            return Ok(begun.open(message).map(|words| (begun, words)));
        }
        for key in self.keys.now().iter() {
            let mut begun = Begun::new(key, self.ours.role, self.ephemeral.as_ref())?;
            if let Some(words) = begun.open(message) {
                return Ok(Some((begun, words)));
            }
        }
        Ok(None)
    }

    /// The judgement of the other end's proof. A recording has the client's first message, and
    /// nothing that answers this server; and without the server's proof nobody is let in.
    fn judge(&mut self, mut proved: Box<Proved>, proof: &[u8]) -> Result<(), HandshakeError> {
        if proved.session.open(proof, &mut [0; PROOF_BYTES]) != Ok(0) {
            return Err(self.wrong_key());
        }
        if self.ours.role == Role::Server {
            self.prove(&mut proved)?;
        }
        self.state = State::Done(proved);
        Ok(())
    }

    fn prove(&mut self, proved: &mut Proved) -> Result<(), HandshakeError> {
        let mut proof = [0; PROOF_BYTES];
        proved.session.seal(&[], &mut proof).map_err(|_| self.wrong_key())?;
        self.outbox.extend_from_slice(&proof);
        Ok(())
    }

    /// Tell a client, in the form of a hello, that its key is not ours. It proves nothing.
    fn refuse(&mut self) {
        if self.ours.role == Role::Server {
            self.outbox = hello::head(Role::Server).to_vec();
            self.outbox.resize(HELLO_BYTES, 0);
        }
    }

    fn wrong_key(&self) -> HandshakeError {
        HandshakeError::WrongKey { peer: self.peer.clone() }
    }
}

/// An end's hello: its head, and its next message with what it says of itself.
fn hello(noise: &mut HandshakeState, ours: &Introduction) -> Result<Vec<u8>, HandshakeError> {
    let mut bytes = hello::head(ours.role).to_vec();
    bytes.resize(HELLO_BYTES, 0);
    let written = noise.write_message(&ours.encode(), &mut bytes[HEAD_BYTES..]);
    written.map_err(|error| HandshakeError::Random { reason: error.to_string() })?;
    Ok(bytes)
}

fn drive<S: Timed>(
    stream: &mut S,
    mut handshake: Handshake,
    limit: Duration,
) -> Result<Proved, HandshakeError> {
    let begun = Instant::now();
    let peer = handshake.peer.clone();
    let failed = |source: std::io::Error, missing: usize| match source.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => HandshakeError::Timeout {
            peer: peer.clone(),
            waited_ms: begun.elapsed().as_millis() as u64,
        },
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
            HandshakeError::Truncated { peer: peer.clone(), missing_bytes: missing }
        }
        _ => HandshakeError::Io { peer: peer.clone(), source },
    };
    let mut buffer = [0; HELLO_BYTES];
    loop {
        let missing = handshake.wants();
        let remaining = limit.saturating_sub(begun.elapsed());
        if remaining.is_zero() {
            return Err(failed(ErrorKind::TimedOut.into(), missing));
        }
        stream.set_timeouts(Some(remaining)).map_err(|error| failed(error, missing))?;
        stream.write_all(&handshake.outgoing()).map_err(|error| failed(error, missing))?;
        if handshake.finished().is_some() {
            break;
        }
        let count = match stream.read(&mut buffer[..missing]) {
            Ok(0) => return Err(failed(ErrorKind::UnexpectedEof.into(), missing)),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(failed(error, missing)),
        };
        if let Err(error) = handshake.receive(&buffer[..count]) {
            // Best effort: the peer may have gone, and the error to report is ours.
            let _ = stream.write_all(&handshake.outgoing());
            return Err(error);
        }
    }
    Ok(handshake.into_proved().expect("it is finished"))
}

#[cfg(test)]
mod tests;
