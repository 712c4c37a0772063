//! The messages that were late by most, and the episodes that they make.
//!
//! What goes with slow messages more often than chance is asked of groups (`weigh`). One node that
//! stood still once for a tenth of the run is no group: it is looked at by itself. An episode is
//! the latest message with those that waited at the same time for the same node in the same stage.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use record::NodeCauses;

use crate::account::{Held, account, nodes_of};
use crate::analysis::{Analysis, Episode, Slow, Stage};

/// Messages kept: those that were late by most.
const KEPT_MOST: usize = 1 << 15;
/// A message is late from so much above the median on, ns, and from the median again.
const LATE_LEAST: i64 = 1_000_000;
/// An episode that holds this part of all messages' time is told; and that of the slowest message
/// in any case.
const SHARE_LEAST: f64 = 0.01;
/// So many are looked at: those that hold the hundredth part are a hundred at most.
const LOOKED_AT_MOST: usize = 300;

/// A late message; the order is by lateness, then by identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Late {
    pub life_ns: i64,
    pub launch: u32,
    pub src: u32,
    pub dst: u32,
    pub seq: u64,
    /// Of send wait, transit and receive wait; of the whole life, if a stamp between is missing.
    pub longest: (Stage, i64, i64),
}

/// What is late, and of how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lateness {
    /// Half of all messages live at most this long, ns.
    pub median_ns: i64,
    /// All messages together live so long, ns.
    pub total_ns: f64,
}

/// Keeps the messages that were late by most, the same whatever the order in which they come.
#[derive(Clone, Debug)]
pub(super) struct Heavy {
    /// Late from this life on.
    from_ns: i64,
    /// Of all messages, ns.
    total_ns: f64,
    kept: BinaryHeap<Reverse<Late>>,
    left_out: bool,
}

/// A message by what names it: launch, sender, number.
pub(super) type Name = (u32, u32, u64);

impl Heavy {
    /// None yet.
    pub fn new(Lateness { median_ns, total_ns }: Lateness) -> Heavy {
        let from_ns = median_ns.saturating_add(median_ns.max(LATE_LEAST));
        Heavy { from_ns, total_ns, kept: BinaryHeap::new(), left_out: false }
    }

    /// Whether a message that lived so long is late.
    pub fn is_late(&self, life_ns: i64) -> bool {
        life_ns >= self.from_ns
    }

    /// Take in a late message.
    pub fn add(&mut self, late: Late) {
        self.kept.push(Reverse(late));
        if self.kept.len() > KEPT_MOST {
            self.kept.pop();
            self.left_out = true;
        }
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: Heavy) {
        self.left_out |= other.left_out;
        other.kept.into_iter().for_each(|Reverse(late)| self.add(late));
    }

    /// The episodes that are told, the heaviest first, and the messages of those that are
    /// explained.
    pub fn into_episodes(self, causes: &[NodeCauses]) -> (Vec<Episode>, BTreeSet<Name>) {
        let Heavy { total_ns, kept, left_out, .. } = self;
        // Ascending by `Reverse`: the latest first.
        let mut open: Vec<Late> =
            kept.into_sorted_vec().into_iter().map(|Reverse(late)| late).collect();
        let (mut told, mut explained) = (Vec::new(), BTreeSet::new());
        for at in 0..LOOKED_AT_MOST {
            let Some(latest) = open.first().copied() else { break };
            let (members, rest): (Vec<Late>, Vec<Late>) =
                open.into_iter().partition(|late| latest.is_same(late) || latest.holds(late));
            open = rest;
            let time_ns: i64 = members.iter().map(|late| late.life_ns).sum();
            let share = if total_ns > 0.0 { time_ns as f64 / total_ns } else { 0.0 };
            if share < SHARE_LEAST && at > 0 {
                continue;
            }
            let episode = latest.episode((members.len() as u64, time_ns, share), left_out, causes);
            if episode.account.chief().is_some() {
                explained.extend(members.iter().map(Late::name));
            }
            told.push(episode);
        }
        told.sort_by(|a: &Episode, b| b.time_ns.cmp(&a.time_ns).then(a.from_ns.cmp(&b.from_ns)));
        (told, explained)
    }
}

impl Lateness {
    /// Of a run. Where no message has a whole life, none is late.
    pub fn of(analysis: &Analysis) -> Lateness {
        let nothing = Lateness { median_ns: i64::MAX, total_ns: 0.0 };
        let Some(view) = analysis.stage(Stage::EndToEnd) else { return nothing };
        let median = view.summary.quantiles.iter().find(|q| q.p == 0.5);
        median.map_or(nothing, |q| Lateness {
            median_ns: q.value_ns,
            total_ns: view.summary.total_ns,
        })
    }
}

impl Late {
    fn name(&self) -> Name {
        (self.launch, self.src, self.seq)
    }

    fn is_same(&self, other: &Late) -> bool {
        self.name() == other.name()
    }

    /// Whether the other waited for the same, for half of its own wait at least while this one did.
    fn holds(&self, other: &Late) -> bool {
        let (_, from, to) = self.longest;
        let (_, their_from, their_to) = other.longest;
        let common = to.min(their_to) - from.max(their_from);
        let same = self.launch == other.launch && self.longest.0 == other.longest.0;
        same && nodes_of(self.longest.0, self.src, self.dst).eq(nodes_of(
            self.longest.0,
            other.src,
            other.dst,
        )) && 2 * common >= their_to - their_from
    }

    fn episode(
        &self,
        (messages, time_ns, share): (u64, i64, f64),
        at_least: bool,
        causes: &[NodeCauses],
    ) -> Episode {
        let &Late { launch, src, dst, seq, longest: (stage, from_ns, to_ns), .. } = self;
        let held = Held { launch, stage, src, dst, time: (from_ns, to_ns) };
        Episode {
            slowest: Slow { launch, src, dst, seq },
            stage,
            from_ns,
            to_ns,
            messages,
            time_ns,
            share,
            at_least,
            account: account(causes, held),
        }
    }
}
