//! What is gathered of an MPI program's messages: what they waited for, and who was blocked for
//! whom.
//!
//! The waits are those of Scalasca where it has them (late sender, late receiver), and the two that
//! only a known arrival can tell: a message in the queue of unexpected ones, and one that nobody
//! collects. Sums are whole numbers and what is kept of many is chosen by rank, so that any order
//! of rows and any number of accumulators end alike.

mod blocking;
mod chosen;
mod row;
mod sums;

use std::cmp::Reverse;
use std::sync::Arc;

use record::{Field, How, NULL};

use crate::found::{Arrivals, Blocked, Mpi, MpiBy, MpiGroup, MpiGroups, Wait, WaitView};
use stats::Distribution;
use stats::summary;
use stats::{Columns, Tally, own};

pub use blocking::BlockingCalls;
use chosen::Chosen;
use row::MpiRow;
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
    blocking: Arc<BlockingCalls>,
    messages: u64,
    message_time_ns: i64,
    waits: [WaitTally; 4],
    arrivals: Arrivals,
    blocked: Sums<BlockedSum>,
    groups: [Sums<GroupSum>; 4],
    chosen: Chosen,
}

#[derive(Clone, Default)]
struct WaitTally {
    times: Distribution,
    unknown: u64,
    rests_on_ns: [i64; 3],
    error_ns: i64,
}

#[derive(Clone, Copy, Debug, Default)]
struct BlockedSum {
    late_sender_ns: i64,
    late_receiver_ns: i64,
}

#[derive(Clone, Copy, Debug, Default)]
struct GroupSum {
    messages: u64,
    bytes: u64,
    end_to_end_ns: i64,
    waits_ns: [i64; 4],
}

/// What groups are by, in the order of `groups`.
const BY: [MpiBy; 4] = [MpiBy::Pair, MpiBy::Tag, MpiBy::SendSite, MpiBy::ReceiveSite];

impl MpiTally {
    /// Nothing yet.
    pub fn new(blocking: Arc<BlockingCalls>) -> MpiTally {
        MpiTally {
            blocking,
            messages: 0,
            message_time_ns: 0,
            waits: Default::default(),
            arrivals: Arrivals::default(),
            blocked: Sums::new(PAIRS),
            groups: [Sums::new(PAIRS), Sums::new(GROUPS), Sums::new(GROUPS), Sums::new(GROUPS)],
            chosen: Chosen::default(),
        }
    }

    /// What is shown of it; `None` when the run is of no MPI program.
    pub fn shown(self) -> Option<Mpi> {
        if self.messages == 0 {
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

    #[inline]
    fn add_row(&mut self, row: &MpiRow) {
        // Without a table of calls nobody knows: then a sender is taken to block for as long as it
        // was not released.
        let blocks = row.send_call.and_then(|call| self.blocking.blocks(row.line.src, call));
        let waits = row.waits(blocks.unwrap_or(true));
        self.messages += 1;
        add_to(&mut self.message_time_ns, row.message_time());
        self.arrivals.add(row);
        for (at, (tally, wait)) in self.waits.iter_mut().zip(waits).enumerate() {
            tally.add(wait, row, at >= 2);
        }
        self.add_blocked(row, waits);
        self.add_groups(row, waits.map(Option::unwrap_or_default));
        self.chosen.add(row, waits);
    }

    #[inline]
    fn add_blocked(&mut self, row: &MpiRow, waits: [Option<i64>; 4]) {
        let (src, dst) = (i64::from(row.line.src), i64::from(row.line.dst));
        if let Some(ns) = waits[0].filter(|&ns| ns > 0) {
            add_to(&mut self.blocked.at((dst, src)).late_sender_ns, ns);
        }
        if let Some(ns) = waits[1].filter(|&ns| ns > 0) {
            add_to(&mut self.blocked.at((src, dst)).late_receiver_ns, ns);
        }
    }

    #[inline]
    fn add_groups(&mut self, row: &MpiRow, waits_ns: [i64; 4]) {
        let end_to_end_ns = row.line.taken_ns.saturating_sub(row.line.ready_ns);
        let sum = GroupSum { messages: 1, bytes: row.line.bytes, end_to_end_ns, waits_ns };
        let [send_site, receive_site] = row.sites.map(Option::unwrap_or_default);
        self.groups[0].at((i64::from(row.line.src), i64::from(row.line.dst))).merge(&sum);
        if let Some(tag) = row.tag {
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
        let other: MpiTally = own(other);
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
    }
}

impl WaitTally {
    #[inline]
    fn add(&mut self, wait: Option<i64>, row: &MpiRow, rests_on_arrival: bool) {
        match wait {
            None => self.unknown += 1,
            Some(0) => {}
            Some(ns) => {
                self.times.add(ns);
                if let Some(how) = row.how.filter(|_| rests_on_arrival) {
                    add_to(&mut self.rests_on_ns[how as usize], ns);
                    let error = if how == How::Observed { 0 } else { row.error_ns.unwrap_or(0) };
                    add_to(&mut self.error_ns, error);
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
    }

    fn shown(&self, wait: Wait, whole_ns: i64) -> WaitView {
        let total = self.times.moments().sum;
        WaitView {
            wait,
            count: self.times.count(),
            unknown: self.unknown,
            total_ns: i64::try_from(total).unwrap_or(i64::MAX),
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
        add_to(&mut self.late_sender_ns, other.late_sender_ns);
        add_to(&mut self.late_receiver_ns, other.late_receiver_ns);
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
    let one = |(&(rank, by), sum): (&(i64, i64), &BlockedSum)| Blocked {
        rank: rank as u32,
        by: by as u32,
        late_sender_ns: sum.late_sender_ns,
        late_receiver_ns: sum.late_receiver_ns,
    };
    let mut all: Vec<Blocked> = kept.iter().map(one).collect();
    all.sort_by_key(|blocked| (Reverse(blocked.total_ns()), blocked.rank, blocked.by));
    for beyond in all.iter().skip(BLOCKED_SHOWN) {
        keys += 1;
        rest.merge(&BlockedSum {
            late_sender_ns: beyond.late_sender_ns,
            late_receiver_ns: beyond.late_receiver_ns,
        });
    }
    all.truncate(BLOCKED_SHOWN);
    (all, (keys, rest.late_sender_ns.saturating_add(rest.late_receiver_ns)))
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
