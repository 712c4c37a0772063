//! The hello: what each end of a connection says of itself before it proves it.

use super::HandshakeError;
use crate::spec::NodeId;

/// First bytes of every connection. The line end shows text-mode mangling; the version follows it.
pub(super) const MAGIC: [u8; 8] = *b"4stamp\r\n";
/// Raised with every incompatible change of the handshake or of what follows it.
pub(super) const VERSION: u16 = 1;
/// Magic 8, version 2, length 2, role 1, purpose 1, node 2, session 8, nonce 32. Little-endian.
pub(super) const HELLO_BYTES: usize = 56;
const FIXED_BYTES: usize = 12;

/// Which end of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Role {
    /// Connected.
    Client = 1,
    /// Accepted the connection.
    Server = 2,
}

/// What a connection is for. A proof for one purpose is worth nothing for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Purpose {
    /// Between the coordinator and a node's process.
    Control = 1,
    /// Between nodes.
    Data = 2,
    /// Between a paged program and a page server.
    Pages = 3,
}

/// What one end says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Introduction {
    /// Which end it is.
    pub role: Role,
    /// What the connection is for; the same on both ends.
    pub purpose: Purpose,
    /// Which node it is, or [`Introduction::NO_NODE`].
    pub node: NodeId,
    /// What tells this launch from others of the same key; the same on both ends.
    pub session: u64,
}

impl Introduction {
    /// The node number of an end that is not a node, or not yet.
    pub const NO_NODE: NodeId = NodeId::MAX;
}

/// An introduction with its nonce, as it goes over the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hello {
    pub who: Introduction,
    pub nonce: [u8; 32],
}

impl Hello {
    pub fn encode(&self) -> [u8; HELLO_BYTES] {
        let mut bytes = [0; HELLO_BYTES];
        bytes[0..8].copy_from_slice(&MAGIC);
        bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
        bytes[10..12].copy_from_slice(&(HELLO_BYTES as u16).to_le_bytes());
        bytes[12] = self.who.role as u8;
        bytes[13] = self.who.purpose as u8;
        bytes[14..16].copy_from_slice(&self.who.node.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.who.session.to_le_bytes());
        bytes[24..56].copy_from_slice(&self.nonce);
        bytes
    }

    /// Check as much of a hello as has come: magic, version, length.
    pub fn check_beginning(bytes: &[u8], peer: &str) -> Result<(), HandshakeError> {
        let magic = bytes.len().min(MAGIC.len());
        if bytes[..magic] != MAGIC[..magic] {
            let seen = bytes[..bytes.len().min(16)].escape_ascii().to_string();
            return Err(HandshakeError::Foreign { peer: peer.to_owned(), seen });
        }
        if bytes.len() < FIXED_BYTES {
            return Ok(());
        }
        let theirs = u16::from_le_bytes([bytes[8], bytes[9]]);
        if theirs != VERSION {
            return Err(HandshakeError::OtherVersion {
                peer: peer.to_owned(),
                ours: VERSION,
                theirs,
            });
        }
        match usize::from(u16::from_le_bytes([bytes[10], bytes[11]])) {
            HELLO_BYTES => Ok(()),
            claimed => Err(HandshakeError::BadLength {
                peer: peer.to_owned(),
                claimed_bytes: claimed,
                bytes: HELLO_BYTES,
            }),
        }
    }

    /// Read a whole hello.
    pub fn decode(bytes: &[u8], peer: &str) -> Result<Hello, HandshakeError> {
        Hello::check_beginning(bytes, peer)?;
        let bytes: &[u8; HELLO_BYTES] =
            bytes.try_into().map_err(|_| HandshakeError::BadLength {
                peer: peer.to_owned(),
                claimed_bytes: bytes.len(),
                bytes: HELLO_BYTES,
            })?;
        let malformed = |what| HandshakeError::Malformed { peer: peer.to_owned(), what };
        let role = match bytes[12] {
            1 => Role::Client,
            2 => Role::Server,
            _ => return Err(malformed("role")),
        };
        let purpose = match bytes[13] {
            1 => Purpose::Control,
            2 => Purpose::Data,
            3 => Purpose::Pages,
            _ => return Err(malformed("purpose")),
        };
        let node = u16::from_le_bytes([bytes[14], bytes[15]]);
        let mut session = [0; 8];
        session.copy_from_slice(&bytes[16..24]);
        let mut nonce = [0; 32];
        nonce.copy_from_slice(&bytes[24..56]);
        Ok(Hello {
            who: Introduction { role, purpose, node, session: u64::from_le_bytes(session) },
            nonce,
        })
    }

    /// Whether two ends can talk: opposite roles, one purpose, one session, and not an echo.
    pub fn check_match(&self, theirs: &Hello, peer: &str) -> Result<(), HandshakeError> {
        let peer = || peer.to_owned();
        if theirs.who.role == self.who.role || theirs.nonce == self.nonce {
            return Err(HandshakeError::Reflected { peer: peer() });
        }
        if theirs.who.purpose != self.who.purpose {
            return Err(HandshakeError::OtherPurpose { peer: peer(), theirs: theirs.who.purpose });
        }
        if theirs.who.session != self.who.session {
            return Err(HandshakeError::OtherSession { peer: peer() });
        }
        Ok(())
    }
}
