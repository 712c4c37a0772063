//! What was seen beside a message, as facts of its story.

use record::NodeCauses;

use super::fact::{Fact, Lane, LaneOf};
use super::row::Row;
use crate::account::{Held, account};
use crate::analysis::{Account, Stage};

/// A thing that took less than this part of a time is not told of it.
const TOLD: f64 = 0.1;
/// A thing that took less than this part of the message's life has no lane.
const SHOWN: f64 = 0.02;
/// From this part on a time counts as explained.
const EXPLAINED: f64 = 0.9;

/// What was seen beside a launch.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// Of all nodes of the run.
    pub causes: &'a [NodeCauses],
    /// The message's launch.
    pub launch: u32,
}

impl Seen<'_> {
    /// Some time of a message in a stage, laid out over what was seen on the nodes that the stage
    /// depends on.
    pub(super) fn account(&self, message: &Row, stage: Stage, time: (i64, i64)) -> Account {
        let (launch, src, dst) = (self.launch, message.src, message.dst);
        account(self.causes, Held { launch, stage, src, dst, time })
    }

    /// What took more than a moment of the message's life, and when.
    pub(super) fn lanes(&self, message: &Row, life: (i64, i64)) -> Vec<Lane> {
        let account = self.account(message, Stage::EndToEnd, life);
        let long = SHOWN * account.of_ns as f64;
        let parts = account.parts.into_iter().filter(|part| part.ns as f64 >= long && !part.spans.is_empty());
        parts
            .map(|part| Lane { what: LaneOf::Held { node: part.node, cause: part.cause }, spans: part.spans })
            .collect()
    }
}

/// The things that took a good part of a time, and how the thread was in the rest, where that is
/// known.
pub(super) fn told(account: &Account, node: u32) -> Vec<Fact> {
    let of_ns = account.of_ns;
    let is_good = |ns: i64| ns > 0 && ns as f64 >= TOLD * of_ns as f64;
    let parts = account.parts.iter().filter(|part| is_good(part.ns));
    let mut facts: Vec<Fact> = parts.map(|part| Fact::Held { part: part.clone(), of_ns }).collect();
    if is_explained(account) {
        return facts;
    }
    if let Some(ns) = account.ran_ns {
        facts.extend(is_good(ns).then_some(Fact::Ran { node, ns, of_ns }));
        let ns = account.unknown_ns();
        facts.extend((account.watched && is_good(ns)).then_some(Fact::Asleep { node, ns }));
    }
    facts
}

/// Whether what was seen covers nearly all of the time.
pub(super) fn is_explained(account: &Account) -> bool {
    account.covered_ns as f64 >= EXPLAINED * account.of_ns as f64
}
