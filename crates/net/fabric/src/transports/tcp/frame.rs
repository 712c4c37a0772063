//! The frame: what one TCP connection carries, as bytes.
//!
//! ```text
//! len u32 │ kind u8 │ flag u8 │ batch u16 │ in_flight u32 │ taken u32 │ taken_bytes u32 │ ready u64 │ sent u64 │ seq u64 │ payload
//! ```
//!
//! Little-endian, 44 bytes, then `len` bytes of payload. `taken` and `taken_bytes` count, modulo
//! 2^32, the messages and the bytes of frames that the sender of this frame has taken from its peer
//! so far: the peer's window opens by them, so traffic in both directions acknowledges itself. A
//! frame with [`ACK_FLAG`] carries the counts alone.
//!
//! Pure: bytes in, values out. Everything that comes from a connection is checked here.

use crate::transport::{Flag, Head};
use record::Kind;

/// Bytes of a frame before its payload.
pub(crate) const HEADER_BYTES: usize = 44;
/// The flag of a frame that only acknowledges.
const ACK_FLAG: u8 = 0x80;

/// A frame's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// What travels with the fragment; `None` for a mere acknowledgement.
    pub head: Option<Head>,
    /// Payload bytes.
    pub len: usize,
    /// What the other end has taken of what we sent.
    pub taken: Taken,
}

/// How much of what the peer sent has been taken; counts wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken {
    /// Messages.
    pub messages: u32,
    /// Bytes of frames, headers included.
    pub bytes: u32,
}

/// Why bytes are not a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FrameError {
    #[error("a frame of {len} bytes where at most {limit} are allowed")]
    TooLong { len: u32, limit: usize },
    #[error("a frame of unknown kind {0}")]
    UnknownKind(u8),
    #[error("a frame with unknown flag {0}")]
    UnknownFlag(u8),
    #[error("a control frame with {len} bytes of payload")]
    ControlWithPayload { len: u32 },
    #[error("an acknowledgement of messages that were never sent")]
    AcknowledgesTooMuch,
    #[error("a frame after its good-bye")]
    AfterBye,
}

impl Frame {
    /// Read a header off the beginning of `bytes`. `None`: not all of it has come yet.
    #[inline]
    pub fn decode(bytes: &[u8], payload_bytes_max: usize) -> Result<Option<Frame>, FrameError> {
        let Some(header) = bytes.first_chunk::<HEADER_BYTES>() else { return Ok(None) };
        let len = u32_at(header, 0);
        let (kind, flag) = (header[4], header[5]);
        if len as usize > payload_bytes_max {
            return Err(FrameError::TooLong { len, limit: payload_bytes_max });
        }
        let taken = Taken { messages: u32_at(header, 12), bytes: u32_at(header, 16) };
        if flag != Flag::Last as u8 && flag != Flag::More as u8 && len != 0 {
            return Err(FrameError::ControlWithPayload { len });
        }
        if flag == ACK_FLAG {
            return Ok(Some(Frame { head: None, len: 0, taken }));
        }
        let head = Head {
            ready: u64_at(header, 20),
            sent: u64_at(header, 28),
            seq: u64_at(header, 36),
            kind: Kind::from_code(kind).ok_or(FrameError::UnknownKind(kind))?,
            flag: Flag::from_code(flag).ok_or(FrameError::UnknownFlag(flag))?,
            batch: u16::from_le_bytes([header[6], header[7]]),
            in_flight: u32_at(header, 8),
        };
        Ok(Some(Frame { head: Some(head), len: len as usize, taken }))
    }

    /// The header's bytes.
    #[inline]
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        header[0..4].copy_from_slice(&(self.len as u32).to_le_bytes());
        header[5] = ACK_FLAG;
        header[12..16].copy_from_slice(&self.taken.messages.to_le_bytes());
        header[16..20].copy_from_slice(&self.taken.bytes.to_le_bytes());
        if let Some(head) = &self.head {
            header[4] = head.kind as u8;
            header[5] = head.flag as u8;
            header[6..8].copy_from_slice(&head.batch.to_le_bytes());
            header[8..12].copy_from_slice(&head.in_flight.to_le_bytes());
            header[20..28].copy_from_slice(&head.ready.to_le_bytes());
            header[28..36].copy_from_slice(&head.sent.to_le_bytes());
            header[36..44].copy_from_slice(&head.seq.to_le_bytes());
        }
        header
    }

    /// Bytes of the whole frame.
    #[inline]
    pub fn wire_bytes(&self) -> usize {
        HEADER_BYTES + self.len
    }

    /// Whether a message ends with this frame.
    #[inline]
    pub fn ends_message(&self) -> bool {
        self.head.is_some_and(|head| head.flag == Flag::Last)
    }
}

#[inline(always)]
fn u32_at(header: &[u8; HEADER_BYTES], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| header[at + i]))
}

#[inline(always)]
fn u64_at(header: &[u8; HEADER_BYTES], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| header[at + i]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn head(flag: Flag, seq: u64) -> Head {
        Head { ready: 1, sent: 2, seq, kind: Kind::Data, flag, batch: 3, in_flight: 4 }
    }

    proptest! {
        #[test]
        fn a_frame_survives_the_wire(
            ready: u64, sent: u64, seq: u64, kind in 0..Kind::ALL.len() as u8, flag in 0u8..4, batch: u16, in_flight: u32,
            messages: u32, bytes: u32, len in 0usize..1000, ack: bool,
        ) {
            let flag = Flag::from_code(flag).unwrap();
            let len = if ack || matches!(flag, Flag::Bye | Flag::Barrier) { 0 } else { len };
            let kind = Kind::from_code(kind).unwrap();
            let head = (!ack).then_some(Head { ready, sent, seq, kind, flag, batch, in_flight });
            let frame = Frame { head, len, taken: Taken { messages, bytes } };
            prop_assert_eq!(Frame::decode(&frame.encode(), 1000), Ok(Some(frame)));
        }

        #[test]
        fn any_bytes_give_a_value_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            if let Ok(Some(frame)) = Frame::decode(&bytes, 64) {
                prop_assert!(frame.len <= 64 && bytes.len() >= HEADER_BYTES);
            }
        }
    }

    #[test]
    fn what_is_not_a_frame_is_named() {
        let good =
            Frame { head: Some(head(Flag::Last, 0)), len: 8, taken: Taken::default() }.encode();
        let with = |at: usize, value: u8| {
            let mut bytes = good;
            bytes[at] = value;
            Frame::decode(&bytes, 100)
        };
        assert_eq!(with(0, 101), Err(FrameError::TooLong { len: 101, limit: 100 }));
        let unknown = Kind::ALL.len() as u8;
        assert_eq!(with(4, unknown), Err(FrameError::UnknownKind(unknown)));
        assert_eq!(with(5, 2), Err(FrameError::ControlWithPayload { len: 8 }));
        assert_eq!(with(5, ACK_FLAG), Err(FrameError::ControlWithPayload { len: 8 }));
        let mut empty = good;
        (empty[0], empty[5]) = (0, 9);
        assert_eq!(Frame::decode(&empty, 100), Err(FrameError::UnknownFlag(9)));
        assert_eq!(Frame::decode(&good[..HEADER_BYTES - 1], 100), Ok(None));
    }
}
