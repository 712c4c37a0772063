//! What a server answers.

use super::fields::Fields;
use super::{ENTRY_BYTES, Header, Kind, WireError};
use pager::Tag;

/// What a slot held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageEntry {
    /// The tag beside the bytes; `None`: the slot is empty, and the bytes are zeros.
    pub tag: Option<Tag>,
}

/// Why a server granted less than was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortage {
    /// It granted all.
    None,
    /// Its memory is used up.
    Full,
    /// Its machine is short of memory.
    Machine,
}

/// An answer, in the bytes that it came in. Stamps are the server's ticks.
pub(crate) enum Answer<'a> {
    Started,
    Greeting(&'a [u8]),
    Granted { slots: u32, shortage: Shortage },
    Stored { arrived: u64, taken: u64 },
    Pages { ready: u64, sent: u64, entries: Entries<'a>, bytes: &'a [u8] },
    Pong { ticks: u64, received: u64, sent: u64 },
    Refused(Refusal),
}

/// What the slots of a batch hold.
#[derive(Clone)]
pub(crate) struct Entries<'a>(Fields<'a>);

/// Why a server ends a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Refusal {
    Version = 1,
    Encryption = 2,
    Busy = 3,
    Slot = 4,
    Frame = 5,
}

impl<'a> Answer<'a> {
    /// Understand a body whose header has been checked.
    #[inline]
    pub fn decode(header: &Header, body: &'a [u8]) -> Result<Answer<'a>, WireError> {
        let mut fields = Fields::new(body);
        Ok(match header.kind {
            Kind::Started => Answer::Started,
            Kind::Greeting => Answer::Greeting(body),
            Kind::Granted => {
                Answer::Granted { slots: fields.u32(), shortage: shortage(fields.u32())? }
            }
            Kind::Stored => Answer::Stored { arrived: fields.u64(), taken: fields.u64() },
            Kind::Pages => {
                let (ready, sent) = (fields.u64(), fields.u64());
                let (entries, bytes) =
                    fields.rest().split_at(usize::from(header.count) * ENTRY_BYTES);
                Answer::Pages { ready, sent, entries: Entries(Fields::new(entries)), bytes }
            }
            Kind::Pong => {
                Answer::Pong { ticks: fields.u64(), received: fields.u64(), sent: fields.u64() }
            }
            Kind::Refused => Answer::Refused(Refusal::from_code(fields.u32())?),
            request => return Err(WireError::Kind(request as u8)),
        })
    }
}

impl Iterator for Entries<'_> {
    type Item = PageEntry;

    #[inline]
    fn next(&mut self) -> Option<PageEntry> {
        (!self.0.rest().is_empty()).then(|| PageEntry { tag: self.0.entry().held() })
    }
}

impl Refusal {
    /// For the client's user: why, and what to do.
    pub fn reason(self) -> &'static str {
        match self {
            Refusal::Version => {
                "it uses another version of the protocol; install the same Fourstamp on both \
                machines"
            }
            Refusal::Encryption => {
                "it accepts only encrypted connections: give --encrypt to `pager run`"
            }
            Refusal::Busy => "it has as many clients as it can serve; name another server",
            Refusal::Slot => "it was asked for a slot that it never granted",
            Refusal::Frame => "it did not understand a request",
        }
    }

    fn from_code(code: u32) -> Result<Refusal, WireError> {
        const ALL: [Refusal; 5] =
            [Refusal::Version, Refusal::Encryption, Refusal::Busy, Refusal::Slot, Refusal::Frame];
        ALL.into_iter().find(|refusal| *refusal as u32 == code).ok_or(WireError::Field("reason"))
    }
}

fn shortage(code: u32) -> Result<Shortage, WireError> {
    const ALL: [Shortage; 3] = [Shortage::None, Shortage::Full, Shortage::Machine];
    ALL.into_iter().find(|shortage| *shortage as u32 == code).ok_or(WireError::Field("shortage"))
}
