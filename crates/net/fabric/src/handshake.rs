//! Who is there: both ends of a connection prove that they hold the run key, without sending it.
//!
//! ```text
//! client                                   server
//!   hello (who I am, nonce)        ─────►
//!                                  ◄─────  hello (who I am, nonce)
//!   proof = HMAC(key, client, both hellos) ─────►            the server knows the client
//!                                  ◄─────  verdict, proof = HMAC(key, server, both hellos)
//! ```
//!
//! A proof covers both hellos whole: protocol version, roles, node numbers, purpose, session and
//! both nonces. So it is worth nothing on another connection (the other side's nonce is new), in
//! the other direction (the label differs) or for another node, purpose or run. The server proves
//! nothing before the client has. Codes are compared in constant time.
//!
//! [`Handshake`] is the protocol on bytes, without sockets or clocks; [`authenticate`] drives one
//! over a socket within a deadline. Later traffic is neither encrypted nor authenticated: whoever
//! can alter packets on the way is not kept out, which is why listeners bind to loopback unless
//! told otherwise.
//!
//! HMAC: RFC 2104, with SHA-256 (FIPS 180-4).

use crate::key::RunKey;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

mod error;
mod hello;

pub use error::HandshakeError;
use hello::{HELLO_BYTES, Hello};
pub use hello::{Introduction, Purpose, Role};

const PROOF_BYTES: usize = 32;
const VERDICT_BYTES: usize = 1 + PROOF_BYTES;
const ACCEPTED: u8 = 1;
const REFUSED: u8 = 0;
const CLIENT_LABEL: &[u8] = b"fourstamp handshake: client proof";
const SERVER_LABEL: &[u8] = b"fourstamp handshake: server proof";

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

/// Carry out the handshake over a blocking stream to `peer` (its address, for errors) and say who
/// is there. It is over within `deadline`, whatever the peer does; the stream has no timeouts
/// afterwards. Not a byte beyond the handshake is read.
pub fn authenticate<S: Timed>(
    stream: &mut S,
    peer: impl fmt::Display,
    key: &RunKey,
    ours: Introduction,
    deadline: Duration,
) -> Result<Introduction, HandshakeError> {
    let mut nonce = [0; 32];
    getrandom::fill(&mut nonce)
        .map_err(|error| HandshakeError::Random { reason: error.to_string() })?;
    let handshake = Handshake::new(key, ours, nonce, peer.to_string());
    let theirs = drive(stream, handshake, deadline)?;
    stream
        .set_timeouts(None)
        .map_err(|source| HandshakeError::Io { peer: peer.to_string(), source })?;
    Ok(theirs)
}

/// The handshake as a state machine: bytes in, bytes out.
pub struct Handshake {
    key: RunKey,
    ours: Hello,
    peer: String,
    state: State,
    inbox: Vec<u8>,
    outbox: Vec<u8>,
}

enum State {
    /// Waiting for the peer's hello.
    Hello,
    /// Server: waiting for the client's proof.
    Proof(Hello),
    /// Client: waiting for the server's verdict and proof.
    Verdict(Hello),
    Done(Introduction),
    Failed,
}

impl Handshake {
    /// Begin. `nonce` must be random and used once; `peer` is an address that errors name.
    pub fn new(key: &RunKey, ours: Introduction, nonce: [u8; 32], peer: String) -> Handshake {
        let ours = Hello { who: ours, nonce };
        // A server says nothing until it has seen a hello: a port scan learns nothing.
        let outbox =
            if ours.who.role == Role::Client { ours.encode().to_vec() } else { Vec::new() };
        Handshake { key: key.clone(), ours, peer, state: State::Hello, inbox: Vec::new(), outbox }
    }

    /// How many bytes more it can use now; 0 when it is over.
    pub fn wants(&self) -> usize {
        let whole = match self.state {
            State::Hello => HELLO_BYTES,
            State::Proof(_) => PROOF_BYTES,
            State::Verdict(_) => VERDICT_BYTES,
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
            State::Done(theirs) => Some(*theirs),
            _ => None,
        }
    }

    fn advance(&mut self) -> Result<(), HandshakeError> {
        if let State::Hello = self.state {
            // Foreign bytes are known by their beginning: do not wait for a whole hello of them.
            Hello::check_beginning(&self.inbox, &self.peer)?;
        }
        if self.wants() > 0 {
            return Ok(());
        }
        let inbox = std::mem::take(&mut self.inbox);
        match std::mem::replace(&mut self.state, State::Failed) {
            State::Hello => self.hear(&inbox),
            State::Proof(theirs) => self.judge(theirs, &inbox),
            State::Verdict(theirs) => self.believe(theirs, &inbox),
            over => {
                self.state = over;
                Ok(())
            }
        }
    }

    fn hear(&mut self, bytes: &[u8]) -> Result<(), HandshakeError> {
        let theirs = Hello::decode(bytes, &self.peer)?;
        if self.ours.who.role == Role::Server {
            // Also to a client that will be refused: it then finds the reason by itself.
            self.outbox.extend_from_slice(&self.ours.encode());
        }
        self.ours.check_match(&theirs, &self.peer)?;
        self.state = match self.ours.who.role {
            Role::Client => {
                let proof = self.code(CLIENT_LABEL, &self.ours, &theirs).finalize().into_bytes();
                self.outbox.extend_from_slice(&proof);
                State::Verdict(theirs)
            }
            Role::Server => State::Proof(theirs),
        };
        Ok(())
    }

    /// The server's judgement of the client's proof.
    fn judge(&mut self, theirs: Hello, proof: &[u8]) -> Result<(), HandshakeError> {
        if self.code(CLIENT_LABEL, &theirs, &self.ours).verify_slice(proof).is_err() {
            self.outbox.extend_from_slice(&[REFUSED; VERDICT_BYTES]);
            return Err(HandshakeError::WrongKey { peer: self.peer.clone() });
        }
        self.outbox.push(ACCEPTED);
        self.outbox.extend_from_slice(
            &self.code(SERVER_LABEL, &theirs, &self.ours).finalize().into_bytes(),
        );
        self.state = State::Done(theirs.who);
        Ok(())
    }

    /// The client's judgement of the server's verdict: without the proof, "accepted" is only a
    /// word.
    fn believe(&mut self, theirs: Hello, verdict: &[u8]) -> Result<(), HandshakeError> {
        let proved =
            self.code(SERVER_LABEL, &self.ours, &theirs).verify_slice(&verdict[1..]).is_ok();
        if verdict[0] != ACCEPTED || !proved {
            return Err(HandshakeError::WrongKey { peer: self.peer.clone() });
        }
        self.state = State::Done(theirs.who);
        Ok(())
    }

    fn code(&self, label: &[u8], client: &Hello, server: &Hello) -> Hmac<Sha256> {
        let mut code = Hmac::<Sha256>::new_from_slice(self.key.bytes())
            .expect("HMAC takes keys of any length");
        code.update(label);
        code.update(&client.encode());
        code.update(&server.encode());
        code
    }
}

fn drive<S: Timed>(
    stream: &mut S,
    mut handshake: Handshake,
    limit: Duration,
) -> Result<Introduction, HandshakeError> {
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
        if let Some(theirs) = handshake.finished() {
            return Ok(theirs);
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
}

#[cfg(test)]
mod tests;
