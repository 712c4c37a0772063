//! What travels with a fragment, as bytes: the part that the headers of tcp's frames, udp's units
//! and mpi's messages share. Little-endian, 32 bytes. Pure.

use crate::transport::{Flag, Head};
use record::Kind;
use zerocopy::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// A head on the wire. Nothing in it has been checked.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct WireHead {
    pub kind: u8,
    pub flag: u8,
    pub batch: U16,
    pub in_flight: U32,
    pub ready: U64,
    pub sent: U64,
    pub seq: U64,
}

/// Why bytes are not a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HeadError {
    #[error("of unknown kind {0}")]
    UnknownKind(u8),
    #[error("with unknown flag {0}")]
    UnknownFlag(u8),
}

impl WireHead {
    #[inline]
    pub fn of(head: &Head) -> WireHead {
        WireHead {
            kind: head.kind as u8,
            flag: head.flag as u8,
            batch: head.batch.into(),
            in_flight: head.in_flight.into(),
            ready: head.ready.into(),
            sent: head.sent.into(),
            seq: head.seq.into(),
        }
    }

    #[inline]
    pub fn check(&self) -> Result<Head, HeadError> {
        Ok(Head {
            ready: self.ready.get(),
            sent: self.sent.get(),
            seq: self.seq.get(),
            kind: Kind::from_code(self.kind).ok_or(HeadError::UnknownKind(self.kind))?,
            flag: Flag::from_code(self.flag).ok_or(HeadError::UnknownFlag(self.flag))?,
            batch: self.batch.get(),
            in_flight: self.in_flight.get(),
        })
    }
}
