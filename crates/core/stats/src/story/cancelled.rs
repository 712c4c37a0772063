//! Which object's messages a node cancelled in some time.

use record::Kind;

use std::collections::BTreeMap;

use super::fact::{Cancelled, Fact};
use super::gather::Scene;
use super::row::Row;

/// The object whose messages the receiving node cancelled most in that time, with its cancellations
/// in order.
pub(super) fn most(scene: &Scene, (from, to): (i64, i64)) -> Option<(Cancelled, Vec<&Row>)> {
    let node = scene.message.dst;
    let mut by_object: BTreeMap<i64, Vec<&Row>> = BTreeMap::new();
    let during = |row: &&Row| row.ready_ns.is_some_and(|ready| (from..=to).contains(&ready));
    let made_here = |row: &&Row| row.kind == Kind::Anti && row.src == node;
    for row in scene.receiver.rows().iter().filter(made_here).filter(during) {
        if let Some(object) = row.src_object {
            by_object.entry(object).or_default().push(row);
        }
    }
    let all: usize = by_object.values().map(Vec::len).sum();
    let (object, rows) =
        by_object.into_iter().max_by_key(|(object, rows)| (rows.len(), -object))?;
    let ready = || rows.iter().filter_map(|row| row.ready_ns);
    let to_self = rows.iter().filter(|row| row.dst_object == Some(object)).count();
    let cancelled = Cancelled {
        node,
        object,
        to_self: to_self as u64,
        to_others: (rows.len() - to_self) as u64,
        span: (ready().min()?, ready().max()?),
        of_others: (all - rows.len()) as u64,
    };
    Some((cancelled, rows))
}

/// The irony of 1988: the message that waits is for the object whose later messages are being
/// cancelled.
pub(super) fn for_that_object(message: &Row, cancelled: &Cancelled, rows: &[&Row]) -> Option<Fact> {
    let receive = message.virtual_receive?;
    if message.dst_object != Some(cancelled.object) || cancelled.to_self == 0 {
        return None;
    }
    let to_self = || rows.iter().filter(|row| row.dst_object == Some(cancelled.object));
    let later = to_self().filter(|row| row.virtual_send.is_some_and(|send| send > receive)).count();
    Some(Fact::ForThatObject {
        object: cancelled.object,
        receive,
        cancelled: cancelled.to_self,
        later: later as u64,
    })
}
