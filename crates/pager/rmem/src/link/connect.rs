//! How a client comes to a page server: connection, proof, choice of encryption, greeting.

use super::LinkError;
use crate::about::ServerAbout;
use crate::secure::Secure;
use crate::wire::answer::Answer;
use crate::wire::channel::{Broken, Channel};
use crate::wire::inbox::Inbox;
use crate::wire::request::put_start;
use crate::wire::{Header, Kind, Sender, VERSION, WireError};
use fabric::{Introduction, Purpose, ReachError, Reaching, Role, RunKey, Session};
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// What every connection to a page server says of its client.
const OURS: Introduction = Introduction {
    role: Role::Client,
    purpose: Purpose::Pages,
    node: Introduction::NO_NODE,
    session: 0,
};

/// A connection on which requests may be sent.
pub(super) fn connect(
    address: &str,
    key: &RunKey,
    encrypt: bool,
    deadline: Duration,
) -> Result<(Channel, Inbox, ServerAbout), LinkError> {
    let begun = Instant::now();
    let (stream, keys) = reach(address, key, deadline)?;
    let mut greeting =
        Greeting { address, begun, deadline, channel: Channel::new(stream), inbox: Inbox::new() };
    let about = greeting.go(encrypt.then_some(keys))?;
    Ok((greeting.channel, greeting.inbox, about))
}

fn reach(address: &str, key: &RunKey, limit: Duration) -> Result<(TcpStream, Session), LinkError> {
    let failed = |source| LinkError::Unreachable { address: address.to_owned(), source };
    let addresses: Vec<SocketAddr> = address.to_socket_addrs().map_err(failed)?.collect();
    if addresses.is_empty() {
        return Err(failed(std::io::Error::new(ErrorKind::NotFound, "no such address")));
    }
    let reaching =
        Reaching { addresses: &addresses, peer: address, ours: OURS, limit, will_listen: false };
    match fabric::reach(&reaching, key) {
        Ok((stream, proved)) => {
            stream.set_nodelay(true).map(|()| (stream, proved.session)).map_err(failed)
        }
        Err(ReachError::Unreachable(source)) => Err(failed(source)),
        Err(ReachError::Handshake(error)) => Err(error.into()),
    }
}

/// A connection after the proofs and before the first request.
struct Greeting<'a> {
    address: &'a str,
    begun: Instant,
    deadline: Duration,
    channel: Channel,
    inbox: Inbox,
}

impl Greeting<'_> {
    fn go(&mut self, keys: Option<Session>) -> Result<ServerAbout, LinkError> {
        let mut start = Vec::new();
        put_start(&mut start, VERSION, keys.is_some());
        self.ask(&start, |answer| matches!(answer, Answer::Started).then_some(()))?;
        if let Some(keys) = keys {
            self.channel.secure(Secure::new(keys));
        }
        let who = Header::new(Kind::Who, 1, 0).encode();
        self.ask(&who, |answer| match answer {
            Answer::Greeting(text) => serde_json::from_slice(text).ok(),
            _ => None,
        })
    }

    /// Send a frame and take the one that answers it.
    fn ask<T>(
        &mut self,
        frame: &[u8],
        take: impl Fn(Answer<'_>) -> Option<T>,
    ) -> Result<T, LinkError> {
        self.channel.send_whole(frame, self.left()).map_err(|broken| self.broken(broken))?;
        let address = self.address;
        let nonsense = |fault| LinkError::Nonsense { address: address.to_owned(), fault };
        loop {
            if let Some((header, body)) = self.inbox.next(Sender::Server).map_err(nonsense)? {
                return match Answer::decode(&header, body).map_err(nonsense)? {
                    Answer::Refused(refusal) => Err(LinkError::Refused {
                        address: address.to_owned(),
                        reason: refusal.reason(),
                    }),
                    answer => take(answer).ok_or_else(|| nonsense(WireError::Unasked)),
                };
            }
            self.channel.wait_readable(self.left()).map_err(|broken| self.broken(broken))?;
            self.channel
                .receive(&mut self.inbox)
                .map_err(|broken| LinkError::of(broken, address))?;
        }
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_sub(self.begun.elapsed())
    }

    fn broken(&self, broken: Broken) -> LinkError {
        match broken {
            Broken::Io(source) if source.kind() == ErrorKind::TimedOut => {
                let waited_ms = self.begun.elapsed().as_millis() as u64;
                LinkError::Timeout { address: self.address.to_owned(), waited_ms }
            }
            broken => LinkError::of(broken, self.address),
        }
    }
}
