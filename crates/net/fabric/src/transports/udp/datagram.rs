//! The datagram: what goes over a udp socket, as bytes.
//!
//! ```text
//! tag u64 │ ack u64 │ room u32 │ units u16 │ words u8 │ asks u8 │ words × u64 │ units × (unit header, payload)
//! unit header:  seq u64 │ len u32 │ in_flight u32 │ kind u8 │ flag u8 │ batch u16 │ ready u64 │ sent u64 │ message u64
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
use record::Kind;
use siphasher::sip::SipHasher24;
use std::hash::Hasher;

/// Bytes of a datagram before its words.
pub(crate) const HEADER_BYTES: usize = 24;
/// Bytes of a unit before its payload.
pub(crate) const UNIT_BYTES: usize = 44;
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
    #[error("a message of unknown kind {0}")]
    UnknownKind(u8),
    #[error("a message with unknown flag {0}")]
    UnknownFlag(u8),
    #[error("a control message with {0} bytes of payload")]
    ControlWithPayload(usize),
    #[error("{0} bytes behind the last message of a datagram")]
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
        let (header, rest) =
            datagram.split_first_chunk::<HEADER_BYTES>().ok_or(DatagramError::Short)?;
        let used = usize::from(header[22]);
        if used > WORDS_MAX {
            return Err(DatagramError::TooManyWords(used));
        }
        let mut ack =
            Ack { before: u64_at(header, 8), room: u32_at(header, 16), used, ..Ack::default() };
        ack.asks = header[23] != 0;
        let (words, rest) = rest.split_at_checked(8 * used).ok_or(DatagramError::Short)?;
        for (word, bytes) in ack.words.iter_mut().zip(words.chunks_exact(8)) {
            *word = u64_at(bytes, 0);
        }
        Ok(Reader { ack, units: u16::from_le_bytes([header[20], header[21]]), rest })
    }

    /// The next unit.
    pub fn next(&mut self) -> Result<Option<Unit<'a>>, DatagramError> {
        if self.units == 0 {
            return match self.rest.len() {
                0 => Ok(None),
                bytes => Err(DatagramError::TrailingBytes(bytes)),
            };
        }
        let (header, rest) =
            self.rest.split_first_chunk::<UNIT_BYTES>().ok_or(DatagramError::Short)?;
        let len = u32_at(header, 8) as usize;
        let (payload, rest) = rest.split_at_checked(len).ok_or(DatagramError::Short)?;
        let (kind, flag) = (header[16], header[17]);
        let head = Head {
            ready: u64_at(header, 20),
            sent: u64_at(header, 28),
            seq: u64_at(header, 36),
            kind: Kind::from_code(kind).ok_or(DatagramError::UnknownKind(kind))?,
            flag: Flag::from_code(flag).ok_or(DatagramError::UnknownFlag(flag))?,
            batch: u16::from_le_bytes([header[18], header[19]]),
            in_flight: u32_at(header, 12),
        };
        if !matches!(head.flag, Flag::Last | Flag::More) && len != 0 {
            return Err(DatagramError::ControlWithPayload(len));
        }
        (self.units, self.rest) = (self.units - 1, rest);
        Ok(Some(Unit { seq: u64_at(header, 0), head, payload }))
    }
}

/// Begin a datagram: the header with no units yet.
pub(crate) fn begin(datagram: &mut Vec<u8>, ack: &Ack) {
    datagram.clear();
    datagram.extend_from_slice(&[0; 8]);
    datagram.extend_from_slice(&ack.before.to_le_bytes());
    datagram.extend_from_slice(&ack.room.to_le_bytes());
    datagram.extend_from_slice(&[0, 0, ack.used as u8, u8::from(ack.asks)]);
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
    let mut header = [0; UNIT_BYTES];
    header[0..8].copy_from_slice(&seq.to_le_bytes());
    header[8..12].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    header[12..16].copy_from_slice(&head.in_flight.to_le_bytes());
    header[16] = head.kind as u8;
    header[17] = head.flag as u8;
    header[18..20].copy_from_slice(&head.batch.to_le_bytes());
    header[20..28].copy_from_slice(&head.ready.to_le_bytes());
    header[28..36].copy_from_slice(&head.sent.to_le_bytes());
    header[36..44].copy_from_slice(&head.seq.to_le_bytes());
    bytes.extend_from_slice(&header);
    bytes.extend_from_slice(payload);
}

#[inline(always)]
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

#[inline(always)]
fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

#[cfg(test)]
mod tests;
