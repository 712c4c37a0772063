//! Noise, pattern NN with the run key as the pre-shared one: what proves that both ends hold it,
//! and the keys that this makes for one connection.
//!
//! Noise: <https://noiseprotocol.org/noise.html>, revision 34.

use super::hello::prologue;
use super::{HandshakeError, Role};
use crate::key::RunKey;
use snow::{Builder, HandshakeState, TransportState};

const PATTERN: &str = "Noise_NNpsk0_25519_AESGCM_SHA256";

/// The keys of one connection whose ends have proved themselves: known to these two alone, also
/// when the run key becomes known later. Messages are opened in the order in which they were
/// sealed; one that was changed, repeated or left out on the way is noticed.
pub struct Session(Box<TransportState>);

/// A message that this session's key does not open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a message that fails authentication")]
pub struct Unopened;

impl Session {
    /// Bytes by which a sealed message is longer.
    pub const SEAL_BYTES: usize = 16;
    /// Longest sealed message, bytes (the specification's bound).
    pub const MESSAGE_BYTES_MAX: usize = 65_535;

    pub(super) fn new(state: HandshakeState) -> Result<Session, Unopened> {
        let state = state.into_transport_mode().map_err(|_| Unopened)?;
        Ok(Session(Box::new(state)))
    }

    /// Seal `plain` into `out`, which has room for it; returns the sealed bytes.
    ///
    /// # Errors
    /// When there is no such room, or more than [`Self::MESSAGE_BYTES_MAX`] would come out.
    pub fn seal(&mut self, plain: &[u8], out: &mut [u8]) -> Result<usize, Unopened> {
        self.0.write_message(plain, out).map_err(|_| Unopened)
    }

    /// Open a message into `out`, which has room for it; returns the bytes that came out.
    ///
    /// # Errors
    /// When it is not the next message of the other end.
    pub fn open(&mut self, sealed: &[u8], out: &mut [u8]) -> Result<usize, Unopened> {
        self.0.read_message(sealed, out).map_err(|_| Unopened)
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Session(hidden)")
    }
}

/// One end of the agreement. `ephemeral`: a test's, else a random one.
pub(super) fn begin(
    key: &RunKey,
    role: Role,
    ephemeral: Option<&[u8; 32]>,
) -> Result<Box<HandshakeState>, HandshakeError> {
    let (prologue, pattern) = (prologue(), PATTERN.parse());
    let mut builder = Builder::new(pattern.expect("the pattern is one that snow knows"));
    if let Some(ephemeral) = ephemeral {
        builder = builder.fixed_ephemeral_key_for_testing_only(ephemeral);
    }
    let built = builder.psk(0, key.bytes()).and_then(|builder| builder.prologue(&prologue));
    let built = built.and_then(|builder| match role {
        Role::Client => builder.build_initiator(),
        Role::Server => builder.build_responder(),
    });
    built.map(Box::new).map_err(|error| HandshakeError::Random { reason: error.to_string() })
}
