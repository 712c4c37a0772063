//! Requests on their way into the socket.
//!
//! They wait in blocks, each as long as the longest frame, which are used again: so a page is
//! copied once, and nothing is ever moved up.

use crate::wire::fields::Entry;
use crate::wire::{BATCH_MAX, ENTRY_BYTES, FRAME_BYTES_MAX, HEADER_BYTES, Header, Kind};
use std::collections::VecDeque;

/// Bytes that wait before there is no more room.
const WAITING_BYTES_MAX: u64 = 1 << 20;
/// Blocks that are kept for use: as many as can be full while there is room, and one that is begun.
const BLOCKS: usize = WAITING_BYTES_MAX as usize / FRAME_BYTES_MAX + 2;

/// Frames in a row; the last one may still grow.
pub(super) struct Outgoing {
    blocks: VecDeque<Vec<u8>>,
    spare: Vec<Vec<u8>>,
    /// Of the first block.
    gone: usize,
    /// Bytes of the stream that were put in.
    put: u64,
    /// Bytes of the stream that the socket has taken.
    taken: u64,
    open: Option<Open>,
    requests: u64,
}

/// A frame that more pages or slots may join. It is the last one in the last block.
struct Open {
    at: usize,
    kind: Kind,
    count: usize,
    request: u64,
}

/// A frame that was begun.
pub(super) struct Begun {
    pub request: u64,
    /// Where it begins in the stream.
    pub position: u64,
}

impl Outgoing {
    /// Whether the socket has taken all that was put in.
    pub fn is_empty(&self) -> bool {
        self.put == self.taken
    }

    pub fn new() -> Outgoing {
        let spare = (0..BLOCKS).map(|_| Vec::with_capacity(FRAME_BYTES_MAX)).collect();
        let blocks = VecDeque::with_capacity(BLOCKS);
        Outgoing { blocks, spare, gone: 0, put: 0, taken: 0, open: None, requests: 0 }
    }

    /// Whether more may be put in.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.put - self.taken < WAITING_BYTES_MAX
    }

    /// Put in a frame that is whole, with this body.
    pub fn whole(&mut self, kind: Kind, body: &[u8]) -> Begun {
        let begun = self.begin(kind, body.len());
        self.append(&[body]);
        self.seal();
        begun
    }

    /// Put a page into the open frame of writes. `Some`: that is a new one.
    #[inline]
    pub fn page(&mut self, entry: &Entry, bytes: &[u8]) -> Option<Begun> {
        self.join(Kind::Write, BATCH_MAX, &[&entry.encode(), bytes])
    }

    /// Put a slot into the open frame of `kind`, which takes `most`. `Some`: that is a new one.
    pub fn slot(&mut self, kind: Kind, most: usize, slot: u32) -> Option<Begun> {
        self.join(kind, most, &[&slot.to_le_bytes()])
    }

    /// No more joins the open frame.
    pub fn seal(&mut self) {
        if let (Some(open), Some(block)) = (self.open.take(), self.blocks.back_mut()) {
            let header = Header::new(open.kind, open.count, open.request).encode();
            block[open.at..][..HEADER_BYTES].copy_from_slice(&header);
        }
    }

    /// The beginning of what waits, all frames sealed; empty when nothing does.
    #[inline]
    pub fn waiting(&self) -> &[u8] {
        debug_assert!(self.open.is_none());
        self.blocks.front().map_or(&[], |block| &block[self.gone..])
    }

    /// The socket has taken so many bytes of [`Outgoing::waiting`].
    #[inline]
    pub fn went(&mut self, bytes: usize) {
        self.gone += bytes;
        self.taken += bytes as u64;
        if self.blocks.front().is_some_and(|block| block.len() == self.gone) {
            self.gone = 0;
            let emptied = self.blocks.pop_front().filter(|_| self.spare.len() < BLOCKS);
            self.spare.extend(emptied.map(cleared));
        }
    }

    /// Bytes of the stream that the socket has taken.
    #[inline]
    pub fn taken(&self) -> u64 {
        self.taken
    }

    #[inline]
    fn join(&mut self, kind: Kind, most: usize, item: &[&[u8]]) -> Option<Begun> {
        let bytes = item.iter().map(|part| part.len()).sum();
        let fits = self.blocks.back().is_some_and(|block| block.capacity() - block.len() >= bytes);
        if let Some(open) =
            self.open.as_mut().filter(|open| fits && open.kind == kind && open.count < most)
        {
            open.count += 1;
            self.append(item);
            return None;
        }
        let begun = self.begin(kind, bytes);
        self.append(item);
        Some(begun)
    }

    /// Begin a frame whose body has at least `bytes`.
    fn begin(&mut self, kind: Kind, bytes: usize) -> Begun {
        self.seal();
        let room = self.blocks.back().map_or(0, |block| block.capacity() - block.len());
        if room < HEADER_BYTES + bytes {
            let block = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(FRAME_BYTES_MAX));
            self.blocks.push_back(block);
        }
        self.requests += 1;
        let (at, position) = (self.blocks.back().map_or(0, Vec::len), self.put);
        self.open = Some(Open { at, kind, count: 1, request: self.requests });
        self.append(&[&[0; HEADER_BYTES]]);
        Begun { request: self.requests, position }
    }

    #[inline]
    fn append(&mut self, parts: &[&[u8]]) {
        if let Some(block) = self.blocks.back_mut() {
            let before = block.len();
            parts.iter().for_each(|part| block.extend_from_slice(part));
            self.put += (block.len() - before) as u64;
        }
    }
}

fn cleared(mut block: Vec<u8>) -> Vec<u8> {
    block.clear();
    block
}

const _: () =
    assert!(HEADER_BYTES + BATCH_MAX * (ENTRY_BYTES + pager::PAGE_BYTES) <= FRAME_BYTES_MAX);
