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
    /// Whether messages are calls of a traced program, whose nodes never record work.
    pub traced: bool,
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
        let parts = account
            .parts
            .into_iter()
            .filter(|part| part.ns as f64 >= long && !part.spans.is_empty());
        parts
            .map(|part| Lane {
                what: LaneOf::Held { node: part.node, cause: part.cause },
                spans: part.spans,
            })
            .collect()
    }
}

/// What is told of a time that was watched.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The things that took a good part of it.
    pub held: Vec<Fact>,
    /// How the thread was in the rest, for a node that recorded no work meanwhile.
    pub thread: Vec<Fact>,
}

impl Told {
    /// Of an account; `node`: whose thread it is.
    pub fn of(account: &Account, node: u32) -> Told {
        let of_ns = account.of_ns;
        let is_good = |ns: i64| ns > 0 && ns as f64 >= TOLD * of_ns as f64;
        let parts = account.parts.iter().filter(|part| is_good(part.ns));
        let mut held: Vec<Fact> =
            parts.map(|part| Fact::Held { part: part.clone(), of_ns }).collect();
        if !is_explained(account) {
            held.extend(account.paged.iter().map(|paged| Fact::Paged(*paged)));
        }
        let mut thread = Vec::new();
        if let Some(ns) = account.ran_ns.filter(|_| !is_explained(account)) {
            thread.extend(is_good(ns).then_some(Fact::Ran { node, ns, of_ns }));
            let ns = account.unknown_ns();
            thread.extend((account.watched && is_good(ns)).then_some(Fact::Asleep { node, ns }));
        }
        Told { held, thread }
    }

    /// Whether there is nothing to tell.
    pub fn is_nothing(&self) -> bool {
        self.held.is_empty() && self.thread.is_empty()
    }

    /// Behind `facts`, which say what the node recorded, or that it recorded nothing.
    pub fn behind(self, facts: &mut Vec<Fact>) {
        let is_silent = facts.iter().any(|fact| matches!(fact, Fact::Silent { .. }));
        facts.extend(self.held);
        facts.extend(self.thread.into_iter().filter(|_| is_silent));
    }
}

/// Whether what was seen covers nearly all of the time.
pub(super) fn is_explained(account: &Account) -> bool {
    account.covered_ns as f64 >= EXPLAINED * account.of_ns as f64
}
