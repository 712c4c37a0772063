//! The sending half of a pair: what has not been acknowledged, and when it goes again.
//!
//! A unit is **waiting** until it goes for the first time, **flying** until it is acknowledged or
//! thought lost, **lost** until it goes again, and **done** once the peer has said that it has it.
//! The window counts what is not done, so one lost message does not stop the others: they go on up
//! to [`SPAN`] windows ahead of it.
//!
//! There is no congestion control: the window is the only bound, as it was on Myrinet.

use super::counters::UdpCounts;
use super::datagram::{Ack, DatagramError, Unit, WORDS_MAX, encode_unit};
use super::options::UdpOptions;
use super::timing::{GAP, RoundTrips, Times};
use crate::transport::{Flag, Head};
use std::collections::VecDeque;

/// Windows between the oldest unacknowledged message and the newest.
const SPAN: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Flying,
    Lost,
    Done,
}

struct Slot {
    /// The unit as it goes over the wire.
    bytes: Vec<u8>,
    state: State,
    ends_message: bool,
    sent_at: u64,
    /// Number of the datagram that it went with last.
    order: u64,
    times_sent: u32,
}

/// Units on their way to the peer.
pub(super) struct Outgoing {
    slots: Box<[Slot]>,
    window: u32,
    /// The oldest that is not done; the first that has not gone; the first that is not there.
    base: u64,
    fresh: u64,
    next: u64,
    /// Units before this are welcome.
    limit: u64,
    units: u32,
    messages: u32,
    lost: VecDeque<u64>,
    order: u64,
    /// The latest datagram of which something was acknowledged.
    order_acked: u64,
    trips: RoundTrips,
    times: Times,
    /// When to look at the timers again: not too late, perhaps too early.
    look_at: u64,
    /// Somebody found no room because the peer has none: ask it now and then.
    wants_room: bool,
    ask_at: u64,
    asked: u32,
    /// Of a test that must fail: believe acknowledgements of one unit more than they say.
    #[cfg(test)]
    pub credulous: bool,
}

impl Outgoing {
    /// `room`: what the peer takes before it has said anything. `now`: from when the periods count.
    pub fn new(options: &UdpOptions, times: Times, room: u64, now: u64) -> Outgoing {
        let span = (options.max_acks as usize * SPAN).next_power_of_two().min(64 * WORDS_MAX);
        let slot = || Slot {
            bytes: Vec::new(),
            state: State::Done,
            ends_message: false,
            sent_at: 0,
            order: 0,
            times_sent: 0,
        };
        Outgoing {
            slots: (0..span).map(|_| slot()).collect(),
            window: options.max_acks,
            base: 0,
            fresh: 0,
            next: 0,
            limit: room,
            units: 0,
            messages: 0,
            lost: VecDeque::with_capacity(span),
            order: 0,
            order_acked: 0,
            trips: RoundTrips::new(times),
            times,
            look_at: times.period.map_or(u64::MAX, |period| now.saturating_add(period)),
            wants_room: false,
            ask_at: u64::MAX,
            asked: 0,
            #[cfg(test)]
            credulous: false,
        }
    }

    /// Messages that are not acknowledged.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        self.messages
    }

    /// Whether all has been acknowledged.
    pub fn is_empty(&self) -> bool {
        self.units == 0
    }

    /// Whether a unit may be put in.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.units < self.window
            && self.next - self.base < self.slots.len() as u64
            && self.next < self.limit
    }

    /// A unit found no room: if that is the peer's, it has to be asked, because the word that there
    /// is room again may be lost.
    pub fn found_no_room(&mut self, now: u64) {
        if self.next >= self.limit && !self.wants_room {
            (self.wants_room, self.asked) = (true, 0);
            self.ask_at = now.saturating_add(self.trips.patience(1));
        }
    }

    /// Put in a unit for which there is room.
    #[inline]
    pub fn put(&mut self, head: &Head, payload: &[u8]) {
        let seq = self.next;
        let slot = self.slot(seq);
        encode_unit(&mut slot.bytes, &Unit { seq, head: *head, payload });
        (slot.state, slot.times_sent, slot.ends_message) =
            (State::Waiting, 0, head.flag == Flag::Last);
        self.messages += u32::from(head.flag == Flag::Last);
        self.units += 1;
        self.next += 1;
    }

    /// Bytes of the unit that should go next.
    pub fn due(&mut self) -> Option<usize> {
        while let Some(seq) = self.lost.front().copied() {
            if self.slot(seq).state == State::Lost {
                return Some(self.slot(seq).bytes.len());
            }
            // It was acknowledged after all.
            self.lost.pop_front();
        }
        (self.fresh < self.next).then(|| self.slot(self.fresh).bytes.len())
    }

    /// A datagram begins.
    pub fn begin_datagram(&mut self) {
        self.order += 1;
    }

    /// Append the unit that is due to the datagram that has begun. `true`: it goes again.
    pub fn append_due(&mut self, datagram: &mut Vec<u8>, now: u64) -> bool {
        let again = self.lost.pop_front();
        let seq = again.unwrap_or(self.fresh);
        self.fresh = self.fresh.max(seq + 1);
        let order = self.order;
        let slot = self.slot(seq);
        datagram.extend_from_slice(&slot.bytes);
        (slot.state, slot.sent_at, slot.order) = (State::Flying, now, order);
        slot.times_sent += 1;
        let times_sent = slot.times_sent;
        if self.times.period.is_none() {
            self.look_at = self.look_at.min(now.saturating_add(self.trips.patience(times_sent)));
        }
        again.is_some()
    }

    /// The peer has told what it has.
    pub fn acknowledged(
        &mut self,
        ack: &Ack,
        now: u64,
        counts: &mut UdpCounts,
    ) -> Result<(), DatagramError> {
        let before = ack.before + self.gullibility(ack);
        self.check(ack)?;
        for seq in self.base..before.min(self.fresh) {
            self.done(seq, now);
        }
        for (at, word) in ack.words[..ack.used].iter().enumerate() {
            let mut bits = *word;
            while bits != 0 {
                self.done(ack.before + 1 + 64 * at as u64 + u64::from(bits.trailing_zeros()), now);
                bits &= bits - 1;
            }
        }
        while self.base < self.fresh && self.slot(self.base).state == State::Done {
            self.base += 1;
        }
        let limit = ack.before.saturating_add(ack.room.into());
        if limit > self.limit {
            (self.limit, self.wants_room, self.ask_at) = (limit, false, u64::MAX);
        }
        if ack.used > 0 && self.times.period.is_none() {
            self.find_gaps(now, counts);
        }
        Ok(())
    }

    #[cfg(not(test))]
    fn gullibility(&self, _ack: &Ack) -> u64 {
        0
    }

    #[cfg(test)]
    fn gullibility(&self, ack: &Ack) -> u64 {
        u64::from(self.credulous && ack.before < self.fresh)
    }

    /// What was never sent cannot have come.
    fn check(&self, ack: &Ack) -> Result<(), DatagramError> {
        let last_word = ack.words[..ack.used].iter().rposition(|word| *word != 0);
        let last_bit = |at: usize| 64 * at as u64 + 63 - u64::from(ack.words[at].leading_zeros());
        let beyond = match last_word {
            Some(at) => ack.before.saturating_add(2 + last_bit(at)),
            None => ack.before,
        };
        if beyond > self.fresh { Err(DatagramError::AcknowledgesTooMuch) } else { Ok(()) }
    }

    #[inline]
    fn done(&mut self, seq: u64, now: u64) {
        if seq < self.base {
            return;
        }
        let slot = self.slot(seq);
        if slot.state == State::Done {
            return;
        }
        slot.state = State::Done;
        let (order, times_sent, ends) = (slot.order, slot.times_sent, slot.ends_message);
        let time = now.saturating_sub(slot.sent_at);
        self.units -= 1;
        self.messages -= u32::from(ends);
        if times_sent == 1 {
            self.trips.add(time);
        }
        // The answer to the first sending of what has just gone again says nothing of later
        // datagrams.
        if times_sent == 1 || time >= self.trips.least {
            self.order_acked = self.order_acked.max(order);
        }
    }

    /// What later datagrams have overtaken goes again.
    fn find_gaps(&mut self, now: u64, counts: &mut UdpCounts) {
        for seq in self.base..self.fresh {
            let order_acked = self.order_acked;
            let slot = self.slot(seq);
            if slot.state == State::Flying && slot.order + GAP <= order_acked && slot.sent_at < now
            {
                slot.state = State::Lost;
                self.lost.push_back(seq);
                counts.resent_by_gap += 1;
            }
        }
    }

    /// Look at the timers, if it is time to. What is due again is then [`Outgoing::due`].
    #[inline]
    pub fn look(&mut self, now: u64, counts: &mut UdpCounts) {
        if now < self.look_at {
            return;
        }
        match self.times.period {
            Some(period) => {
                // The phase stays, also after a pause of many periods.
                let missed = (now - self.look_at) / period.max(1);
                self.look_at =
                    self.look_at.saturating_add((missed + 1).saturating_mul(period.max(1)));
                self.lose(|_| true, counts);
            }
            None => {
                let (trips, before) = (self.trips, counts.resent_by_timer);
                self.lose(
                    |slot| slot.sent_at.saturating_add(trips.patience(slot.times_sent)) <= now,
                    counts,
                );
                if counts.resent_by_timer > before {
                    self.trips.expired();
                }
                let trips = self.trips;
                let until =
                    |slot: &Slot| slot.sent_at.saturating_add(trips.patience(slot.times_sent));
                self.look_at = self.flying().map(until).min().unwrap_or(u64::MAX);
            }
        }
    }

    fn flying(&self) -> impl Iterator<Item = &Slot> {
        let mask = self.slots.len() as u64 - 1;
        let slots = (self.base..self.fresh).map(move |seq| &self.slots[(seq & mask) as usize]);
        slots.filter(|slot| slot.state == State::Flying)
    }

    fn lose(&mut self, which: impl Fn(&Slot) -> bool, counts: &mut UdpCounts) {
        for seq in self.base..self.fresh {
            let slot = self.slot(seq);
            if slot.state == State::Flying && which(slot) {
                slot.state = State::Lost;
                self.lost.push_back(seq);
                counts.resent_by_timer += 1;
            }
        }
    }

    /// Whether the peer should be asked for room now. Says so once each time.
    pub fn asks(&mut self, now: u64) -> bool {
        if now < self.ask_at {
            return false;
        }
        self.asked += 1;
        self.ask_at = now.saturating_add(self.trips.patience(self.asked + 1));
        true
    }

    /// When something may have to be done though nothing comes.
    pub fn deadline(&self) -> u64 {
        if self.units == 0 { self.ask_at } else { self.look_at.min(self.ask_at) }
    }

    #[inline]
    fn slot(&mut self, seq: u64) -> &mut Slot {
        let mask = self.slots.len() as u64 - 1;
        &mut self.slots[(seq & mask) as usize]
    }
}
