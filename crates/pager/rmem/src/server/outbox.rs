//! Answers that are gathered before they are sent: their headers as bytes, their pages where they
//! are kept.

use super::slots::Slots;
use crate::wire::answer::Shortage;
use crate::wire::channel::{Broken, Channel, joined};
use crate::wire::fields::Entry;
use crate::wire::{BATCH_MAX, FRAME_BYTES_MAX, HEADER_BYTES, Header, Kind};
use std::io::IoSlice;
use std::ops::Range;
use std::time::Duration;

/// Pages gathered beyond which answers leave before the next ones join them.
const PAGES_MAX: usize = 16;
/// Bytes, likewise.
const BYTES_MAX: usize = 64 << 10;

/// Answers.
pub(crate) struct Outbox {
    bytes: Vec<u8>,
    parts: Vec<Part>,
    /// Where the moment of sending belongs.
    stamps: Vec<usize>,
    pages: usize,
}

enum Part {
    Bytes(Range<usize>),
    Page(u32),
}

impl Outbox {
    pub fn new() -> Outbox {
        let parts = Vec::with_capacity(2 * BATCH_MAX);
        Outbox { bytes: Vec::with_capacity(FRAME_BYTES_MAX), parts, stamps: Vec::new(), pages: 0 }
    }

    /// Whether anything waits.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Whether it is time to send.
    pub fn is_full(&self) -> bool {
        self.pages >= PAGES_MAX || self.bytes.len() >= BYTES_MAX
    }

    /// Whether pages wait, which must leave before any slot changes.
    pub fn has_pages(&self) -> bool {
        self.pages > 0
    }

    pub fn granted(&mut self, request: u64, slots: u32, shortage: Shortage) {
        self.frame(Kind::Granted, 1, request, |out| {
            out.extend_from_slice(&slots.to_le_bytes());
            out.extend_from_slice(&(shortage as u32).to_le_bytes());
        });
    }

    pub fn stored(&mut self, request: u64, count: usize, arrived: u64, taken: u64) {
        self.frame(Kind::Stored, count, request, |out| put_times(out, arrived, taken));
    }

    /// The pages stay where they are until they are sent.
    pub fn pages(
        &mut self,
        request: u64,
        ready: u64,
        wanted: impl Iterator<Item = u32> + Clone,
        slots: &Slots,
    ) {
        let count = wanted.clone().count();
        self.stamps.push(self.bytes.len() + HEADER_BYTES + 8);
        self.frame(Kind::Pages, count, request, |out| {
            put_times(out, ready, 0);
            wanted.clone().for_each(|slot| Entry::of(slot, slots.tag(slot)).put(out));
        });
        self.parts.extend(wanted.map(Part::Page));
        self.pages += count;
    }

    pub fn pong(&mut self, request: u64, ticks: u64, received: u64) {
        self.frame(Kind::Pong, 1, request, |out| {
            out.extend_from_slice(&ticks.to_le_bytes());
            put_times(out, received, 0);
        });
        self.stamps.push(self.bytes.len() - 8);
    }

    /// Send all of it; `now` is the moment that goes with it.
    pub fn send(
        &mut self,
        channel: &mut Channel,
        slots: &Slots,
        now: u64,
        patience: Duration,
    ) -> Result<(), Broken> {
        self.stamp(now);
        let sent = channel.send_parts(&mut self.slices(slots), patience);
        self.clear();
        sent
    }

    /// All of it as it would be sent.
    pub fn take(&mut self, slots: &Slots, now: u64) -> Vec<u8> {
        self.stamp(now);
        let bytes = joined(&self.slices(slots));
        self.clear();
        bytes
    }

    fn stamp(&mut self, now: u64) {
        for stamp in self.stamps.drain(..) {
            self.bytes[stamp..][..8].copy_from_slice(&now.to_le_bytes());
        }
    }

    fn slices<'a>(&'a self, slots: &'a Slots) -> Vec<IoSlice<'a>> {
        let slice = |part: &Part| match part {
            Part::Bytes(range) => IoSlice::new(&self.bytes[range.clone()]),
            Part::Page(slot) => IoSlice::new(slots.bytes(*slot)),
        };
        self.parts.iter().map(slice).collect()
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.parts.clear();
        self.pages = 0;
    }

    #[inline]
    fn frame(&mut self, kind: Kind, count: usize, request: u64, body: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&Header::new(kind, count, request).encode());
        body(&mut self.bytes);
        let end = self.bytes.len();
        match self.parts.last_mut() {
            Some(Part::Bytes(range)) => range.end = end,
            _ => self.parts.push(Part::Bytes(start..end)),
        }
    }
}

#[inline]
fn put_times(out: &mut Vec<u8>, first: u64, second: u64) {
    out.extend_from_slice(&first.to_le_bytes());
    out.extend_from_slice(&second.to_le_bytes());
}
