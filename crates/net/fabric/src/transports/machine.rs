//! Transport `machine`: real programs in the simulated time of a machine that a file describes.
//!
//! Nodes are threads of this process, one of which runs at a moment: the one whose simulated time
//! is earliest. What a node computes takes no simulated time, unless it says so
//! ([`Transport::spend`]); what it asks of the fabric takes what the machine's file says, and
//! messages go over the machine's network. So a run depends on nothing but its program, the machine
//! and the seed, and two runs are equal to the last stamp.

mod seats;
pub(crate) mod settings;
mod world;

use crate::error::FabricError;
use crate::open::boxed;
use crate::spec::NodeId;
use crate::transport::{Arrival, Handed, Head, Transport};
use crate::transports::{NodePlace, TransportKind};
use clock::{Clock, Ticks, set_simulated};
use machine::{PS_PER_NS, Processor, Time};
use record::ABSENT;
use seats::Seats;
use std::sync::Arc;
use std::time::Duration;
use world::{Parcel, Waking};

/// The row of this transport.
pub static MACHINE: TransportKind = TransportKind {
    name: "machine",
    about: "Simulated time on a machine that --on names",
    nodes: NodePlace::OneProcess,
    clock: Some(Clock::simulated),
    options: &settings::OPTIONS,
    settings: settings::settings,
    must_block: |_| true,
    check: settings::check,
    open: |opening| {
        let (spec, (machine, seed)) = (opening.spec, settings::read(opening.spec)?);
        let seats = Arc::new(Seats::new(&machine, spec, seed));
        let end = |me| End::new(me, Arc::clone(&seats), Processor::of(&machine, me));
        Ok(boxed((0..spec.nodes).map(end)))
    },
    ..TransportKind::PLAIN
};

/// One node's end.
struct End {
    me: NodeId,
    seats: Arc<Seats>,
    processor: Processor,
    /// This node's time.
    now: Time,
    in_hand: Option<Parcel>,
    left: bool,
}

impl End {
    fn new(me: NodeId, seats: Arc<Seats>, processor: Processor) -> End {
        End { me, seats, processor, now: 0, in_hand: None, left: false }
    }

    /// Go on once nothing earlier than this node's time is left to happen. What interrupted it
    /// meanwhile makes it later.
    fn turn(&mut self) {
        let (mut now, timer) = (self.now, self.processor.timer);
        loop {
            let stolen = self.seats.wait_for_turn(self.me, now);
            if stolen == 0 {
                break;
            }
            now = timer.done(now, stolen);
        }
        self.set(now);
    }

    /// The processor works for so long.
    fn work(&mut self, time: Time) {
        let done = self.processor.timer.done(self.now, time);
        self.set(done);
    }

    fn set(&mut self, now: Time) {
        self.now = now;
        set_simulated(Ticks(now / PS_PER_NS));
    }

    fn sleep(&mut self, until: Time, waking: Waking) {
        let woken = self.seats.sleep(self.me, self.now, until.max(self.now), waking);
        let now = self.processor.timer.done(woken.at, 0);
        self.set(now);
        if woken.by_message {
            self.work(self.processor.wake);
        }
    }
}

impl Transport for End {
    fn try_send(
        &mut self,
        to: NodeId,
        head: &mut Head,
        payload: &[u8],
    ) -> Result<Handed, FabricError> {
        if usize::from(to) >= self.seats.len() {
            let last = self.seats.len() as NodeId - 1;
            return Err(FabricError::NoSuchNode { node: to, last });
        }
        self.turn();
        let Some(in_flight) = self.seats.room(self.me, to) else {
            self.work(self.processor.look);
            return Ok(Handed::Full);
        };
        if head.ready != ABSENT {
            head.in_flight = in_flight;
            head.sent = self.now / PS_PER_NS;
        }
        self.work(self.processor.sending(payload.len()));
        let parcel = Parcel::new(self.me, *head, payload);
        self.seats.send(self.now, to, parcel);
        Ok(Handed::Yes)
    }

    fn flush(&mut self) -> Result<(), FabricError> {
        Ok(())
    }

    fn poll(&mut self, _spinning_since: u64) -> Result<Option<Arrival>, FabricError> {
        self.turn();
        self.in_hand = self.seats.take(self.me, self.now);
        let Some(parcel) = &self.in_hand else {
            self.work(self.processor.look);
            return Ok(None);
        };
        let (arrival, bytes) = (parcel.arrival(), parcel.payload.len());
        self.work(self.processor.receiving(bytes));
        Ok(Some(arrival))
    }

    fn payload(&self) -> &[u8] {
        self.in_hand.as_ref().map_or(&[], |parcel| &parcel.payload)
    }

    fn park(&mut self, timeout: Duration) -> Result<(), FabricError> {
        let until = self.now.saturating_add((timeout.as_nanos() as Time).saturating_mul(PS_PER_NS));
        self.sleep(until, Waking::ByMessages);
        Ok(())
    }

    fn check_peers(&mut self) -> Result<(), FabricError> {
        match self.seats.dropped(self.me) {
            None => Ok(()),
            Some(node) => {
                let reason = "its thread ended without closing the node".into();
                Err(FabricError::PeerLost { node, reason })
            }
        }
    }

    fn pause(&mut self, _from: NodeId, _paused: bool) {}

    fn in_flight(&mut self, to: NodeId) -> u32 {
        self.seats.in_flight(self.me, to)
    }

    fn gives_receipts(&self) -> bool {
        true
    }

    fn ask_for_receipt(&mut self, _to: NodeId, counts: u32) {
        self.seats.ask_for_receipt(self.me, counts);
    }

    fn receipts(&mut self) -> u32 {
        self.turn();
        self.seats.receipts(self.me)
    }

    fn fragment_bytes_max(&self) -> usize {
        // The machine's packets are the network's affair.
        usize::MAX
    }

    fn spend(&mut self, ns: u64) {
        self.work(self.processor.computing(ns * PS_PER_NS));
    }

    fn rest(&mut self, until: Ticks) -> bool {
        self.sleep(until.0.saturating_mul(PS_PER_NS), Waking::ByTime);
        true
    }

    /// After each look it would be the others' turn: where one takes a nanosecond, nothing got on.
    fn skip_looks(&mut self, until: Ticks) {
        let (from, until) = (self.now, until.0.saturating_mul(PS_PER_NS));
        let look = self.processor.look.max(1);
        if until.saturating_sub(from) <= look {
            return;
        }
        let woken = self.seats.sleep(self.me, from, until, Waking::ByMessages);
        let looks = woken.at.saturating_sub(from).div_ceil(look);
        let now = from.saturating_add(looks.saturating_mul(look));
        self.set(self.processor.timer.done(now, 0));
    }

    fn leave(&mut self) {
        self.left = true;
        self.seats.leave(self.me, true);
    }
}

impl Drop for End {
    fn drop(&mut self) {
        if !self.left {
            self.seats.leave(self.me, false);
        }
    }
}

#[cfg(test)]
mod tests;
