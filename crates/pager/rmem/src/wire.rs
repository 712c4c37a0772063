//! What a connection to a page server carries, as bytes.
//!
//! ```text
//! kind u8 │ 0 u8 │ count u16 │ length u32 │ request u64 │ body
//! ```
//!
//! Little-endian, 16 bytes, then `length` bytes. The length follows from kind and count, is checked
//! against them before anything is believed or allocated, and is bounded: a batch has at most
//! [`BATCH_MAX`] pages. A client numbers its requests; the server answers in their order.
//!
//! Pure, apart from [`channel`]: bytes in, values out.

use pager::PAGE_BYTES;

pub(crate) mod answer;
pub(crate) mod channel;
pub(crate) mod fields;
pub(crate) mod inbox;
pub(crate) mod request;

#[cfg(test)]
mod tests;

/// Of this protocol. Both ends must speak the same.
pub(crate) const VERSION: u16 = 2;
/// Bytes of a frame before its body.
pub(crate) const HEADER_BYTES: usize = 16;
/// Most pages in a frame.
pub(crate) const BATCH_MAX: usize = 64;
/// Most slots in a frame that discards.
pub(crate) const DISCARD_MAX: usize = 1024;
/// Bytes of what stands beside a page: slot, mark, version, checksum.
pub(crate) const ENTRY_BYTES: usize = 32;
/// Bytes of a page with its entry.
pub(crate) const ITEM_BYTES: usize = ENTRY_BYTES + PAGE_BYTES;
/// Bytes of two stamps.
pub(crate) const TIMES_BYTES: usize = 16;
/// Bytes of the longest frame: an answer with a full batch.
pub(crate) const FRAME_BYTES_MAX: usize = HEADER_BYTES + TIMES_BYTES + BATCH_MAX * ITEM_BYTES;
/// Most bytes of a greeting, which is JSON.
const GREETING_BYTES_MAX: usize = 4096;

/// Why bytes are not a frame, or not the one that was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// A kind that does not exist, or does not come from that end.
    #[error("a frame of unknown kind {0}")]
    Kind(u8),
    /// A count beyond the bounds of its kind.
    #[error("a frame of kind {kind} with a count of {count}")]
    Count {
        /// Its code.
        kind: u8,
        /// As announced.
        count: u16,
    },
    /// A length that does not belong to kind and count.
    #[error("a frame of kind {kind} and count {count} with {length} bytes")]
    Length {
        /// Its code.
        kind: u8,
        /// As announced.
        count: u16,
        /// As announced.
        length: u32,
    },
    /// A field with a value that does not exist.
    #[error("a frame with an unknown {0}")]
    Field(&'static str),
    /// An answer to something that was not asked.
    #[error("an answer to a request that was not made")]
    Unasked,
    /// An encrypted message that is not of this session.
    #[error("a message that fails authentication")]
    Sealed,
}

/// Which end a frame comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    Client,
    Server,
}

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// A client begins: protocol version, whether to encrypt.
    Start = 1,
    /// Who are you?
    Who = 3,
    Reserve = 4,
    Write = 5,
    Read = 6,
    Discard = 7,
    Ping = 8,
    /// Go on.
    Started = 65,
    Greeting = 67,
    Granted = 68,
    Stored = 69,
    Pages = 70,
    Pong = 71,
    /// A reason; the connection ends.
    Refused = 72,
}

/// A frame's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub kind: Kind,
    pub count: u16,
    pub length: u32,
    pub request: u64,
}

/// How long a body is.
enum Body {
    Exactly(usize),
    UpTo(usize),
}

impl Kind {
    const ALL: [Kind; 14] = [
        Kind::Start,
        Kind::Who,
        Kind::Reserve,
        Kind::Write,
        Kind::Read,
        Kind::Discard,
        Kind::Ping,
        Kind::Started,
        Kind::Greeting,
        Kind::Granted,
        Kind::Stored,
        Kind::Pages,
        Kind::Pong,
        Kind::Refused,
    ];

    #[inline]
    fn from_code(code: u8) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| *kind as u8 == code)
    }

    #[inline]
    fn sender(self) -> Sender {
        if (self as u8) < Kind::Started as u8 { Sender::Client } else { Sender::Server }
    }

    /// Most that such a frame counts.
    #[inline]
    fn count_max(self) -> usize {
        match self {
            Kind::Write | Kind::Read | Kind::Stored | Kind::Pages => BATCH_MAX,
            Kind::Discard => DISCARD_MAX,
            _ => 1,
        }
    }

    #[inline]
    fn body(self, count: usize) -> Body {
        Body::Exactly(match self {
            Kind::Who | Kind::Started => 0,
            Kind::Start | Kind::Reserve | Kind::Refused => 4,
            Kind::Ping | Kind::Granted => 8,
            Kind::Write => count * ITEM_BYTES,
            Kind::Read | Kind::Discard => count * 4,
            Kind::Stored => TIMES_BYTES,
            Kind::Pages => TIMES_BYTES + count * ITEM_BYTES,
            Kind::Pong => 24,
            Kind::Greeting => return Body::UpTo(GREETING_BYTES_MAX),
        })
    }
}

impl Header {
    /// A header of a body whose length follows from kind and count.
    #[inline]
    pub fn new(kind: Kind, count: usize, request: u64) -> Header {
        let Body::Exactly(length) = kind.body(count) else {
            unreachable!("a body of kind {kind:?} has a length of its own")
        };
        Header { kind, count: count as u16, length: length as u32, request }
    }

    /// A header of a body with a length of its own.
    pub fn of_length(kind: Kind, length: usize) -> Header {
        Header { kind, count: 1, length: length as u32, request: 0 }
    }

    /// Read a header off the beginning of `bytes`. `None`: not all of it has come yet.
    #[inline]
    pub fn decode(bytes: &[u8], sender: Sender) -> Result<Option<Header>, WireError> {
        let Some(header) = bytes.first_chunk::<HEADER_BYTES>() else { return Ok(None) };
        let kind = Kind::from_code(header[0]).filter(|kind| kind.sender() == sender);
        let kind = kind.ok_or(WireError::Kind(header[0]))?;
        if header[1] != 0 {
            return Err(WireError::Field("flag"));
        }
        let mut fields = fields::Fields::new(&header[2..]);
        let header =
            Header { kind, count: fields.u16(), length: fields.u32(), request: fields.u64() };
        header.check()?;
        Ok(Some(header))
    }

    /// The header's bytes.
    #[inline]
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[0] = self.kind as u8;
        bytes[2..4].copy_from_slice(&self.count.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.length.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.request.to_le_bytes());
        bytes
    }

    fn check(&self) -> Result<(), WireError> {
        let (kind, count, length) = (self.kind as u8, self.count, self.length);
        if count == 0 || usize::from(count) > self.kind.count_max() {
            return Err(WireError::Count { kind, count });
        }
        let fits = match self.kind.body(count.into()) {
            Body::Exactly(bytes) => length as usize == bytes,
            Body::UpTo(bytes) => length as usize <= bytes,
        };
        if fits { Ok(()) } else { Err(WireError::Length { kind, count, length }) }
    }
}
