//! What a message carries so that its receiver can write the whole record: 32 bytes.
//!
//! | Bytes | Holds, little-endian |
//! |---|---|
//! | 0–1 | `4S` |
//! | 2 | version, 1 |
//! | 3 | [`Kind`] |
//! | 4–5 | source node |
//! | 6–7 | destination node |
//! | 8–15 | number at the source node |
//! | 16–23 | `ready`, ticks of the source node |
//! | 24–31 | `sent`, ticks of the source node |

use crate::Kind;
use clock::Ticks;

/// Length of a header.
pub const HEADER_BYTES: usize = 32;

const MAGIC: [u8; 2] = *b"4S";
const VERSION: u8 = 1;

/// The sender's part of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the message is for.
    pub kind: Kind,
    /// Node that sends it.
    pub src: u16,
    /// Node that it is for.
    pub dst: u16,
    /// Its number at the source node.
    pub seq: u64,
    /// When the application called send.
    pub ready: Ticks,
    /// When it was handed to the network layer.
    pub sent: Ticks,
}

/// Why bytes are not a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// They are something else.
    #[error(
        "a message begins with {found:02x?}, not with a Fourstamp header; does its sender stamp \
        messages too?"
    )]
    Foreign {
        /// The first bytes.
        found: [u8; 2],
    },
    /// Another version wrote them.
    #[error(
        "a message has header version {found}, but this program reads {VERSION}; use the same \
        version on all nodes"
    )]
    Version {
        /// Its version.
        found: u8,
    },
    /// Its kind does not exist.
    #[error("a message has the unknown kind {code}; its header was damaged on the way")]
    Kind {
        /// The code found.
        code: u8,
    },
}

impl Header {
    /// As the bytes that go before the message.
    #[inline]
    pub fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        let (src, dst) = (self.src.to_le_bytes(), self.dst.to_le_bytes());
        let kind = self.kind as u8;
        let first = [MAGIC[0], MAGIC[1], VERSION, kind, src[0], src[1], dst[0], dst[1]];
        // Word by word: a copy of what was just stored in smaller parts waits until they are in the
        // cache, which takes as long as all the rest.
        let words = [u64::from_le_bytes(first), self.seq, self.ready.0, self.sent.0];
        let mut bytes = [0; HEADER_BYTES];
        for (room, word) in bytes.chunks_exact_mut(8).zip(words) {
            room.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// Read what [`Header::to_bytes`] made.
    ///
    /// # Errors
    /// When the bytes are something else.
    #[inline]
    pub fn from_bytes(bytes: &[u8; HEADER_BYTES]) -> Result<Header, HeaderError> {
        if bytes[..2] != MAGIC {
            return Err(HeaderError::Foreign { found: [bytes[0], bytes[1]] });
        }
        if bytes[2] != VERSION {
            return Err(HeaderError::Version { found: bytes[2] });
        }
        let word =
            |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        Ok(Header {
            kind: Kind::from_code(bytes[3]).ok_or(HeaderError::Kind { code: bytes[3] })?,
            src: u16::from_le_bytes([bytes[4], bytes[5]]),
            dst: u16::from_le_bytes([bytes[6], bytes[7]]),
            seq: word(8),
            ready: Ticks(word(16)),
            sent: Ticks(word(24)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_header_survives_the_way(
            kind in 0..Kind::ALL.len() as u8,
            src: u16,
            dst: u16,
            seq: u64,
            ready: u64,
            sent: u64,
        ) {
            let kind = Kind::from_code(kind).unwrap();
            let header = Header { kind, src, dst, seq, ready: Ticks(ready), sent: Ticks(sent) };
            prop_assert_eq!(Header::from_bytes(&header.to_bytes()), Ok(header));
        }

        #[test]
        fn whatever_is_read_as_a_header_is_written_as_those_bytes(bytes: [u8; HEADER_BYTES]) {
            if let Ok(header) = Header::from_bytes(&bytes) {
                prop_assert_eq!(header.to_bytes(), bytes);
            }
        }
    }

    #[test]
    fn other_bytes_are_refused_by_name() {
        let header =
            Header { kind: Kind::Data, src: 1, dst: 2, seq: 3, ready: Ticks(4), sent: Ticks(5) };
        let mut bytes = header.to_bytes();
        bytes[3] = 99;
        assert_eq!(Header::from_bytes(&bytes), Err(HeaderError::Kind { code: 99 }));
        bytes[2] = 9;
        assert_eq!(Header::from_bytes(&bytes), Err(HeaderError::Version { found: 9 }));
        bytes[..2].copy_from_slice(b"GE");
        assert_eq!(Header::from_bytes(&bytes), Err(HeaderError::Foreign { found: *b"GE" }));
    }
}
