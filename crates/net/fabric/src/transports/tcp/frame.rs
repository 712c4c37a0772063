//! The frame: what one TCP connection carries, as bytes.
//!
//! ```text
//! len u32 │ head 32 ([`WireHead`]) │ taken u32 │ taken_bytes u32 │ payload
//! ```
//!
//! Little-endian, 44 bytes, then `len` bytes of payload. `taken` and `taken_bytes` count, modulo
//! 2^32, the messages and the bytes of frames that the sender of this frame has taken from its peer
//! so far: the peer's window opens by them, so traffic in both directions acknowledges itself. A
//! frame with [`ACK_FLAG`] carries the counts alone.
//!
//! Pure: bytes in, values out. Everything that comes from a connection is checked here.

use crate::transport::{Flag, Head};
use crate::transports::head::{HeadError, WireHead};
use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Bytes of a frame before its payload.
pub(crate) const HEADER_BYTES: usize = size_of::<WireFrame>();
/// The flag of a frame that only acknowledges.
const ACK_FLAG: u8 = 0x80;

/// A frame's header on the wire.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct WireFrame {
    len: U32,
    head: WireHead,
    taken: U32,
    taken_bytes: U32,
}

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
    #[error("a frame {0}")]
    Head(#[from] HeadError),
    #[error("a control frame with {len} bytes of payload")]
    ControlWithPayload { len: u32 },
    #[error("an acknowledgement of messages that were never sent")]
    AcknowledgesTooMuch,
    #[error("a frame after its closing frame")]
    AfterBye,
}

impl Frame {
    /// Read a header off the beginning of `bytes`. `None`: not all of it has come yet.
    #[inline]
    pub fn decode(bytes: &[u8], payload_bytes_max: usize) -> Result<Option<Frame>, FrameError> {
        let Ok((wire, _)) = WireFrame::ref_from_prefix(bytes) else { return Ok(None) };
        let (len, flag) = (wire.len.get(), wire.head.flag);
        if len as usize > payload_bytes_max {
            return Err(FrameError::TooLong { len, limit: payload_bytes_max });
        }
        let taken = Taken { messages: wire.taken.get(), bytes: wire.taken_bytes.get() };
        if flag != Flag::Last as u8 && flag != Flag::More as u8 && len != 0 {
            return Err(FrameError::ControlWithPayload { len });
        }
        if flag == ACK_FLAG {
            return Ok(Some(Frame { head: None, len: 0, taken }));
        }
        Ok(Some(Frame { head: Some(wire.head.check()?), len: len as usize, taken }))
    }

    /// The header's bytes.
    #[inline]
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let none = WireHead { flag: ACK_FLAG, ..WireHead::default() };
        let wire = WireFrame {
            len: (self.len as u32).into(),
            head: self.head.as_ref().map_or(none, WireHead::of),
            taken: self.taken.messages.into(),
            taken_bytes: self.taken.bytes.into(),
        };
        zerocopy::transmute!(wire)
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use record::Kind;

    pub(crate) fn head(flag: Flag, seq: u64) -> Head {
        Head { ready: 1, sent: 2, seq, kind: Kind::Data, flag, batch: 3, in_flight: 4 }
    }

    proptest! {
        #[test]
        fn a_frame_survives_the_wire(
            ready: u64, sent: u64, seq: u64, kind in 0..Kind::ALL.len() as u8, flag in 0u8..4,
            batch: u16, in_flight: u32, messages: u32, bytes: u32, len in 0usize..1000, ack: bool,
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
        assert_eq!(with(4, unknown), Err(FrameError::Head(HeadError::UnknownKind(unknown))));
        assert_eq!(with(5, 2), Err(FrameError::ControlWithPayload { len: 8 }));
        assert_eq!(with(5, ACK_FLAG), Err(FrameError::ControlWithPayload { len: 8 }));
        let mut empty = good;
        (empty[0], empty[5]) = (0, 9);
        assert_eq!(Frame::decode(&empty, 100), Err(FrameError::Head(HeadError::UnknownFlag(9))));
        assert_eq!(Frame::decode(&good[..HEADER_BYTES - 1], 100), Ok(None));
    }
}
