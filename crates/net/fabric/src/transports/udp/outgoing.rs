//! The sending half of a pair: what has not been acknowledged, and when it goes again.
//!
//! A unit is **waiting** until it goes for the first time, **flying** until it is acknowledged or
//! thought lost, **lost** until it goes again, and **done** once the peer has said that it has it.
//! The window counts what is not done, so one lost message does not stop the others: they go on up
//! to [`SPAN`] windows ahead of it.
//!
//! There is no congestion control: the window is the only bound, as it was on Myrinet.

use super::counters::UdpCounts;
use super::credit::Credit;
use super::datagram::{Ack, DatagramError, Unit, WORDS_MAX, encode_unit};
use super::options::UdpOptions;
use super::overtaking::Overtaking;
use super::resend_timer::ResendTimer;
use super::timing::Times;
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
    datagram: u64,
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
    units: u32,
    messages: u32,
    lost: VecDeque<u64>,
    datagrams: Overtaking,
    timer: ResendTimer,
    credit: Credit,
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
            datagram: 0,
            times_sent: 0,
        };
        Outgoing {
            slots: (0..span).map(|_| slot()).collect(),
            window: options.max_acks,
            base: 0,
            fresh: 0,
            next: 0,
            units: 0,
            messages: 0,
            lost: VecDeque::with_capacity(span),
            datagrams: Overtaking::default(),
            timer: ResendTimer::new(times, now),
            credit: Credit::new(room),
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
            && self.credit.covers(self.next)
    }

    /// A unit found no room: if that is the peer's, it has to be asked.
    pub fn found_no_room(&mut self, now: u64) {
        if !self.credit.covers(self.next) {
            self.credit.is_wanted(now, &self.timer.trips);
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
        self.datagrams.begin();
    }

    /// Append the unit that is due to the datagram that has begun. `true`: it goes again.
    pub fn append_due(&mut self, datagram: &mut Vec<u8>, now: u64) -> bool {
        let again = self.lost.pop_front();
        let seq = again.unwrap_or(self.fresh);
        self.fresh = self.fresh.max(seq + 1);
        let number = self.datagrams.latest();
        let slot = self.slot(seq);
        datagram.extend_from_slice(&slot.bytes);
        (slot.state, slot.sent_at, slot.datagram) = (State::Flying, now, number);
        slot.times_sent += 1;
        let times_sent = slot.times_sent;
        self.timer.sent(now, times_sent);
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
        self.credit.reaches(ack.before.saturating_add(ack.room.into()));
        if ack.used > 0 && self.timer.is_adaptive() {
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
        let (datagram, times_sent, ends) = (slot.datagram, slot.times_sent, slot.ends_message);
        let time = now.saturating_sub(slot.sent_at);
        self.units -= 1;
        self.messages -= u32::from(ends);
        if times_sent == 1 {
            self.timer.trips.add(time);
        }
        // The answer to the first sending of what has just gone again says nothing of later
        // datagrams.
        if times_sent == 1 || time >= self.timer.trips.least {
            self.datagrams.has_come(datagram);
        }
    }

    /// What later datagrams have overtaken goes again.
    fn find_gaps(&mut self, now: u64, counts: &mut UdpCounts) {
        for seq in self.base..self.fresh {
            let at = self.index(seq);
            let slot = &mut self.slots[at];
            let overtaken = self.datagrams.has_overtaken(slot.datagram);
            if slot.state == State::Flying && overtaken && slot.sent_at < now {
                slot.state = State::Lost;
                self.lost.push_back(seq);
                counts.resent_by_gap += 1;
            }
        }
    }

    /// Look at the timers, if it is time to. What is due again is then [`Outgoing::due`].
    #[inline]
    pub fn look(&mut self, now: u64, counts: &mut UdpCounts) {
        if now < self.timer.deadline() {
            return;
        }
        if self.timer.next_period(now) {
            return self.lose(|_| true, counts);
        }
        let (timer, before) = (self.timer, counts.resent_by_timer);
        self.lose(|slot| timer.until(slot.sent_at, slot.times_sent) <= now, counts);
        if counts.resent_by_timer > before {
            self.timer.trips.expired();
        }
        let timer = self.timer;
        let earliest = self.flying().map(|slot| timer.until(slot.sent_at, slot.times_sent)).min();
        self.timer.look_again(earliest);
    }

    fn flying(&self) -> impl Iterator<Item = &Slot> {
        let slots = (self.base..self.fresh).map(|seq| &self.slots[self.index(seq)]);
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
        self.credit.asks(now, &self.timer.trips)
    }

    /// When something may have to be done though nothing comes.
    pub fn deadline(&self) -> u64 {
        let asking = self.credit.deadline();
        if self.units == 0 { asking } else { self.timer.deadline().min(asking) }
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
