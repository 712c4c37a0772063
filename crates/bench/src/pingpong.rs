//! Round trips: node 0 sends to each other node in turn and waits for the answer. One message in
//! the system at a time.
//!
//! Every message is stamped one way, so both directions are seen. The whole round trip is written
//! down as a cycle that begins when the one before ended: nothing that the loop does, recording
//! included, is outside the measurement.

use crate::Outcome;
use crate::meter::{Meter, Until};
use crate::plan::Plan;
use crate::serve::{echo, expect};
use clock::Ticks;
use fabric::{FabricError, Node, NodeId};
use record::Kind;

pub(crate) fn run(node: &mut Node, plan: &Plan, meter: &Meter<'_>) -> Result<Outcome, FabricError> {
    if node.id() == 0 { lead(node, plan, meter) } else { echo(node, plan) }
}

fn lead(node: &mut Node, plan: &Plan, meter: &Meter<'_>) -> Result<Outcome, FabricError> {
    let payload = vec![0x5a; plan.size_bytes];
    let clock = node.clock();
    let mut partners = (1..node.nodes()).cycle();
    let mut partner = move || partners.next().unwrap_or(1);
    meter.warm_up(node, plan, |node| round_trip(node, partner(), &payload).map(drop))?;
    let mut until = Until::new(node, plan, meter);
    let begin = clock.now();
    let mut last = begin;
    while until.goes_on(|| last) {
        let end = round_trip(node, partner(), &payload)?;
        node.cycle(last, end, payload.len() as u64);
        last = end;
        until.add(1);
    }
    let elapsed_ns = node.ns_between(begin, last);
    let done = until.finish();
    Ok(Outcome { sent: done, received: done, elapsed_ns, ..Outcome::default() })
}

/// There and back; returns the moment at which the answer was taken.
#[inline]
pub(crate) fn round_trip(
    node: &mut Node,
    to: NodeId,
    payload: &[u8],
) -> Result<Ticks, FabricError> {
    node.send(to, Kind::Data, payload)?;
    expect(node, to)
}
