//! A cycle over three nodes: 0 sends to 1 and to 2, 1 forwards to 2, and 2 answers 0 once it has
//! both. The legs are the messages by node pair; the whole is a cycle.

use crate::Outcome;
use crate::meter::{Meter, Until};
use crate::plan::Plan;
use crate::serve::{expect, serve};
use clock::Ticks;
use fabric::{FabricError, Node};
use record::Kind;

pub(crate) fn run(node: &mut Node, plan: &Plan, meter: &Meter<'_>) -> Result<Outcome, FabricError> {
    match node.id() {
        0 => lead(node, plan, meter),
        1 => forward(node, plan),
        _ => answer(node, plan),
    }
}

fn lead(node: &mut Node, plan: &Plan, meter: &Meter<'_>) -> Result<Outcome, FabricError> {
    let payload = vec![0x5a; plan.size_bytes];
    meter.warm_up(node, plan, |node| cycle(node, &payload).map(drop))?;
    let mut until = Until::new(node, plan, meter);
    let begin = node.clock().now();
    let mut last = begin;
    while until.goes_on(|| last) {
        let end = cycle(node, &payload)?;
        node.cycle(last, end, payload.len() as u64);
        last = end;
        until.add(1);
    }
    let elapsed_ns = node.ns_between(begin, last);
    let done = until.finish();
    Ok(Outcome { sent: 2 * done, received: done, elapsed_ns, ..Outcome::default() })
}

fn cycle(node: &mut Node, payload: &[u8]) -> Result<Ticks, FabricError> {
    node.send(1, Kind::Data, payload)?;
    node.send(2, Kind::Data, payload)?;
    expect(node, 2)
}

fn forward(node: &mut Node, plan: &Plan) -> Result<Outcome, FabricError> {
    serve(node, plan, 0, |node, _, payload| node.send(2, Kind::Data, payload).map(|_| 1))
}

fn answer(node: &mut Node, plan: &Plan) -> Result<Outcome, FabricError> {
    let mut heard = 0;
    serve(node, plan, 0, move |node, _, payload| {
        heard += 1;
        if heard % 2 == 0 { node.send(0, Kind::Reply, payload).map(|_| 1) } else { Ok(0) }
    })
}
