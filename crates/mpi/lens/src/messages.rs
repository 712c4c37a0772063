//! What is gathered of an MPI program's messages and of the calls that were blocked: who waited for
//! whom, and which messages lay about.
//!
//! The waits are those of Scalasca where it has them (late sender, late receiver, a collective's
//! late rank, those of one-sided communication), and the two that only a known arrival can tell: a
//! message in the queue of unexpected ones, and one that nobody collects. Those that block a rank
//! come from the table of blocked calls, which has each nanosecond once; the others are of
//! messages, and no rank need have been blocked. Sums are whole numbers and what is kept of many is
//! chosen by rank, so that any order of rows and any number of accumulators end alike.

mod chosen;
mod row;
mod sums;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use calls::cause::{COUNT, Cause};
use record::{Field, How, NULL};

use crate::blocked_calls::BlockedCall;
use crate::found::{Arrivals, Blocked, Mpi, MpiBy, MpiGroup, MpiGroups, Wait, WaitView};
use stats::Distribution;
use stats::summary;
use stats::{Columns, Tally, own};

use chosen::Chosen;
use row::{MpiRow, after};
use sums::{Sum, Sums};

/// Pairs of ranks that are told apart: all of 256 ranks.
const PAIRS: usize = 1 << 16;
/// Tags, and places, that are told apart.
const GROUPS: usize = 1 << 12;
/// Pairs of ranks that are handed on.
const BLOCKED_SHOWN: usize = 1 << 13;
/// Groups that are handed on.
const GROUPS_SHOWN: usize = 256;

/// All that was gathered.
#[derive(Clone)]
pub struct MpiTally {
    messages: u64,
    message_time_ns: i64,
    /// In the order of [`Wait::ALL`].
    waits: [WaitTally; Wait::ALL.len()],
    arrivals: Arrivals,
    blocked: Sums<BlockedSum>,
    groups: [Sums<GroupSum>; 4],
    /// What messages in a row have in common, with their sum, which is not in `groups` yet: most
    /// are like the one before.
    alike: Option<(Alike, GroupSum)>,
    chosen: Chosen,
    /// By function and then by who was waited for, ns.
    collectives: BTreeMap<i64, BTreeMap<u32, i64>>,
}

/// All that a message is grouped by.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Alike {
    way: (u32, u32),
    tag: Option<i64>,
    sites: [Option<i64>; 2],
}

/// Times that are counted together, which is several times as fast as one by one.
const TIMES_TOGETHER: usize = 1 << 10;

#[derive(Clone, Default)]
struct WaitTally {
    times: Distribution,
    /// Not in `times` yet.
    latest: Vec<i64>,
    unknown: u64,
    uncertain_ns: i64,
    rests_on_ns: [i64; 3],
    error_ns: i64,
}

/// By cause, ns.
#[derive(Clone, Copy, Debug, Default)]
struct BlockedSum([i64; COUNT]);

#[derive(Clone, Copy, Debug, Default)]
struct GroupSum {
    messages: u64,
    bytes: u64,
    end_to_end_ns: i64,
    waits_ns: [i64; 4],
}

/// The waits of messages that lie about.
const LIES: [Wait; 2] = [Wait::Unexpected, Wait::NotCollected];

/// What groups are by, in the order of `groups`.
const BY: [MpiBy; 4] = [MpiBy::Pair, MpiBy::Tag, MpiBy::SendSite, MpiBy::ReceiveSite];

impl Default for MpiTally {
    fn default() -> MpiTally {
        MpiTally {
            messages: 0,
            message_time_ns: 0,
            waits: Default::default(),
            arrivals: Arrivals::default(),
            blocked: Sums::new(PAIRS),
            groups: [Sums::new(PAIRS), Sums::new(GROUPS), Sums::new(GROUPS), Sums::new(GROUPS)],
            alike: None,
            chosen: Chosen::default(),
            collectives: BTreeMap::new(),
        }
    }
}

impl MpiTally {
    /// What is shown of it; `None` when the run is of no MPI program.
    pub fn shown(mut self) -> Option<Mpi> {
        self.settle();
        let waited = self.waits.iter().any(|wait| wait.times.count() > 0);
        if self.messages == 0 && !waited {
            return None;
        }
        let whole = self.message_time_ns;
        let waits =
            Wait::ALL.iter().zip(&self.waits).map(|(&wait, tally)| tally.shown(wait, whole));
        let (blocked, blocked_left_out) = blocked(self.blocked);
        let (worst, sample) = self.chosen.finish();
        Some(Mpi {
            messages: self.messages,
            message_time_ns: whole,
            waits: waits.collect(),
            arrivals: self.arrivals,
            blocked,
            blocked_left_out,
            groups: BY.iter().zip(self.groups).map(|(&by, sums)| groups(by, sums)).collect(),
            worst,
            sample,
            ..Mpi::default()
        })
    }

    /// Of each collective function, for whom ranks were blocked in it, ns.
    pub fn collectives(&self) -> BTreeMap<i64, BTreeMap<u32, i64>> {
        self.collectives.clone()
    }

    /// Take in a call that was blocked.
    pub fn add_blocked(&mut self, call: &BlockedCall) {
        let ns = call.ns();
        if ns <= 0 {
            return;
        }
        self.waits[call.cause as usize].add_certain(ns);
        let sum = &mut self.blocked.at((i64::from(call.rank), i64::from(call.by))).0;
        add_to(&mut sum[call.cause as usize], ns);
        self.chosen.add_wait(ns, || call.worst());
        if call.cause == Cause::Collective {
            let late = self.collectives.entry(call.function.unwrap_or(NULL)).or_default();
            add_to(late.entry(call.by).or_default(), ns);
        }
        if !call.cause.is_of_a_message() {
            return;
        }
        let mut waits_ns = [0; 4];
        waits_ns[call.cause as usize] = ns;
        let sum = GroupSum { waits_ns, ..GroupSum::default() };
        self.add_sum(Alike { way: call.way(), tag: call.tag, sites: call.ends() }, &sum);
    }

    #[inline]
    fn add_row(&mut self, row: &MpiRow) {
        self.messages += 1;
        add_to(&mut self.message_time_ns, row.message_time());
        self.arrivals.add(row);
        let mut waits_ns = [0; 4];
        for (at, (wait, lay)) in LIES.into_iter().zip(row.lay()).enumerate() {
            let ns = lay.map(|(from, to)| after(to, from));
            self.waits[wait as usize].add(ns, row);
            waits_ns[2 + at] = ns.unwrap_or(0);
            if let Some((from, _)) = lay {
                let certain = waits_ns[2 + at].saturating_sub(row.error());
                self.chosen.add_wait(certain, || row.worst(wait, from, waits_ns[2 + at]));
            }
        }
        let end_to_end_ns = row.line.taken_ns.saturating_sub(row.line.ready_ns);
        let sum = GroupSum { messages: 1, bytes: row.line.bytes, end_to_end_ns, waits_ns };
        let way = (row.line.src, row.line.dst);
        self.add_sum(Alike { way, tag: row.tag, sites: row.sites }, &sum);
        self.chosen.add(row.line);
    }

    #[inline]
    fn add_sum(&mut self, alike: Alike, sum: &GroupSum) {
        match &mut self.alike {
            Some((last, all)) if *last == alike => all.merge(sum),
            _ => {
                self.settle_groups();
                self.alike = Some((alike, *sum));
            }
        }
    }

    /// Count what waits to be counted.
    fn settle(&mut self) {
        self.settle_groups();
        self.waits.iter_mut().for_each(WaitTally::settle);
    }

    fn settle_groups(&mut self) {
        let Some((Alike { way: (src, dst), tag, sites }, sum)) = self.alike.take() else { return };
        let [send_site, receive_site] = sites.map(Option::unwrap_or_default);
        self.groups[0].at((i64::from(src), i64::from(dst))).merge(&sum);
        if let Some(tag) = tag {
            self.groups[1].at((tag, 0)).merge(&sum);
        }
        self.groups[2].at((send_site, 0)).merge(&sum);
        self.groups[3].at((receive_site, 0)).merge(&sum);
    }
}

impl Tally for MpiTally {
    fn add_taken(&mut self, columns: &Columns) {
        let lacks = |field| columns.shared(field) == Some(NULL);
        if lacks(Field::PostedNs) && lacks(Field::AwaitedNs) {
            return;
        }
        for row in 0..columns.rows() {
            if let Some(row) = MpiRow::of(columns, row) {
                self.add_row(&row);
            }
        }
    }

    fn merge(&mut self, other: Box<dyn Tally>) {
        let mut other: MpiTally = own(other);
        self.settle();
        other.settle();
        self.messages += other.messages;
        self.message_time_ns = self.message_time_ns.saturating_add(other.message_time_ns);
        self.waits.iter_mut().zip(&other.waits).for_each(|(mine, theirs)| mine.merge(theirs));
        let arrivals = &mut self.arrivals;
        arrivals
            .known
            .iter_mut()
            .zip(other.arrivals.known)
            .for_each(|(mine, theirs)| *mine += theirs);
        arrivals
            .error_ns
            .iter_mut()
            .zip(other.arrivals.error_ns)
            .for_each(|(mine, n)| add_to(mine, n));
        self.blocked.merge(other.blocked);
        self.groups.iter_mut().zip(other.groups).for_each(|(mine, theirs)| mine.merge(theirs));
        self.chosen.merge(other.chosen);
        for (function, late) in other.collectives {
            let mine = self.collectives.entry(function).or_default();
            late.into_iter().for_each(|(rank, ns)| add_to(mine.entry(rank).or_default(), ns));
        }
    }
}

impl WaitTally {
    /// A call was blocked.
    #[inline]
    fn add_certain(&mut self, ns: i64) {
        self.latest.push(ns);
        if self.latest.len() >= TIMES_TOGETHER {
            self.settle();
        }
    }

    fn settle(&mut self) {
        self.times.add_slice(&self.latest);
        self.latest.clear();
    }

    /// A message lay about, as far as its arrival is known.
    #[inline]
    fn add(&mut self, wait: Option<i64>, row: &MpiRow) {
        match wait {
            None => self.unknown += 1,
            Some(0) => {}
            Some(ns) => {
                self.add_certain(ns);
                if let Some(how) = row.how {
                    add_to(&mut self.rests_on_ns[how as usize], ns);
                    add_to(&mut self.error_ns, row.error());
                    add_to(&mut self.uncertain_ns, ns.min(row.error()));
                }
            }
        }
    }

    fn merge(&mut self, other: &WaitTally) {
        self.times.merge(&other.times);
        self.unknown += other.unknown;
        self.rests_on_ns
            .iter_mut()
            .zip(other.rests_on_ns)
            .for_each(|(mine, theirs)| add_to(mine, theirs));
        add_to(&mut self.error_ns, other.error_ns);
        add_to(&mut self.uncertain_ns, other.uncertain_ns);
    }

    fn shown(&self, wait: Wait, whole_ns: i64) -> WaitView {
        let total = i64::try_from(self.times.moments().sum).unwrap_or(i64::MAX);
        WaitView {
            wait,
            count: self.times.count(),
            unknown: self.unknown,
            total_ns: total,
            certain_ns: total.saturating_sub(self.uncertain_ns),
            share: if whole_ns > 0 { total as f64 / whole_ns as f64 } else { 0.0 },
            summary: summary(&self.times),
            rests_on_ns: self.rests_on_ns,
            error_ns: self.error_ns,
        }
    }
}

impl Arrivals {
    #[inline]
    fn add(&mut self, row: &MpiRow) {
        let Some(how) = row.how else { return };
        self.known[how as usize] += 1;
        if how != How::Observed {
            add_to(&mut self.error_ns[how as usize - 1], row.error_ns.unwrap_or(0));
        }
    }
}

impl Sum for BlockedSum {
    fn merge(&mut self, other: &BlockedSum) {
        self.0.iter_mut().zip(other.0).for_each(|(mine, theirs)| add_to(mine, theirs));
    }
}

impl Sum for GroupSum {
    #[inline]
    fn merge(&mut self, other: &GroupSum) {
        self.messages += other.messages;
        self.bytes += other.bytes;
        add_to(&mut self.end_to_end_ns, other.end_to_end_ns);
        self.waits_ns
            .iter_mut()
            .zip(other.waits_ns)
            .for_each(|(mine, theirs)| add_to(mine, theirs));
    }
}

/// A damaged stamp can be anything: the sum then stops at the end of its range, and must not panic.
#[inline]
fn add_to(sum: &mut i64, ns: i64) {
    *sum = sum.saturating_add(ns);
}

fn blocked(sums: Sums<BlockedSum>) -> (Vec<Blocked>, (u64, i64)) {
    let (kept, mut keys, mut rest) = sums.finish();
    let one = |(&(rank, by), sum): (&(i64, i64), &BlockedSum)| {
        Blocked::new(rank as u32, by as u32, sum.0)
    };
    let mut all: Vec<Blocked> = kept.iter().map(one).collect();
    all.sort_by_key(|blocked| (Reverse(blocked.total_ns()), blocked.rank, blocked.by));
    for beyond in all.iter().skip(BLOCKED_SHOWN) {
        keys += 1;
        rest.merge(&BlockedSum(beyond.waits_ns()));
    }
    all.truncate(BLOCKED_SHOWN);
    (all, (keys, rest.0.iter().fold(0, |sum: i64, ns| sum.saturating_add(*ns))))
}

fn groups(by: MpiBy, sums: Sums<GroupSum>) -> MpiGroups {
    let (kept, keys, rest) = sums.finish();
    let one = |(key, sum): ((i64, i64), GroupSum)| MpiGroup {
        key,
        messages: sum.messages,
        bytes: sum.bytes,
        end_to_end_ns: sum.end_to_end_ns,
        waits_ns: sum.waits_ns,
    };
    let mut groups: Vec<MpiGroup> = kept.into_iter().map(one).collect();
    groups.sort_by_key(|group| (Reverse(group.waited_ns()), Reverse(group.messages), group.key));
    let beyond = groups.iter().skip(GROUPS_SHOWN);
    let (more, messages) =
        beyond.fold((0, 0), |(n, messages), group| (n + 1, messages + group.messages));
    groups.truncate(GROUPS_SHOWN);
    MpiGroups { by, groups, left_out: (keys + more, rest.messages + messages) }
}
