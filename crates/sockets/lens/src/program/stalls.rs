//! Messages that stood still on their way, for no cause that the network has.
//!
//! TCP holds a short write back while an earlier one is not acknowledged (Nagle's algorithm, RFC
//! 896), and its peer acknowledges only after some 40 ms where it has nothing to send (delayed
//! acknowledgements, RFC 1122). A faster network shortens neither.

use super::messages::Read;
use super::ways::{Ways, way};
use crate::program::LATENCY;
use machine::{Machine, PS_PER_NS};
use predict::{Trip, Window};
use std::collections::HashMap;

/// A message that is later than this, and than so many times the latency, stood still. ns.
const STALL_NS: f64 = 1e6;
const LATENCIES: f64 = 10.0;

/// What is said of them.
#[derive(Default)]
pub(super) struct Stalled {
    messages: u64,
    ns: i64,
}

impl Stalled {
    pub fn said(&self) -> Option<String> {
        (self.messages > 0).then(|| {
            format!(
                "{} stood still for {} on average for which no traffic on the network accounts, \
                as where TCP holds back a short write until an earlier one is acknowledged, which \
                the peer delays: so it is on the other network, too.",
                document::counted(self.messages, "message"),
                document::time(self.ns as f64 / self.messages as f64)
            )
        })
    }
}

/// Note how long messages between hosts stood still.
pub(super) fn note(read: &mut Read, host_of: &[u16], network: &Machine) -> Stalled {
    let (latency, rate) = (network.value(LATENCY), network.value("network.bandwidth"));
    let from = read.messages.first().map_or(0, |one| one.sent);
    let ways = Ways::of(read, host_of);
    let trip = Trip { there_and_back: 2 * network.time(LATENCY), bytes_per_s: rate };
    let mut windows: HashMap<u32, Window> = HashMap::new();
    let mut found = Stalled::default();
    for one in &mut read.messages {
        let Some(way) = way(one, host_of) else { continue };
        let at = (one.sent - from).max(0) as u64 * PS_PER_NS;
        let window = windows.entry(one.letter().stream).or_default();
        let held_back = (window.send(at, one.bytes, trip) / PS_PER_NS) as f64;
        let late = (one.arrived - one.sent) as f64 - latency - held_back;
        if late < STALL_NS.max(LATENCIES * latency) {
            continue;
        }
        let traffic = ways.bytes(way, 2 * one.sent - one.arrived, one.arrived) as f64 / rate * 1e9;
        let stalled = late - traffic;
        if stalled >= STALL_NS.max(LATENCIES * latency) {
            one.stalled = stalled as i64;
            found.messages += 1;
            found.ns += one.stalled;
        }
    }
    found
}
