//! The part of a node that does not lead: take messages until the leading node has left, and do
//! something about each.

use crate::Outcome;
use crate::plan::Plan;
use clock::Ticks;
use fabric::{FabricError, Node, NodeId, Wait};
use record::{ABSENT, Kind};
use std::time::Duration;

/// Serve, calling `act` with the sender and the payload (as long as the one received, our own
/// bytes); it says how many messages it sent. What was not stamped on its way here (warming up)
/// causes nothing that is stamped.
pub(crate) fn serve(
    node: &mut Node,
    plan: &Plan,
    leader: NodeId,
    mut act: impl FnMut(&mut Node, NodeId, &[u8]) -> Result<u64, FabricError>,
) -> Result<Outcome, FabricError> {
    let mut payload = Vec::new();
    let mut outcome = Outcome::default();
    let mut first = None;
    let mut stamping = None;
    loop {
        let (from, bytes, ready, taken) = match node.receive(Wait::Serving(leader)) {
            Ok(Some(message)) => {
                (message.from, message.payload().len(), message.ready, message.taken)
            }
            Ok(None) | Err(FabricError::Closed) => return Ok(outcome),
            Err(error) => return Err(error),
        };
        let counts = ready != Ticks(ABSENT);
        if stamping != Some(counts) {
            node.set_stamping(counts);
            stamping = Some(counts);
        }
        if payload.len() < bytes {
            payload.resize(bytes, 0x5a);
        }
        work(node, plan.receiver_work_ns);
        let sent = act(node, from, &payload[..bytes])?;
        if counts && taken != Ticks(ABSENT) {
            outcome.sent += sent;
            outcome.received += 1;
            outcome.elapsed_ns = node.ns_between(*first.get_or_insert(taken), taken);
        }
    }
}

/// Keep the processor busy for so long; in simulated time, let it pass.
fn work(node: &mut Node, ns: u64) {
    if ns == 0 {
        return;
    }
    let until = node.after(Duration::from_nanos(ns));
    if !node.rest(until) {
        let clock = node.clock();
        while clock.now() < until {
            std::hint::spin_loop();
        }
    }
}

/// Send everything back.
pub(crate) fn echo(node: &mut Node, plan: &Plan) -> Result<Outcome, FabricError> {
    serve(node, plan, 0, |node, from, payload| node.send(from, Kind::Reply, payload).map(|_| 1))
}

/// Only take.
pub(crate) fn take_all(
    node: &mut Node,
    plan: &Plan,
    leader: NodeId,
) -> Result<Outcome, FabricError> {
    serve(node, plan, leader, |_, _, _| Ok(0))
}

/// The message that must come next.
#[inline]
pub(crate) fn expect(node: &mut Node, from: NodeId) -> Result<Ticks, FabricError> {
    let clock = node.clock();
    match node.receive(Wait::Expecting(from))? {
        Some(message) if message.taken != Ticks(ABSENT) => Ok(message.taken),
        Some(_) => Ok(clock.now()),
        None => Err(FabricError::Closed),
    }
}
