//! What the pager counts: pages, frames, places, slots.

use std::fmt;

/// Bytes of a page.
pub const PAGE_BYTES: usize = 4096;

/// A page of the program's memory: its address divided by [`PAGE_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Page(pub u64);

/// A page-sized place in the driver's own memory, where pages are on their way out, and parity is
/// made. Numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frame(pub u32);

/// Where pages are kept outside the program: a memory server, numbered as given, or the local disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(pub u16);

impl Place {
    /// The local disk. It never fills up, as far as the pager knows.
    pub const DISK: Place = Place(u16::MAX);
}

impl fmt::Display for Place {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Place::DISK => write!(to, "the disk"),
            Place(number) => write!(to, "server {number}"),
        }
    }
}

/// A page-sized slot at a place. Numbered by the pager, from 0, for each place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u32);

/// Something that was asked of a place and will be answered once: by
/// [`Pager::done`](crate::Pager::done).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operation(pub u64);

/// 128 bits of a page's contents; equal contents have equal checksums, and others practically
/// never.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Checksum(pub u128);

/// What is kept beside the bytes in a slot, so that an old or damaged page is never taken for the
/// right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag {
    /// Grows with every page that is sent out: no two contents of the run have the same.
    pub version: u64,
    /// Of the bytes.
    pub checksum: Checksum,
}
