//! Some messages at once, then nothing for a while: the network's buffers are empty when a burst
//! begins, as they are for a program that works between its messages.

use crate::Outcome;
use crate::meter::{Meter, Until};
use crate::plan::Plan;
use crate::serve::take_all;
use fabric::{FabricError, Node};
use record::Kind;
use std::time::Duration;

pub(crate) fn run(
    node: &mut Node,
    plan: &Plan,
    messages: u32,
    gap_us: u64,
    meter: &Meter<'_>,
) -> Result<Outcome, FabricError> {
    let half = node.nodes() / 2;
    if node.id() >= half {
        // An odd node out has no partner and waits for the end of the first.
        return take_all(node, if node.id() < 2 * half { node.id() - half } else { 0 });
    }
    let to = node.id() + half;
    let payload = vec![0x5a; plan.size_bytes];
    meter.warm_up(node, plan, |node| node.send(to, Kind::Data, &payload).map(drop))?;
    let begin = node.clock().now();
    let mut until = Until::new(node, plan, meter);
    while until.goes_on(|| node.clock().now()) {
        for _ in 0..messages {
            node.send(to, Kind::Data, &payload)?;
        }
        until.add(u64::from(messages));
        meter.sleep(node, Duration::from_micros(gap_us));
    }
    let elapsed_ns = node.ns_between(begin, node.clock().now());
    Ok(Outcome { sent: until.finish(), elapsed_ns, ..Outcome::default() })
}
