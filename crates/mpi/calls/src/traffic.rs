//! All ranks' calls, walked through together in the order of time, so that little is in flight at
//! any moment.

use crate::CloseError;
use crate::call_table::CallTable;
use crate::channel::Channel;
use crate::event::Event;
use crate::feeds::{self, FedTurn, Feed};
use crate::groups::View;
use crate::matching::{Matcher, Matches};
use crate::ranks::Ranks;
use crate::runner::{Counts, Step};
use record::Closing;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Takes what the walk finds.
pub(crate) trait Traffic: Matches {
    /// A rank called a collective, or started one: that call may also start messages.
    fn collective(&mut self, rank: usize, event: &Event, view: &View);
    /// A rank called a function of one-sided communication.
    fn one_sided(&mut self, rank: usize, event: &Event, view: &View);
    /// Which messages went on a channel is not known from here on.
    fn doubt(&mut self, channel: Channel);
    /// Whether messages from `src` to `dst` are to be matched at all.
    fn wants(&self, src: u32, dst: u32) -> bool;
    /// The message that `rank` took as number `number` is none of the record's.
    fn skip(&mut self, rank: usize, number: u64);
    /// All that ranks entered before this moment has been handed over.
    fn reached(&mut self, time: i64) -> Result<(), CloseError>;
    /// Whether enough has been seen; asked now and then, with the words read so far.
    fn is_enough(&mut self, words: u64) -> Result<bool, CloseError>;
}

/// Walk through the calls of all ranks. Those of ranks that have a table are written into it;
/// `tables` are by rank.
pub(crate) fn walk(
    ranks: &Ranks,
    closing: &Closing,
    tables: Vec<Option<CallTable>>,
    traffic: &mut impl Traffic,
) -> Result<Counts, CloseError> {
    std::thread::scope(|scope| {
        let feeds = feeds::start(scope, (ranks, closing), tables)?;
        Walk::of(ranks, feeds).all(traffic)
    })
}

struct Walk<'a> {
    ranks: &'a Ranks,
    feeds: Vec<Feed>,
    matcher: Matcher,
}

impl<'a> Walk<'a> {
    fn of(ranks: &'a Ranks, feeds: Vec<Feed>) -> Walk<'a> {
        let mut matcher = Matcher::new(ranks.list.len());
        let mut has_log = vec![false; ranks.list.len()];
        feeds.iter().for_each(|feed| has_log[feed.rank as usize] = true);
        let without = (0..).zip(has_log).filter(|(_, has_log)| !has_log);
        without.for_each(|(rank, _)| matcher.never_begins(rank));
        Walk { ranks, feeds, matcher }
    }

    fn all(mut self, traffic: &mut impl Traffic) -> Result<Counts, CloseError> {
        let begin = |at| (Reverse(i64::MIN), at);
        let mut order: BinaryHeap<_> = (0..self.feeds.len()).map(begin).collect();
        let mut turns = 0u64;
        while let Some((Reverse(reached), at)) = order.pop() {
            traffic.reached(reached)?;
            if let Some(time) = self.turn(at, traffic)? {
                order.push((Reverse(time), at));
            }
            turns += 1;
            if turns.is_multiple_of(1024) && traffic.is_enough(self.words_read())? {
                break;
            }
        }
        let mut counts = Counts::default();
        self.feeds.iter().for_each(|feed| counts += feed.counts());
        Ok(counts)
    }

    fn words_read(&self) -> u64 {
        self.feeds.iter().map(Feed::words).sum()
    }

    /// Some calls of one rank. Returns where it is now; `None` at its end.
    fn turn(&mut self, at: usize, traffic: &mut impl Traffic) -> Result<Option<i64>, CloseError> {
        let rank = self.feeds[at].rank;
        let FedTurn { steps, events, time } = self.feeds[at].turn()?;
        let view = || &self.ranks.list[rank as usize].as_ref().expect("it has a log").view;
        for step in steps {
            match step {
                Step::Send(sent) if traffic.wants(sent.src, sent.dst) => {
                    self.matcher.send(sent, traffic);
                }
                Step::Receive(got) if traffic.wants(got.src, got.dst) => {
                    self.matcher.receive(got, traffic);
                }
                Step::Send(_) | Step::Receive(_) => {}
                Step::Collective(event) => {
                    traffic.collective(rank as usize, &events[*event], view());
                }
                Step::OneSided(event) => traffic.one_sided(rank as usize, &events[*event], view()),
                Step::Doubt(channel) => traffic.doubt(*channel),
                Step::Skip(number) => traffic.skip(rank as usize, *number),
            }
        }
        if time.is_none() {
            self.matcher.end(rank, traffic);
        }
        Ok(time)
    }
}
