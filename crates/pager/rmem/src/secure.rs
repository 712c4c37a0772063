//! Encrypted connections, under the keys that the handshake has made (`fabric::Session`).
//!
//! On the wire each message is its length (u16, little-endian) and as many bytes, of which 16
//! authenticate the rest.

use crate::wire::WireError;
use crate::wire::inbox::RECEIVE_BYTES;
use fabric::Session;

const LENGTH_BYTES: usize = 2;
/// Most bytes that are sealed before the socket has taken them.
const SEALED_BYTES_MAX: usize = 256 << 10;

/// One end of an encrypted session.
pub(crate) struct Secure {
    session: Session,
    incoming: Vec<u8>,
    held: usize,
    outgoing: Vec<u8>,
    gone: usize,
}

impl Secure {
    /// Nothing sealed yet.
    pub fn new(session: Session) -> Secure {
        let (incoming, outgoing) =
            (vec![0; RECEIVE_BYTES], Vec::with_capacity(2 * SEALED_BYTES_MAX));
        Secure { session, incoming, held: 0, outgoing, gone: 0 }
    }

    /// Where bytes from the socket go.
    pub fn room(&mut self) -> &mut [u8] {
        &mut self.incoming[self.held..]
    }

    /// So many bytes have been put into the room: open every whole message into `plain`, which has
    /// room for them, and say how many bytes came out.
    pub fn open(&mut self, bytes: usize, plain: &mut [u8]) -> Result<usize, WireError> {
        self.held += bytes;
        let (mut read, mut opened) = (0, 0);
        while let Some((message, next)) = message_at(&self.incoming[..self.held], read) {
            let out = &mut plain[opened..];
            opened += self.session.open(message, out).map_err(|_| WireError::Sealed)?;
            read = next;
        }
        self.incoming.copy_within(read..self.held, 0);
        self.held -= read;
        Ok(opened)
    }

    /// Seal the beginning of `plain`, and say how much of it; 0 while there is enough to be sent.
    pub fn seal(&mut self, plain: &[u8]) -> Result<usize, WireError> {
        let mut sealed = 0;
        while sealed < plain.len() && self.unsent().len() < SEALED_BYTES_MAX {
            let end = plain.len().min(sealed + Session::MESSAGE_BYTES_MAX - Session::SEAL_BYTES);
            self.seal_one(&plain[sealed..end])?;
            sealed = end;
        }
        Ok(sealed)
    }

    /// What is to be sent.
    pub fn unsent(&self) -> &[u8] {
        &self.outgoing[self.gone..]
    }

    /// So many bytes have been sent.
    pub fn sent(&mut self, bytes: usize) {
        self.gone += bytes;
        if self.gone == self.outgoing.len() {
            self.outgoing.clear();
            self.gone = 0;
        }
    }

    fn seal_one(&mut self, plain: &[u8]) -> Result<(), WireError> {
        let length = plain.len() + Session::SEAL_BYTES;
        self.outgoing.extend_from_slice(&(length as u16).to_le_bytes());
        let start = self.outgoing.len();
        self.outgoing.resize(start + length, 0);
        let written = self.session.seal(plain, &mut self.outgoing[start..]);
        debug_assert_eq!(written.as_ref().ok(), Some(&length));
        written.map(drop).map_err(|_| WireError::Sealed)
    }
}

/// The whole message that begins at `at`, and where the next one does.
fn message_at(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let (length, rest) = bytes[at..].split_first_chunk::<LENGTH_BYTES>()?;
    let length = usize::from(u16::from_le_bytes(*length));
    Some((rest.get(..length)?, at + LENGTH_BYTES + length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabric::{Introduction, Purpose, Role, RunKey, authenticate};
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    fn pair() -> (Secure, Secure) {
        let (key, limit) = (RunKey::generate().unwrap(), Duration::from_secs(10));
        let (mut a, mut b) = UnixStream::pair().unwrap();
        let (purpose, node, session) = (Purpose::Pages, Introduction::NO_NODE, 0);
        let ours = |role| Introduction { role, purpose, node, session };
        std::thread::scope(|scope| {
            let server = scope.spawn(|| authenticate(&mut b, "b", &key, ours(Role::Server), limit));
            let client = authenticate(&mut a, "a", &key, ours(Role::Client), limit).unwrap();
            (Secure::new(client.session), Secure::new(server.join().unwrap().unwrap().session))
        })
    }

    /// Carry all that is unsent over, in pieces, and return what was opened.
    fn carry(from: &mut Secure, to: &mut Secure, piece: usize) -> Result<Vec<u8>, WireError> {
        let mut out = Vec::new();
        while !from.unsent().is_empty() {
            let bytes = piece.min(from.unsent().len()).min(to.room().len());
            to.room()[..bytes].copy_from_slice(&from.unsent()[..bytes]);
            from.sent(bytes);
            let mut plain = vec![0; RECEIVE_BYTES];
            let opened = to.open(bytes, &mut plain)?;
            out.extend_from_slice(&plain[..opened]);
        }
        Ok(out)
    }

    #[test]
    fn what_is_sealed_opens_whatever_the_pieces() {
        let (mut client, mut server) = pair();
        let plain: Vec<u8> = (0..200_000u32).map(|i| (i * 7 % 251) as u8).collect();
        for piece in [1, 1000, 70_000, usize::MAX] {
            assert_eq!(client.seal(&plain).unwrap(), plain.len());
            assert_eq!(carry(&mut client, &mut server, piece).unwrap(), plain);
        }
        server.seal(b"back").unwrap();
        assert_eq!(carry(&mut server, &mut client, 3).unwrap(), b"back");
    }

    #[test]
    fn sealing_stops_when_enough_waits() {
        let (mut client, _) = pair();
        let plain = vec![1; 4 * SEALED_BYTES_MAX];
        let sealed = client.seal(&plain).unwrap();
        assert!(sealed > 0 && sealed < plain.len());
        assert_eq!(client.seal(&plain).unwrap(), 0);
    }

    #[test]
    fn a_changed_a_repeated_and_a_lost_message_are_noticed() {
        let (mut client, mut server) = pair();
        client.seal(b"secret words").unwrap();
        let message = client.unsent().to_vec();
        assert!(!message.windows(6).any(|bytes| bytes == b"secret"), "it travels in the clear");
        let mut plain = [0; 100];
        let mut feed = |bytes: &[u8]| {
            server.held = 0;
            server.room()[..bytes.len()].copy_from_slice(bytes);
            server.open(bytes.len(), &mut plain)
        };
        let mut changed = message.clone();
        changed[5] ^= 1;
        assert_eq!(feed(&changed), Err(WireError::Sealed));
        assert_eq!(feed(&message), Ok(12));
        assert_eq!(feed(&message), Err(WireError::Sealed), "repeated");
        client.sent(message.len());
        client.seal(b"lost").unwrap();
        client.sent(client.unsent().len());
        client.seal(b"next").unwrap();
        assert_eq!(feed(client.unsent()), Err(WireError::Sealed), "one was lost");
    }

    #[test]
    fn another_session_opens_nothing() {
        let ((mut client, _), (_, mut server)) = (pair(), pair());
        client.seal(b"secret").unwrap();
        assert_eq!(carry(&mut client, &mut server, 100), Err(WireError::Sealed));
    }
}
