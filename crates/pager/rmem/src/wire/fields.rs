//! Numbers, entries and pages in a body whose length has been checked.

use super::ENTRY_BYTES;
use pager::{Checksum, PAGE_BYTES, Tag};

/// A page's bytes.
pub type PageBytes = [u8; PAGE_BYTES];

/// Reads fields one after the other.
#[derive(Clone)]
pub(crate) struct Fields<'a>(&'a [u8]);

/// What stands beside a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub slot: u32,
    /// In a request: what the page is. In an answer: [`Entry::EMPTY`] or [`Entry::HELD`].
    pub mark: u32,
    pub tag: Tag,
}

impl Entry {
    /// The slot holds nothing.
    pub const EMPTY: u32 = 0;
    /// The slot holds a page.
    pub const HELD: u32 = 1;

    /// The entry of a slot in an answer.
    #[inline]
    pub fn of(slot: u32, tag: Option<Tag>) -> Entry {
        let none = Tag { version: 0, checksum: Checksum(0) };
        let mark = if tag.is_some() { Entry::HELD } else { Entry::EMPTY };
        Entry { slot, mark, tag: tag.unwrap_or(none) }
    }

    /// The tag of a slot in an answer.
    #[inline]
    pub fn held(&self) -> Option<Tag> {
        (self.mark != Entry::EMPTY).then_some(self.tag)
    }

    /// Its bytes.
    #[inline]
    pub fn encode(&self) -> [u8; ENTRY_BYTES] {
        let mut bytes = [0; ENTRY_BYTES];
        bytes[0..4].copy_from_slice(&self.slot.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.mark.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.tag.version.to_le_bytes());
        bytes[16..32].copy_from_slice(&self.tag.checksum.0.to_le_bytes());
        bytes
    }

    /// Append it to `out`.
    #[inline]
    pub fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.encode());
    }
}

impl<'a> Fields<'a> {
    pub fn new(bytes: &'a [u8]) -> Fields<'a> {
        Fields(bytes)
    }

    #[inline]
    pub fn u16(&mut self) -> u16 {
        u16::from_le_bytes(*self.chunk())
    }

    #[inline]
    pub fn u32(&mut self) -> u32 {
        u32::from_le_bytes(*self.chunk())
    }

    #[inline]
    pub fn u64(&mut self) -> u64 {
        u64::from_le_bytes(*self.chunk())
    }

    #[inline]
    pub fn entry(&mut self) -> Entry {
        let (slot, mark, version) = (self.u32(), self.u32(), self.u64());
        let checksum = Checksum(u128::from_le_bytes(*self.chunk()));
        Entry { slot, mark, tag: Tag { version, checksum } }
    }

    #[inline]
    pub fn page(&mut self) -> &'a PageBytes {
        self.chunk::<PAGE_BYTES>()
    }

    /// What has not been read.
    pub fn rest(&self) -> &'a [u8] {
        self.0
    }

    #[inline]
    fn chunk<const N: usize>(&mut self) -> &'a [u8; N] {
        let (chunk, rest) = self.0.split_first_chunk().expect("the body's length has been checked");
        self.0 = rest;
        chunk
    }
}
