//! The receiving half of a pair: order, no doubles, bounded room, and what the peer is to know of
//! it.
//!
//! An acknowledgement says that a unit has come, as the network card's did on Myrinet, not that the
//! program has taken it; how much more may come is said beside it.

use super::counters::UdpCounts;
use super::datagram::{Ack, Unit, WORDS_MAX};
use super::options::UdpOptions;
use crate::transport::{Flag, Head};
use crate::transports::sockets::arrive::Span;

/// Bytes that a peer may fill here, and the bounds of that in units.
const ROOM_BYTES: usize = 16 << 20;
const ROOM_UNITS: std::ops::RangeInclusive<usize> = 256..=1024;

struct Slot {
    head: Head,
    payload: Vec<u8>,
    came: Option<Span>,
    present: bool,
}

/// Units that have come and are not yet taken.
pub(super) struct Incoming {
    slots: Box<[Slot]>,
    /// Before this all is released; one unit from there on may be in the node's hands.
    released: u64,
    in_hand: bool,
    /// Every unit before this has come.
    expected: u64,
    /// No unit from here on has.
    end: u64,
    /// The last that the peer was told of its room.
    told: u64,
    owed: u32,
    urgent: bool,
    acks_every: u32,
}

/// Units that a peer may send before it has heard of us, for datagrams of so many bytes; the same
/// on both ends.
pub(super) fn room(datagram_bytes: u32) -> usize {
    let units = ROOM_BYTES / datagram_bytes.max(1) as usize;
    units.clamp(*ROOM_UNITS.start(), *ROOM_UNITS.end()).next_power_of_two().min(64 * WORDS_MAX)
}

impl Incoming {
    pub fn new(options: &UdpOptions, acks_every: u32) -> Incoming {
        let head = Head::control(Flag::Last);
        let slot = || Slot { head, payload: Vec::new(), came: None, present: false };
        let slots: Box<[Slot]> = (0..room(options.datagram_bytes)).map(|_| slot()).collect();
        let told = slots.len() as u64;
        Incoming {
            slots,
            released: 0,
            in_hand: false,
            expected: 0,
            end: 0,
            told,
            owed: 0,
            urgent: false,
            acks_every,
        }
    }

    /// A unit has come.
    #[inline]
    pub fn accept(&mut self, unit: &Unit<'_>, came: Option<Span>, counts: &mut UdpCounts) {
        let seq = unit.seq;
        self.owed += 1;
        if seq < self.expected || (seq < self.end && self.slot(seq).present) {
            counts.duplicates_removed += 1;
            // Its sender does not know that it has come.
            self.urgent = true;
            return;
        }
        if seq >= self.released + self.slots.len() as u64 {
            counts.beyond_room += 1;
            self.urgent = true;
            return;
        }
        if seq != self.expected || self.end > self.expected {
            // Behind a gap, or filling one.
            self.urgent = true;
            counts.out_of_order += u64::from(seq != self.expected);
        }
        let slot = self.slot(seq);
        (slot.head, slot.came, slot.present) = (unit.head, came, true);
        slot.payload.clear();
        slot.payload.extend_from_slice(unit.payload);
        self.end = self.end.max(seq + 1);
        while self.expected < self.end && self.slot(self.expected).present {
            self.expected += 1;
        }
    }

    /// The peer wants to know.
    pub fn is_asked(&mut self) {
        self.urgent = true;
    }

    /// The next unit in order, if it is here. The one before is released.
    #[inline]
    pub fn next(&mut self) -> Option<(Head, Option<Span>)> {
        self.release();
        if !self.has_next() {
            return None;
        }
        self.in_hand = true;
        let slot = self.slot(self.released);
        Some((slot.head, slot.came))
    }

    /// Whether [`Incoming::next`] has something.
    #[inline]
    pub fn has_next(&self) -> bool {
        self.released + u64::from(self.in_hand) < self.expected
    }

    /// The unit in hand is no longer needed.
    #[inline]
    pub fn release(&mut self) {
        if self.in_hand {
            let at = self.released;
            self.slot(at).present = false;
            (self.released, self.in_hand) = (at + 1, false);
        }
    }

    /// The payload of the unit in hand.
    #[inline]
    pub fn payload(&self) -> &[u8] {
        &self.slots[self.index(self.released)].payload
    }

    /// Whether the peer should hear of it: now (`idle`: there is nothing else to do), or with the
    /// next message at the latest.
    pub fn owes(&self, idle: bool) -> bool {
        let room = self.released + self.slots.len() as u64 - self.told;
        self.urgent
            || self.owed >= self.acks_every
            || (idle && self.owed > 0)
            || room >= self.slots.len() as u64 / 4
    }

    /// What the peer is to know, which is then told.
    pub fn tell(&mut self, ack: &mut Ack) {
        (self.urgent, self.owed) = (false, 0);
        self.told = self.released + self.slots.len() as u64;
        ack.before = self.expected;
        ack.room = (self.told - self.expected) as u32;
        ack.used = 0;
        if self.end <= self.expected + 1 {
            return;
        }
        let beyond = (self.end - self.expected - 1) as usize;
        ack.used = beyond.div_ceil(64).min(WORDS_MAX);
        ack.words[..ack.used].fill(0);
        for at in 0..beyond.min(64 * WORDS_MAX) {
            let present = self.slots[self.index(self.expected + 1 + at as u64)].present;
            ack.words[at / 64] |= u64::from(present) << (at % 64);
        }
    }

    #[inline]
    fn index(&self, seq: u64) -> usize {
        seq as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn slot(&mut self, seq: u64) -> &mut Slot {
        let at = self.index(seq);
        &mut self.slots[at]
    }
}
