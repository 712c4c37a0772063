//! One-way messages: as fast as the path takes them, or at a rate.
//!
//! At a rate the loop is open: every message has an intended time, and its `ready` stamp is that
//! time even when the sender is late. Otherwise a stall would delay the messages after it and they
//! would all look fast.

use crate::Outcome;
use crate::meter::{Meter, Until};
use crate::plan::Plan;
use crate::serve::take_all;
use clock::Ticks;
use fabric::{FabricError, Letter, Node, NodeId, Wait};
use rand::RngExt;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use record::Kind;
use std::time::Duration;

/// How a sender goes about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    pub rate_per_s: Option<f64>,
    pub batch: u16,
}

/// The first half of the nodes sends, each to its partner in the second half.
pub(crate) fn pairs(
    node: &mut Node,
    plan: &Plan,
    pace: Pace,
    meter: &Meter<'_>,
) -> Result<Outcome, FabricError> {
    let half = node.nodes() / 2;
    if node.id() >= half {
        return take_all(node, plan, node.id() - half);
    }
    let to = node.id() + half;
    let mut sender = Sender::new(node, plan, pace);
    meter.warm_up(node, plan, |node| node.send(to, Kind::Data, &sender.payload).map(drop))?;
    sender.begin = node.clock().now();
    let begin = sender.begin;
    let mut until = Until::new(node, plan, meter);
    while until.goes_on(|| node.clock().now()) {
        until.add(sender.send(node, to, meter)?);
    }
    let elapsed_ns = node.ns_between(begin, node.clock().now());
    Ok(Outcome { sent: until.finish(), elapsed_ns, ..Outcome::default() })
}

/// Every node sends to every other, chosen at random, and takes what comes meanwhile.
pub(crate) fn all_to_all(
    node: &mut Node,
    plan: &Plan,
    pace: Pace,
    meter: &Meter<'_>,
) -> Result<Outcome, FabricError> {
    let mut draw = Pcg64Mcg::seed_from_u64(plan.seed ^ u64::from(node.id()) << 32);
    let mut sender = Sender::new(node, plan, pace);
    let begin = node.clock().now();
    let mut until = Until::new(node, plan, meter);
    let mut received = 0;
    while until.goes_on(|| node.clock().now()) {
        let other = draw.random_range(0..node.nodes() - 1);
        let to = other + u16::from(other >= node.id());
        until.add(sender.send_taking(node, to, meter, &mut received)?);
        while node.receive(Wait::Poll)?.is_some() {
            received += 1;
        }
    }
    let elapsed_ns = node.ns_between(begin, node.clock().now());
    Ok(Outcome { sent: until.finish(), received, elapsed_ns, ..Outcome::default() })
}

/// Sends at its pace.
pub(crate) struct Sender {
    payload: Vec<u8>,
    batch: u16,
    interval_ticks: Option<f64>,
    begin: Ticks,
    intended: u64,
}

/// A sender this far ahead of its time sleeps instead of looking at the clock.
const WORTH_SLEEPING: Duration = Duration::from_micros(200);

impl Sender {
    pub fn new(node: &Node, plan: &Plan, pace: Pace) -> Sender {
        let per_s = node.after(Duration::from_secs(1)).0 - node.clock().now().0;
        Sender {
            payload: vec![0x5a; plan.size_bytes],
            batch: pace.batch,
            interval_ticks: pace.rate_per_s.map(|rate| per_s as f64 / rate),
            begin: node.clock().now(),
            intended: 0,
        }
    }

    /// One call: a message, or a batch. Returns how many messages went: none if the run is to end
    /// before the message's time.
    pub fn send(
        &mut self,
        node: &mut Node,
        to: NodeId,
        meter: &Meter<'_>,
    ) -> Result<u64, FabricError> {
        match (self.interval_ticks, self.batch) {
            (None, 1) => node.send(to, Kind::Data, &self.payload).map(|_| 1),
            (None, batch) => {
                let batch_of = vec![&self.payload[..]; usize::from(batch)];
                node.send_batch(to, Kind::Data, &batch_of).map(|()| u64::from(batch))
            }
            (Some(interval), _) => {
                let Some(intended) = self.next_moment(interval, node, meter) else { return Ok(0) };
                node.send_intended(to, Kind::Data, intended, &self.payload).map(|_| 1)
            }
        }
    }

    /// The same, taking what comes while there is no room; counts that.
    pub fn send_taking(
        &mut self,
        node: &mut Node,
        to: NodeId,
        meter: &Meter<'_>,
        received: &mut u64,
    ) -> Result<u64, FabricError> {
        let (ready, batch) = match self.interval_ticks {
            None => (node.clock().now(), self.batch),
            Some(interval) => {
                let Some(intended) = self.next_moment(interval, node, meter) else { return Ok(0) };
                (intended, 1)
            }
        };
        let several;
        let payloads = if batch == 1 {
            &[&self.payload[..]][..]
        } else {
            several = vec![&self.payload[..]; usize::from(batch)];
            &several[..]
        };
        node.send_batch_taking(Letter::new(to, Kind::Data, ready), payloads, |_| *received += 1)?;
        Ok(u64::from(batch))
    }

    /// Wait for the moment of the next message; `None` if the run is to end before that.
    fn next_moment(
        &mut self,
        interval_ticks: f64,
        node: &mut Node,
        meter: &Meter<'_>,
    ) -> Option<Ticks> {
        let intended = Ticks(self.begin.0 + (self.intended as f64 * interval_ticks) as u64);
        wait_until(node, intended, meter).then(|| {
            self.intended += 1;
            intended
        })
    }
}

/// `false`: the run is to end before that.
fn wait_until(node: &mut Node, moment: Ticks, meter: &Meter<'_>) -> bool {
    let clock = node.clock();
    loop {
        let now = clock.now();
        if now >= moment {
            return true;
        }
        if meter.is_stopped() {
            return false;
        }
        if node.rest(moment) {
            continue;
        }
        let ahead = Duration::from_nanos(node.ns_between(now, moment));
        match ahead.checked_sub(WORTH_SLEEPING) {
            Some(nap) => meter.sleep(node, nap),
            None => std::hint::spin_loop(),
        }
    }
}
