//! The way to a [door](crate::door): connect, prove who we are, and come again when a crowd has
//! pushed us out.
//!
//! A door that strangers flood closes connections before their handshake is over, and its kernel
//! may let new ones wait. Both pass; so does nobody listening yet, where the caller knows that
//! somebody will. All of it together takes no longer than the caller's limit, and what is certain
//! (another key, another program) is said at once.

use crate::handshake::{HandshakeError, Introduction, Proved, authenticate};
use crate::key::RunKey;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// How long the first try may take; each later one may take twice as long as the one before it.
const FIRST_TRY: Duration = Duration::from_secs(1);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(10);

/// Whom to reach, and as whom.
#[derive(Clone, Copy, Debug)]
pub struct Reaching<'a> {
    /// Tried in this order, each time.
    pub addresses: &'a [SocketAddr],
    /// The other end, for errors.
    pub peer: &'a str,
    /// Who we are.
    pub ours: Introduction,
    /// For everything together.
    pub limit: Duration,
    /// Somebody will listen there, even if nobody does yet.
    pub will_listen: bool,
}

/// Why nobody was reached.
#[derive(Debug)]
pub enum ReachError {
    /// There is no connection.
    Unreachable(std::io::Error),
    /// There is one, but not to whom it should be.
    Handshake(HandshakeError),
}

/// Reach a door: a stream that blocks and has no timeouts, and who is at its other end.
///
/// # Errors
/// When that is impossible, or was so until the limit.
pub fn reach(reaching: &Reaching<'_>, key: &RunKey) -> Result<(TcpStream, Proved), ReachError> {
    let deadline = Instant::now() + reaching.limit;
    let (mut patience, mut tries) = (FIRST_TRY, 0);
    loop {
        tries += 1;
        let mut last = ReachError::Unreachable(ErrorKind::NotFound.into());
        for address in reaching.addresses {
            let left = deadline.saturating_duration_since(Instant::now()).min(patience);
            match reaching.try_once(address, key, left.max(Duration::from_millis(1))) {
                Ok(reached) => return Ok(reached),
                Err(error) => last = error,
            }
        }
        if !last.may_pass(reaching.will_listen) || Instant::now() + PAUSE >= deadline {
            return Err(last.after(reaching, tries));
        }
        std::thread::sleep(PAUSE);
        patience *= 2;
    }
}

impl Reaching<'_> {
    fn try_once(
        &self,
        address: &SocketAddr,
        key: &RunKey,
        patience: Duration,
    ) -> Result<(TcpStream, Proved), ReachError> {
        let until = Instant::now() + patience;
        let mut stream =
            TcpStream::connect_timeout(address, patience).map_err(ReachError::Unreachable)?;
        let left = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        let who = authenticate(&mut stream, self.peer, key, self.ours, left);
        Ok((stream, who.map_err(ReachError::Handshake)?))
    }
}

impl ReachError {
    /// Whether the next try may succeed.
    fn may_pass(&self, will_listen: bool) -> bool {
        match self {
            ReachError::Unreachable(error) => match error.kind() {
                // Too many connections to the same port hold all numbers that ours could have
                // (AddrNotAvailable).
                ErrorKind::TimedOut
                | ErrorKind::WouldBlock
                | ErrorKind::ConnectionReset
                | ErrorKind::AddrNotAvailable
                | ErrorKind::Interrupted => true,
                ErrorKind::ConnectionRefused => will_listen,
                _ => false,
            },
            ReachError::Handshake(error) => matches!(
                error,
                HandshakeError::Timeout { .. }
                    | HandshakeError::Truncated { .. }
                    | HandshakeError::Io { .. }
            ),
        }
    }

    /// The same error, after all those tries.
    fn after(self, reaching: &Reaching<'_>, tries: u32) -> ReachError {
        let (peer, waited_ms) = (reaching.peer.to_owned(), reaching.limit.as_millis() as u64);
        match self {
            ReachError::Handshake(HandshakeError::Timeout { .. }) => {
                ReachError::Handshake(HandshakeError::Timeout { peer, waited_ms })
            }
            ReachError::Handshake(HandshakeError::Truncated { .. }) => {
                ReachError::Handshake(HandshakeError::TurnedAway { peer, tries, waited_ms })
            }
            other => other,
        }
    }
}
