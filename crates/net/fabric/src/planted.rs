//! A transport with planted delays: for testing what analyses find, and for teaching.
//!
//! It stands between a node and its transport, as the outermost network layer. Delays are spent
//! looking at the clock, so that they are good to a fraction of a microsecond:
//!
//! * send wait: before the message is handed over, so that `sent` is later;
//! * transit: after the real transport has the message, until so much after it had it; only then
//!   does this layer have it, and says so as the arrival. A receiver that comes later than that
//!   loses nothing more, as with a real network;
//! * receive wait: after the arrival, before the node is given it.
//!
//! A message behind a delayed one waits for it: the order of a pair is kept. There are no receipts:
//! the real transport has a message before it arrives here.

use crate::error::FabricError;
use crate::pin::ticks_per_ns;
use crate::plant::{Passing, Plant, PlantStage};
use crate::spec::NodeId;
use crate::transport::{Arrival, Flag, Handed, Happening, Head, Transport, TransportReport};
use clock::Clock;
use record::{ABSENT, ArrivedClock, Cause, How};
use std::time::Duration;

/// A transport, and what is planted in it.
pub(crate) struct Planted {
    link: Box<dyn Transport>,
    me: NodeId,
    plant: Plant,
    clock: Clock,
    ticks_per_ns: f64,
    /// Messages handed over, by destination.
    sent: Vec<u64>,
    /// The message that has had its delay already: it is tried again, or its first fragment has
    /// gone.
    delayed: Option<(NodeId, u64)>,
    /// Messages that came, by source, and bytes of the one that is coming.
    came: Vec<(u64, u64)>,
    /// Messages taken from anybody.
    taken: u64,
    /// Look at nothing before this tick.
    paused_until: u64,
    /// Delays that were planted, told as what happened.
    delays: Vec<Happening>,
}

/// Most delays that are told one by one.
const TOLD_MOST: usize = 1 << 16;

impl Planted {
    pub fn new(
        link: Box<dyn Transport>,
        me: NodeId,
        nodes: u16,
        plant: Plant,
        clock: Clock,
    ) -> Planted {
        let nodes = usize::from(nodes);
        Planted {
            link,
            me,
            plant,
            clock,
            ticks_per_ns: ticks_per_ns(&clock),
            sent: vec![0; nodes],
            delayed: None,
            came: vec![(0, 0); nodes],
            taken: 0,
            paused_until: 0,
            delays: Vec::new(),
        }
    }

    fn ticks(&self, ns: u64) -> u64 {
        (ns as f64 * self.ticks_per_ns) as u64
    }

    /// Look at the clock until this tick.
    fn spin_until(&self, tick: u64) {
        while self.clock.now().0 < tick {
            std::hint::spin_loop();
        }
    }

    fn spin(&mut self, ns: u64) {
        if ns > 0 {
            let from = self.clock.now().0;
            let to = from.saturating_add(self.ticks(ns));
            self.tell(from, to, ns);
            self.spin_until(to);
        }
    }

    fn tell(&mut self, from: u64, to: u64, ns: u64) {
        if self.delays.len() < TOLD_MOST {
            self.delays.push(Happening { cause: Cause::Planted, from, to, amount: ns as i64 });
        }
    }

    /// Of a message of several fragments, only the first is held up; its size is then that of the
    /// fragment.
    fn hold_before_sending(&mut self, to: NodeId, head: &mut Head, bytes: u64) {
        let number = self.sent.get(usize::from(to)).copied().unwrap_or(0);
        if self.delayed == Some((to, number)) {
            return;
        }
        self.delayed = Some((to, number));
        let message = Passing { src: self.me, dst: to, number, bytes };
        let delay = self.plant.delay_ns(PlantStage::SendWait, &message);
        if delay > 0 {
            self.spin(delay);
            // The sender's reading is no longer what a reading now would say.
            head.sent = ABSENT;
        }
    }

    /// Bytes of the message whose last fragment this is; `None` if it is none.
    fn whole(&mut self, arrival: &Arrival) -> Option<Passing> {
        let bytes = self.link.payload().len() as u64;
        let (number, before) = self.came.get_mut(usize::from(arrival.from))?;
        match arrival.head.flag {
            Flag::More => {
                *before += bytes;
                None
            }
            Flag::Last => {
                let message = Passing {
                    src: arrival.from,
                    dst: self.me,
                    number: *number,
                    bytes: bytes + *before,
                };
                (*number, *before) = (*number + 1, 0);
                Some(message)
            }
            Flag::Bye | Flag::Barrier => None,
        }
    }

    /// Keep an arrival until it has had its delays.
    fn hold_after_arriving(&mut self, arrival: &mut Arrival, message: &Passing) {
        let transit = self.plant.delay_ns(PlantStage::Transit, message);
        if transit > 0 && arrival.arrived_ticks == ABSENT {
            self.spin(transit);
        } else if transit > 0 {
            let from = arrival.arrived_ticks;
            let by = self.ticks(transit);
            self.tell(from, from.saturating_add(by), transit);
            self.arrive_later(arrival, by);
        }
        let wait = self.plant.delay_ns(PlantStage::ReceiveWait, message);
        if wait > 0 {
            self.spin(wait);
            arrival.just_now = false;
        }
        self.taken += 1;
        let pause = self.plant.pause_ns(self.taken);
        if pause > 0 {
            let now = self.clock.now().0;
            self.paused_until = now.saturating_add(self.ticks(pause));
            self.tell(now, self.paused_until, pause);
        }
    }

    fn arrive_later(&self, arrival: &mut Arrival, by_ticks: u64) {
        let due = arrival.arrived_ticks.saturating_add(by_ticks);
        if self.clock.now().0 < due {
            self.spin_until(due);
            // We saw it come.
            (arrival.how, arrival.error_ns) = (How::Observed, 0);
        }
        (arrival.arrived, arrival.arrived_ticks) = (due, due);
        (arrival.clock, arrival.just_now) = (ArrivedClock::Receiver, false);
    }
}

impl Transport for Planted {
    fn try_send(
        &mut self,
        to: NodeId,
        head: &mut Head,
        payload: &[u8],
    ) -> Result<Handed, FabricError> {
        let is_message = matches!(head.flag, Flag::Last | Flag::More);
        if is_message {
            self.hold_before_sending(to, head, payload.len() as u64);
        }
        let handed = self.link.try_send(to, head, payload)?;
        if handed == Handed::Yes && head.flag == Flag::Last {
            self.sent[usize::from(to)] += 1;
        }
        Ok(handed)
    }

    fn flush(&mut self) -> Result<(), FabricError> {
        self.link.flush()
    }

    fn poll(&mut self, spinning_since: u64) -> Result<Option<Arrival>, FabricError> {
        self.spin_until(self.paused_until);
        let Some(mut arrival) = self.link.poll(spinning_since)? else { return Ok(None) };
        if let Some(message) = self.whole(&arrival) {
            self.hold_after_arriving(&mut arrival, &message);
        }
        Ok(Some(arrival))
    }

    fn payload(&self) -> &[u8] {
        self.link.payload()
    }

    fn park(&mut self, timeout: Duration) -> Result<(), FabricError> {
        self.link.park(timeout)
    }

    fn check_peers(&mut self) -> Result<(), FabricError> {
        self.link.check_peers()
    }

    fn pause(&mut self, from: NodeId, paused: bool) {
        self.link.pause(from, paused);
    }

    fn in_flight(&mut self, to: NodeId) -> u32 {
        self.link.in_flight(to)
    }

    fn fragment_bytes_max(&self) -> usize {
        self.link.fragment_bytes_max()
    }

    fn leave(&mut self) {
        self.link.leave();
    }

    fn happenings(&mut self) -> Vec<Happening> {
        let mut happenings = self.link.happenings();
        happenings.append(&mut self.delays);
        happenings
    }

    fn report(&mut self) -> Option<TransportReport> {
        self.link.report()
    }

    fn settle(&mut self) -> Result<bool, FabricError> {
        self.link.settle()
    }
}
