//! What each rank's time went to, as a whole and by slices of the timeline.

use std::collections::BTreeMap;

use super::CallRow;
use crate::found::{Activity, Lane, RankTime};
use stats::timeline::{Slice, Timeline};

/// Slices at most, and at least half as many in a long run.
const SLICES: i64 = 512;
/// Slices of all ranks together that are handed on, about: a drawing cannot show more.
const SHOWN: usize = 16_384;

/// The ranks.
#[derive(Default)]
pub(super) struct Lanes {
    ranks: BTreeMap<u32, Rank>,
}

/// What is shown of the slices.
pub(super) struct Shown {
    pub lanes: Vec<Lane>,
    pub from_ns: i64,
    pub slice_ns: i64,
}

/// One rank.
pub(super) struct Rank {
    calls: u64,
    unfinished: u64,
    /// First entering, last moment known.
    span: (i64, i64),
    threads: u64,
    activity_ns: [i64; 7],
    slices: Timeline<Times>,
}

/// Time in each activity but computing, which is what these leave.
#[derive(Clone, Copy, Debug, Default)]
struct Times([i64; 7]);

impl Lanes {
    pub fn rank(&mut self, rank: u32) -> &mut Rank {
        self.ranks.entry(rank).or_default()
    }

    /// Take in other ranks.
    pub fn merge(&mut self, other: Lanes) {
        self.ranks.extend(other.ranks);
    }

    /// Every rank's times, and its slices.
    pub fn shown(mut self) -> (Vec<RankTime>, Shown) {
        // A rank without a call has no time to show.
        self.ranks.retain(|_, rank| rank.calls > 0);
        let times = self.ranks.iter().map(|(&rank, of)| of.times(rank)).collect();
        let low = self.ranks.values().map(|rank| rank.span.0).min().unwrap_or(0);
        let high = self.ranks.values().map(|rank| rank.span.1).max().unwrap_or(0).max(low);
        // Slices that cover the same stretch are of one length.
        self.ranks.values_mut().for_each(|rank| rank.slices.cover(low, high));
        let (from_ns, slice_ns) = self
            .ranks
            .values()
            .next()
            .and_then(|rank| rank.slices.slices().next())
            .map_or((0, 1), |s| (s.0, s.1));
        let slices = self.ranks.values().next().map_or(0, |rank| rank.slices.slices().count());
        let joined = (slices * self.ranks.len()).div_ceil(SHOWN).clamp(1, slices.max(1));
        let lanes = self.ranks.iter().map(|(&rank, of)| of.lane(rank, joined)).collect();
        (times, Shown { lanes, from_ns, slice_ns: slice_ns.saturating_mul(joined as i64) })
    }
}

impl Rank {
    pub fn add(&mut self, call: &CallRow) {
        self.calls += call.polls.unwrap_or(1);
        self.unfinished += u64::from(call.exit.is_none());
        self.threads = self.threads.max(call.thread.max(0) as u64 + 1);
        let exit = call.exit.unwrap_or(call.enter).max(call.enter);
        self.span = (self.span.0.min(call.enter), self.span.1.max(exit));
        let sum = &mut self.activity_ns[call.activity as usize];
        *sum = sum.saturating_add(exit - call.enter);
        self.add_slices(call.enter, exit, call.activity as usize);
    }

    /// Some of the time in a collective was waiting for others.
    pub fn hold(&mut self, from: i64, until: i64) {
        let ns = until.saturating_sub(from).max(0);
        for (activity, sign) in [(Activity::Collective, -1), (Activity::CollectiveWait, 1)] {
            let sum = &mut self.activity_ns[activity as usize];
            *sum = sum.saturating_add(sign * ns);
            self.add_signed(from, until, activity as usize, sign);
        }
    }

    fn add_slices(&mut self, enter: i64, exit: i64, activity: usize) {
        self.add_signed(enter, exit, activity, 1);
    }

    fn add_signed(&mut self, enter: i64, exit: i64, activity: usize, sign: i64) {
        self.slices.cover(enter, exit);
        let mut from = enter;
        while from < exit {
            let length = self.slices.length();
            let end = (self.slices.number(from) + 1).saturating_mul(length).min(exit);
            self.slices.at(from).0[activity] += sign * (end - from);
            from = end;
        }
    }

    fn times(&self, rank: u32) -> RankTime {
        let elapsed_ns = self.span.1.saturating_sub(self.span.0);
        let mut activity_ns = self.activity_ns;
        let in_calls = activity_ns.iter().fold(0_i64, |sum, ns| sum.saturating_add(*ns));
        activity_ns[Activity::Computing as usize] =
            elapsed_ns.saturating_mul(self.threads as i64).saturating_sub(in_calls);
        RankTime {
            rank,
            calls: self.calls,
            threads: self.threads,
            elapsed_ns,
            activity_ns,
            unfinished: self.unfinished,
        }
    }

    /// The lane with `joined` slices to one.
    fn lane(&self, rank: u32, joined: usize) -> Lane {
        let slices: Vec<(i64, i64, Times)> =
            self.slices.slices().map(|(from, length, times)| (from, length, *times)).collect();
        Lane { rank, slices: slices.chunks(joined).map(|slices| self.parts(slices)).collect() }
    }

    /// Parts of some slices together, computing included.
    fn parts(&self, slices: &[(i64, i64, Times)]) -> [f32; 7] {
        let (from, to) = (slices[0].0, slices[slices.len() - 1].0 + slices[slices.len() - 1].1);
        let whole = (to - from) as f64 * self.threads as f64;
        let inside =
            (to.min(self.span.1) - from.max(self.span.0)).max(0) as f64 * self.threads as f64;
        let mut times = [0.0; 7];
        for (_, _, of) in slices {
            times.iter_mut().zip(of.0).for_each(|(sum, ns)| *sum += ns as f64);
        }
        // Threads that begin late leave some of the others' time; it is no negative computing.
        times[Activity::Computing as usize] = (inside - times.iter().sum::<f64>()).max(0.0);
        times.map(|ns| (ns / whole) as f32)
    }
}

impl Default for Rank {
    fn default() -> Rank {
        Rank {
            calls: 0,
            unfinished: 0,
            span: (i64::MAX, i64::MIN),
            threads: 0,
            activity_ns: [0; 7],
            slices: Timeline::new(SLICES),
        }
    }
}

impl Slice for Times {
    fn merge(&mut self, other: &Times) {
        self.0.iter_mut().zip(other.0).for_each(|(mine, theirs)| *mine += theirs);
    }

    fn is_empty(&self) -> bool {
        self.0 == [0; 7]
    }
}
