//! The hello: what each end of a connection says of itself before it proves it.

use super::HandshakeError;
use crate::spec::NodeId;

/// First bytes of every connection. The line end shows text-mode mangling; the version follows it.
pub(super) const MAGIC: [u8; 8] = *b"4stamp\r\n";
/// Raised with every incompatible change of the handshake or of what follows it.
pub(super) const VERSION: u16 = 2;
/// Magic 8, version 2, length 2, role 1. Little-endian.
pub(super) const HEAD_BYTES: usize = 13;
const FIXED_BYTES: usize = 12;
/// Purpose 1, node 2, session 8. Little-endian.
pub(super) const INTRODUCTION_BYTES: usize = 11;
/// A head, an ephemeral key and a sealed introduction.
pub(super) const HELLO_BYTES: usize =
    HEAD_BYTES + 32 + INTRODUCTION_BYTES + super::Session::SEAL_BYTES;

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

/// What a hello begins with: what this is, and which end says it.
pub(super) fn head(role: Role) -> [u8; HEAD_BYTES] {
    let mut bytes = [0; HEAD_BYTES];
    bytes[0..8].copy_from_slice(&MAGIC);
    bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
    bytes[10..12].copy_from_slice(&(HELLO_BYTES as u16).to_le_bytes());
    bytes[12] = role as u8;
    bytes
}

/// What both ends must have heard alike: the heads of both hellos.
pub(super) fn prologue() -> Vec<u8> {
    [head(Role::Client), head(Role::Server)].concat()
}

/// Check as much of a hello as has come: magic, version, length.
pub(super) fn check_beginning(bytes: &[u8], peer: &str) -> Result<(), HandshakeError> {
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
        return Err(HandshakeError::OtherVersion { peer: peer.to_owned(), ours: VERSION, theirs });
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

/// Which end says a whole hello.
pub(super) fn role(hello: &[u8], peer: &str) -> Result<Role, HandshakeError> {
    match hello[FIXED_BYTES] {
        1 => Ok(Role::Client),
        2 => Ok(Role::Server),
        _ => Err(HandshakeError::Malformed { peer: peer.to_owned(), what: "role" }),
    }
}

impl Introduction {
    /// As it travels, sealed.
    pub(super) fn encode(&self) -> [u8; INTRODUCTION_BYTES] {
        let mut bytes = [0; INTRODUCTION_BYTES];
        bytes[0] = self.purpose as u8;
        bytes[1..3].copy_from_slice(&self.node.to_le_bytes());
        bytes[3..11].copy_from_slice(&self.session.to_le_bytes());
        bytes
    }

    /// What the end of this role says of itself.
    pub(super) fn decode(
        role: Role,
        bytes: &[u8; INTRODUCTION_BYTES],
        peer: &str,
    ) -> Result<Introduction, HandshakeError> {
        let purpose = match bytes[0] {
            1 => Purpose::Control,
            2 => Purpose::Data,
            3 => Purpose::Pages,
            _ => {
                let (peer, what) = (peer.to_owned(), "purpose");
                return Err(HandshakeError::Malformed { peer, what });
            }
        };
        let node = u16::from_le_bytes([bytes[1], bytes[2]]);
        let session = u64::from_le_bytes(std::array::from_fn(|i| bytes[3 + i]));
        Ok(Introduction { role, purpose, node, session })
    }

    /// Whether two ends can talk: one purpose, one session.
    pub(super) fn check_match(
        &self,
        theirs: &Introduction,
        peer: &str,
    ) -> Result<(), HandshakeError> {
        let peer = peer.to_owned();
        if theirs.purpose != self.purpose {
            return Err(HandshakeError::OtherPurpose { peer, theirs: theirs.purpose });
        }
        if theirs.session != self.session {
            return Err(HandshakeError::OtherSession { peer });
        }
        Ok(())
    }
}
