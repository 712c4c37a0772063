//! Some messages at once, then nothing for a while: the network's buffers are empty when a burst
//! begins, as they are for a program that works between its messages.

use crate::Outcome;
use crate::meter::{Meter, Until};
use crate::plan::Plan;
use crate::serve::take_all;
use fabric::{FabricError, Node, NodeId};
use record::Kind;
use std::time::Duration;

/// A burst.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub messages: u32,
    /// Of these, handed over in one call.
    pub batch: u16,
    /// Pause after it, µs.
    pub gap_us: u64,
}

pub(crate) fn run(
    node: &mut Node,
    plan: &Plan,
    shape: Shape,
    meter: &Meter<'_>,
) -> Result<Outcome, FabricError> {
    let half = node.nodes() / 2;
    if node.id() >= half {
        // An odd node out has no partner and waits for the end of the first.
        return take_all(node, plan, if node.id() < 2 * half { node.id() - half } else { 0 });
    }
    let to = node.id() + half;
    let payload = vec![0x5a; plan.size_bytes];
    meter.warm_up(node, plan, |node| node.send(to, Kind::Data, &payload).map(drop))?;
    let begin = node.clock().now();
    let mut until = Until::new(node, plan, meter);
    while until.goes_on(|| node.clock().now()) {
        burst(node, to, &payload, shape)?;
        until.add(u64::from(shape.messages));
        meter.sleep(node, Duration::from_micros(shape.gap_us));
    }
    let elapsed_ns = node.ns_between(begin, node.clock().now());
    Ok(Outcome { sent: until.finish(), elapsed_ns, ..Outcome::default() })
}

/// In as few calls as the batch allows.
fn burst(
    node: &mut Node,
    to: NodeId,
    payload: &[u8],
    Shape { messages, batch, .. }: Shape,
) -> Result<(), FabricError> {
    if batch == 1 {
        return (0..messages).try_for_each(|_| node.send(to, Kind::Data, payload).map(drop));
    }
    let mut left = messages as usize;
    while left > 0 {
        let together = left.min(usize::from(batch));
        node.send_batch(to, Kind::Data, &vec![payload; together])?;
        left -= together;
    }
    Ok(())
}
