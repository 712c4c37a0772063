//! What a client asks for.

use super::fields::{Entry, Fields, PageBytes};
use super::{Header, Kind, WireError};

/// A request, in the bytes that it came in.
#[derive(Clone)]
pub(crate) enum Request<'a> {
    Start { version: u16, encrypt: bool },
    Who,
    Reserve { slots: u32 },
    Write(Items<'a>),
    Read(Slots<'a>),
    Discard(Slots<'a>),
    Ping { ticks: u64 },
}

/// Pages with their entries.
#[derive(Clone)]
pub(crate) struct Items<'a>(Fields<'a>);

/// Numbers of slots.
#[derive(Clone)]
pub(crate) struct Slots<'a>(Fields<'a>);

impl<'a> Request<'a> {
    /// Understand a body whose header has been checked.
    #[inline]
    pub fn decode(header: &Header, body: &'a [u8]) -> Result<Request<'a>, WireError> {
        let mut fields = Fields::new(body);
        Ok(match header.kind {
            Kind::Start => Request::Start { version: fields.u16(), encrypt: flag(fields.u16())? },
            Kind::Who => Request::Who,
            Kind::Reserve => Request::Reserve { slots: fields.u32() },
            Kind::Write => Request::Write(Items(fields)),
            Kind::Read => Request::Read(Slots(fields)),
            Kind::Discard => Request::Discard(Slots(fields)),
            Kind::Ping => Request::Ping { ticks: fields.u64() },
            answer => return Err(WireError::Kind(answer as u8)),
        })
    }
}

/// Append a frame that begins a connection.
pub(crate) fn put_start(out: &mut Vec<u8>, version: u16, encrypt: bool) {
    out.extend_from_slice(&Header::new(Kind::Start, 1, 0).encode());
    out.extend_from_slice(&version.to_le_bytes());
    out.extend_from_slice(&u16::from(encrypt).to_le_bytes());
}

impl<'a> Iterator for Items<'a> {
    type Item = (Entry, &'a PageBytes);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        (!self.0.rest().is_empty()).then(|| (self.0.entry(), self.0.page()))
    }
}

impl Iterator for Slots<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        (!self.0.rest().is_empty()).then(|| self.0.u32())
    }
}

fn flag(value: u16) -> Result<bool, WireError> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(WireError::Field("choice of encryption")),
    }
}
