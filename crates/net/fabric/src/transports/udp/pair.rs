//! One node's half of a pair, without sockets and clocks: messages and datagrams in, datagrams and
//! messages out, and time as an argument (in ticks, whatever a tick is).

use super::counters::{Resent, UdpReport};
use super::datagram::{
    self, Ack, DatagramError, HEADER_BYTES, OVERHEAD_BYTES, Reader, TagKey, UNIT_BYTES,
};
use super::incoming::{self, Incoming};
use super::options::UdpOptions;
use super::outgoing::Outgoing;
use super::timing::Times;
use crate::spec::NodeId;
use crate::transport::{Flag, Head};
use crate::transports::sockets::arrive::Span;

/// The keys of a pair's two directions.
#[derive(Clone, Copy)]
pub(crate) struct PairKeys {
    pub ours: TagKey,
    pub theirs: TagKey,
}

/// What a pair is set up with.
pub(crate) struct Setup {
    pub peer: NodeId,
    pub options: UdpOptions,
    pub times: Times,
    pub keys: PairKeys,
    /// An acknowledgement goes by itself once it is owed for so many messages.
    pub acks_every: u32,
    pub now: u64,
}

/// The state that a node keeps about a peer.
pub(crate) struct Pair {
    peer: NodeId,
    keys: PairKeys,
    datagram_bytes: usize,
    units_max: u16,
    outgoing: Outgoing,
    incoming: Incoming,
    bye_seen: bool,
    /// Messages that went again in the last datagram.
    again: u32,
}

impl Pair {
    pub fn new(setup: Setup) -> Pair {
        let Setup { peer, options, times, keys, acks_every, now } = setup;
        let room = incoming::room(options.datagram_bytes) as u64;
        Pair {
            peer,
            keys,
            datagram_bytes: options.datagram_bytes as usize,
            units_max: options.messages_per_datagram,
            outgoing: Outgoing::new(&options, times, room, now),
            incoming: Incoming::new(&options, acks_every),
            bye_seen: false,
            again: 0,
        }
    }

    /// Longest payload of a unit, for datagrams of so many bytes.
    pub fn payload_bytes_max(datagram_bytes: u32) -> usize {
        (datagram_bytes as usize).saturating_sub(OVERHEAD_BYTES + UNIT_BYTES)
    }

    /// Messages that are not acknowledged.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        self.outgoing.in_flight()
    }

    /// Whether a unit may be put in.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.outgoing.has_room()
    }

    /// A unit found no room.
    pub fn found_no_room(&mut self, now: u64) {
        self.outgoing.found_no_room(now);
    }

    /// Put in a unit for which there is room.
    #[inline]
    pub fn put(&mut self, head: &Head, payload: &[u8]) {
        self.outgoing.put(head, payload);
    }

    /// Write the next datagram that should go now, if there is one. `idle`: also one that only
    /// acknowledges what could wait.
    #[inline]
    pub fn transmit(
        &mut self,
        now: u64,
        idle: bool,
        out: &mut Vec<u8>,
        report: &mut UdpReport,
    ) -> bool {
        self.outgoing.look(now, &mut report.counts);
        let due = self.outgoing.due().is_some();
        let asks = self.outgoing.asks(now);
        if !due && !asks && !self.incoming.owes(idle) {
            return false;
        }
        let mut ack = Ack { asks, ..Ack::default() };
        self.incoming.tell(&mut ack);
        datagram::begin(out, &ack);
        self.again = 0;
        let units = if due { self.fill(now, out, report) } else { 0 };
        datagram::set_units(out, units);
        self.keys.ours.seal(out);
        report.counts.datagrams_sent += 1;
        report.counts.acknowledgements_sent += u64::from(units == 0);
        true
    }

    /// Messages that went again in the datagram written last.
    pub fn again(&self) -> u32 {
        self.again
    }

    fn fill(&mut self, now: u64, out: &mut Vec<u8>, report: &mut UdpReport) -> u16 {
        self.outgoing.begin_datagram();
        let (mut units, mut again) = (0, 0);
        while units < self.units_max
            && self.outgoing.due().is_some_and(|bytes| out.len() + bytes <= self.datagram_bytes)
        {
            again += u32::from(self.outgoing.append_due(out, now));
            units += 1;
        }
        self.again = again;
        if again > 0 {
            report.note(Resent { at: now, peer: self.peer, messages: again });
        }
        units
    }

    /// A datagram has come from the peer's address. `Ok(false)`: the peer did not make it.
    #[inline]
    pub fn receive(
        &mut self,
        datagram: &[u8],
        came: Option<Span>,
        now: u64,
        report: &mut UdpReport,
    ) -> Result<bool, DatagramError> {
        if datagram.len() < HEADER_BYTES || !self.keys.theirs.holds(datagram) {
            report.counts.refused += 1;
            return Ok(false);
        }
        report.counts.datagrams_received += 1;
        let mut reader = Reader::new(datagram)?;
        self.outgoing.acknowledged(&reader.ack, now, &mut report.counts)?;
        if reader.ack.asks {
            self.incoming.is_asked();
        }
        while let Some(unit) = reader.next()? {
            self.bye_seen |= unit.head.flag == Flag::Bye;
            self.incoming.accept(&unit, came, &mut report.counts);
        }
        Ok(true)
    }

    /// The next unit in order, if it is here. The one before is released.
    #[inline]
    pub fn next(&mut self) -> Option<(Head, Option<Span>)> {
        self.incoming.next()
    }

    /// Whether [`Pair::next`] has something.
    #[inline]
    pub fn has_next(&self) -> bool {
        self.incoming.has_next()
    }

    /// The payload of the unit in hand.
    #[inline]
    pub fn payload(&self) -> &[u8] {
        self.incoming.payload()
    }

    /// Whether the peer's good-bye has come, though perhaps not all before it.
    pub fn bye_seen(&self) -> bool {
        self.bye_seen
    }

    /// Whether the peer has all that was sent.
    pub fn all_acknowledged(&self) -> bool {
        self.outgoing.is_empty()
    }

    /// When [`Pair::transmit`] may have something to do though nothing comes.
    pub fn deadline(&self) -> u64 {
        self.outgoing.deadline()
    }
}

#[cfg(test)]
impl Pair {
    /// For a test that must fail: from now on it believes more than acknowledgements say.
    pub fn become_credulous(&mut self) {
        self.outgoing.credulous = true;
    }
}
