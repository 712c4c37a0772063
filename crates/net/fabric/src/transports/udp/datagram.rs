//! The datagram: what goes over a udp socket, as bytes.
//!
//! ```text
//! tag u64 │ ack u64 │ room u32 │ units u16 │ words u8 │ asks u8 │ words × u64
//!   │ units × (unit header, payload)
//! unit header:  seq u64 │ len u32 │ head 32 ([`WireHead`])
//! ```
//!
//! Little-endian. A **unit** is what the window counts: a message, or a fragment of a large one.
//! `ack` says that every unit before it has come, bit *i* of the words that unit `ack` + 1 + *i*
//! has, and `room` that units before `ack` + `room` are welcome. `asks` wants an answer.
//!
//! **The tag** is SipHash-2-4 of all that follows, under a key that both ends of the pair, and
//! nobody else, drew from the run key and two fresh nonces (`meeting.rs`), another one for each
//! direction. So a stranger can neither make up a datagram nor change one, nor send one back, nor
//! use one of another run. One that is played again is a duplicate like those that the network
//! makes. 64 bits stand against guessing over a network (2⁶³ datagrams on average); nothing is
//! encrypted.
//!
//! Pure: bytes in, values out. Everything that comes from a socket is checked here.

use crate::transport::{Flag, Head};
use crate::transports::head::{HeadError, WireHead};
use siphasher::sip::SipHasher24;
use std::hash::Hasher;
use zerocopy::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// What a datagram begins with.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct WireDatagram {
    tag: U64,
    ack: U64,
    room: U32,
    units: U16,
    words: u8,
    asks: u8,
}

/// What a unit begins with.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct WireUnit {
    seq: U64,
    len: U32,
    head: WireHead,
}

/// Bytes of a datagram before its words.
pub(crate) const HEADER_BYTES: usize = size_of::<WireDatagram>();
/// Bytes of a unit before its payload.
pub(crate) const UNIT_BYTES: usize = size_of::<WireUnit>();
/// Most words: an acknowledgement speaks of so many times 64 units.
pub(crate) const WORDS_MAX: usize = 16;
/// Most bytes of a datagram that are no units.
pub(crate) const OVERHEAD_BYTES: usize = HEADER_BYTES + 8 * WORDS_MAX;

/// The key of one direction of a pair.
#[derive(Clone, Copy)]
pub(crate) struct TagKey(pub [u8; 16]);

impl TagKey {
    fn tag(&self, bytes: &[u8]) -> u64 {
        let mut hasher = SipHasher24::new_with_key(&self.0);
        hasher.write(bytes);
        hasher.finish()
    }

    /// Put the tag before what has been written behind it.
    pub fn seal(&self, datagram: &mut [u8]) {
        let tag = self.tag(&datagram[8..]);
        datagram[..8].copy_from_slice(&tag.to_le_bytes());
    }

    /// Whether the other end of the pair wrote this. A comparison of two words takes the same time
    /// wherever they differ.
    pub fn holds(&self, datagram: &[u8]) -> bool {
        match datagram.first_chunk::<8>() {
            Some(tag) => u64::from_le_bytes(*tag) == self.tag(&datagram[8..]),
            None => false,
        }
    }
}

/// What has come, as its receiver tells it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ack {
    /// Every unit before this has come.
    pub before: u64,
    /// Units from `before` on that are welcome.
    pub room: u32,
    /// Bit i: unit `before` + 1 + i has come.
    pub words: [u64; WORDS_MAX],
    /// Words in use.
    pub used: usize,
    /// The sender wants to know the same of us.
    pub asks: bool,
}

/// A unit in a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit<'a> {
    pub seq: u64,
    pub head: Head,
    pub payload: &'a [u8],
}

/// Why bytes are no datagram of ours, though the tag is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DatagramError {
    #[error("a datagram that is cut short")]
    Short,
    #[error("{0} words of acknowledgement where at most {WORDS_MAX} are")]
    TooManyWords(usize),
    #[error("a message {0}")]
    Head(#[from] HeadError),
    #[error("a control message with {0} bytes of payload")]
    ControlWithPayload(usize),
    #[error("{0} bytes after the last message of a datagram")]
    TrailingBytes(usize),
    #[error("an acknowledgement of messages that were never sent")]
    AcknowledgesTooMuch,
}

/// A datagram whose tag has been checked, read from its front.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    pub ack: Ack,
    units: u16,
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Read what stands before the units.
    pub fn new(datagram: &'a [u8]) -> Result<Reader<'a>, DatagramError> {
        let (wire, rest) =
            WireDatagram::ref_from_prefix(datagram).map_err(|_| DatagramError::Short)?;
        let used = usize::from(wire.words);
        if used > WORDS_MAX {
            return Err(DatagramError::TooManyWords(used));
        }
        let (before, room, asks) = (wire.ack.get(), wire.room.get(), wire.asks != 0);
        let mut ack = Ack { before, room, used, asks, ..Ack::default() };
        let (words, rest) = rest.split_at_checked(8 * used).ok_or(DatagramError::Short)?;
        for (word, bytes) in ack.words.iter_mut().zip(words.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        Ok(Reader { ack, units: wire.units.get(), rest })
    }

    /// The next unit.
    pub fn next(&mut self) -> Result<Option<Unit<'a>>, DatagramError> {
        if self.units == 0 {
            return match self.rest.len() {
                0 => Ok(None),
                bytes => Err(DatagramError::TrailingBytes(bytes)),
            };
        }
        let (wire, rest) =
            WireUnit::ref_from_prefix(self.rest).map_err(|_| DatagramError::Short)?;
        let len = wire.len.get() as usize;
        let (payload, rest) = rest.split_at_checked(len).ok_or(DatagramError::Short)?;
        let head = wire.head.check()?;
        if !matches!(head.flag, Flag::Last | Flag::More) && len != 0 {
            return Err(DatagramError::ControlWithPayload(len));
        }
        (self.units, self.rest) = (self.units - 1, rest);
        Ok(Some(Unit { seq: wire.seq.get(), head, payload }))
    }
}

/// Begin a datagram: the header with no units yet.
pub(crate) fn begin(datagram: &mut Vec<u8>, ack: &Ack) {
    datagram.clear();
    let wire = WireDatagram {
        tag: 0.into(),
        ack: ack.before.into(),
        room: ack.room.into(),
        units: 0.into(),
        words: ack.used as u8,
        asks: ack.asks.into(),
    };
    datagram.extend_from_slice(wire.as_bytes());
    for word in &ack.words[..ack.used] {
        datagram.extend_from_slice(&word.to_le_bytes());
    }
}

/// Say how many units follow.
pub(crate) fn set_units(datagram: &mut [u8], units: u16) {
    datagram[20..22].copy_from_slice(&units.to_le_bytes());
}

/// Write a unit into `bytes`, in place of what was there.
pub(crate) fn encode_unit(bytes: &mut Vec<u8>, unit: &Unit<'_>) {
    let Unit { seq, head, payload } = unit;
    bytes.clear();
    let (seq, len) = ((*seq).into(), (payload.len() as u32).into());
    let wire = WireUnit { seq, len, head: WireHead::of(head) };
    bytes.extend_from_slice(wire.as_bytes());
    bytes.extend_from_slice(payload);
}

#[cfg(test)]
mod tests;
