//! Encrypted connections: Noise, pattern NN with a pre-shared key that is derived from the run key.
//!
//! Both ends have proved by then that they hold the run key (`fabric::authenticate`). The agreement
//! makes keys for this connection alone, which are not known to whoever learns the run key later,
//! and a message that was changed, repeated or left out on the way is noticed.
//!
//! On the wire each message is its length (u16, little-endian) and as many bytes, of which 16
//! authenticate the rest. Noise: <https://noiseprotocol.org/noise.html>, revision 34.

use crate::wire::WireError;
use crate::wire::inbox::RECEIVE_BYTES;
use fabric::RunKey;
use snow::{Builder, HandshakeState, TransportState};

const PATTERN: &str = "Noise_NNpsk0_25519_AESGCM_SHA256";
const LABEL: &str = "fourstamp pager: noise pre-shared key";
/// Most bytes of a message (the specification's bound), and what of them is authentication.
const MESSAGE_BYTES_MAX: usize = 65_535;
const SEAL_BYTES: usize = 16;
const LENGTH_BYTES: usize = 2;
/// Most bytes that are sealed before the socket has taken them.
const SEALED_BYTES_MAX: usize = 256 << 10;

/// One end of an encrypted session.
pub(crate) struct Secure {
    noise: TransportState,
    incoming: Vec<u8>,
    held: usize,
    outgoing: Vec<u8>,
    gone: usize,
}

/// The client's half of the agreement, and what to send.
pub(crate) fn offer(key: &RunKey) -> Result<(HandshakeState, Vec<u8>), WireError> {
    let mut state = build(key, true)?;
    let message = write(&mut state)?;
    Ok((state, message))
}

/// The server's half: the session, and what to send.
pub(crate) fn agree(key: &RunKey, offer: &[u8]) -> Result<(Secure, Vec<u8>), WireError> {
    let mut state = build(key, false)?;
    read(&mut state, offer)?;
    let message = write(&mut state)?;
    Ok((Secure::new(state)?, message))
}

/// The client has the server's half.
pub(crate) fn conclude(mut state: HandshakeState, answer: &[u8]) -> Result<Secure, WireError> {
    read(&mut state, answer)?;
    Secure::new(state)
}

impl Secure {
    fn new(state: HandshakeState) -> Result<Secure, WireError> {
        let noise = state.into_transport_mode().map_err(|_| WireError::Sealed)?;
        let (incoming, outgoing) =
            (vec![0; RECEIVE_BYTES], Vec::with_capacity(2 * SEALED_BYTES_MAX));
        Ok(Secure { noise, incoming, held: 0, outgoing, gone: 0 })
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
            opened += self.noise.read_message(message, out).map_err(|_| WireError::Sealed)?;
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
            let end = plain.len().min(sealed + MESSAGE_BYTES_MAX - SEAL_BYTES);
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
        let length = plain.len() + SEAL_BYTES;
        self.outgoing.extend_from_slice(&(length as u16).to_le_bytes());
        let start = self.outgoing.len();
        self.outgoing.resize(start + length, 0);
        let written = self.noise.write_message(plain, &mut self.outgoing[start..]);
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

fn build(key: &RunKey, is_client: bool) -> Result<HandshakeState, WireError> {
    let secret = key.derived(LABEL);
    let pattern = PATTERN.parse().expect("the pattern is one that snow knows");
    let built = Builder::new(pattern).psk(0, &secret).and_then(|builder| match is_client {
        true => builder.build_initiator(),
        false => builder.build_responder(),
    });
    built.map_err(|_| WireError::Sealed)
}

fn write(state: &mut HandshakeState) -> Result<Vec<u8>, WireError> {
    let mut message = vec![0; 128];
    let bytes = state.write_message(&[], &mut message).map_err(|_| WireError::Sealed)?;
    message.truncate(bytes);
    Ok(message)
}

fn read(state: &mut HandshakeState, message: &[u8]) -> Result<(), WireError> {
    // Nothing travels with the agreement: a message that brings something does not fit.
    state.read_message(message, &mut []).map(drop).map_err(|_| WireError::Sealed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (Secure, Secure) {
        let key = RunKey::generate().unwrap();
        let (state, message) = offer(&key).unwrap();
        let (server, answer) = agree(&key, &message).unwrap();
        (conclude(state, &answer).unwrap(), server)
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
    fn another_key_agrees_on_nothing() {
        let (_, message) = offer(&RunKey::generate().unwrap()).unwrap();
        assert!(agree(&RunKey::generate().unwrap(), &message).is_err());
        assert!(agree(&RunKey::generate().unwrap(), b"").is_err());
    }
}
