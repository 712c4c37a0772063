//! All ranks' calls, walked through together in the order of time, so that little is in flight at
//! any moment.

use crate::CloseError;
use crate::entry::ANY_PEER;
use crate::event::{End, Event};
use crate::groups::View;
use crate::list::Class;
use crate::matching::{Matcher, Matches};
use crate::message::{Done, Got, Label, Mode, Sent};
use crate::ranks::Ranks;
use crate::resolve::Resolver;
use crate::sites::SiteNumbers;
use record::{Closing, NULL};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Calls of one rank handled in a row before the others are looked at.
const TURN: usize = 64;

/// Open receives for any source that are remembered.
const OPEN_MAX: usize = 64;

/// Takes what the walk finds.
pub(crate) trait Traffic: Matches {
    /// A call of a rank; continued ones apart.
    fn call(&mut self, rank: usize, event: &Event, view: &View) -> Result<(), CloseError>;
    /// A rank called a collective, or started one: that call may also start messages.
    fn collective(&mut self, rank: usize, event: &Event, view: &View);
    /// A rank called a function of one-sided communication.
    fn one_sided(&mut self, rank: usize, event: &Event, view: &View);
    /// Which messages went from `src` to `dst` is not known from here on.
    fn doubt(&mut self, src: u32, dst: u32);
    /// Whether messages from `src` to `dst` are to be matched at all.
    fn wants(&self, src: u32, dst: u32) -> bool;
    /// The message that `rank` took as number `number` is none of the record's.
    fn skip(&mut self, rank: usize, number: u64);
    /// All that ranks entered before this moment has been handed over.
    fn reached(&mut self, time: i64) -> Result<(), CloseError>;
    /// Whether enough has been seen; asked now and then, with the words read so far.
    fn is_enough(&mut self, words: u64) -> Result<bool, CloseError>;
}

/// What was counted on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub sends: u64,
    pub cancelled: u64,
    /// Receives that no call ever completed and that were posted for any source: nobody knows what
    /// they got.
    pub open_receives: u64,
    /// Receives that came after such a one and may have got what belongs to it.
    pub uncertain: u64,
    /// Messages to and from processes outside the world, or through communicators that were never
    /// registered.
    pub outside: u64,
}

/// Walk through the calls of all ranks.
pub(crate) fn walk(
    ranks: &Ranks,
    closing: &Closing,
    traffic: &mut impl Traffic,
) -> Result<Counts, CloseError> {
    let mut walk = Walk::start(ranks, closing);
    let mut order = BinaryHeap::new();
    for at in 0..walk.runners.len() {
        order.push((Reverse(i64::MIN), at));
    }
    let mut turns = 0u64;
    while let Some((Reverse(reached), at)) = order.pop() {
        traffic.reached(reached)?;
        if let Some(time) = walk.turn(at, traffic)? {
            order.push((Reverse(time), at));
        }
        turns += 1;
        if turns.is_multiple_of(1024) && traffic.is_enough(walk.words_read())? {
            break;
        }
    }
    Ok(walk.counts)
}

struct Walk<'a> {
    runners: Vec<Runner<'a>>,
    matcher: Matcher,
    counts: Counts,
}

struct Runner<'a> {
    rank: usize,
    resolver: Resolver<'a>,
    view: &'a View,
    sites: &'a SiteNumbers,
    sends: u64,
    /// Communicator and tag of receives that were posted for any source and that nobody saw
    /// complete.
    open: Vec<(u32, i32)>,
}

impl<'a> Walk<'a> {
    fn start(ranks: &'a Ranks, closing: &'a Closing) -> Walk<'a> {
        let logs = ranks.present().count();
        let mut matcher = Matcher::new(ranks.list.len());
        let mut runners = Vec::new();
        for (at, rank) in ranks.list.iter().enumerate() {
            let logged = rank.as_ref().and_then(|rank| Some((rank, rank.files.as_ref()?)));
            let Some((rank, files)) = logged else {
                matcher.never_begins(at as u32);
                continue;
            };
            let model = closing.model(&rank.sheet);
            let resolver =
                Resolver::open((files, logs), &rank.survey.requests, model, ranks.window);
            runners.push(Runner {
                rank: at,
                resolver,
                view: &rank.view,
                sites: &rank.sites,
                sends: 0,
                open: Vec::new(),
            });
        }
        Walk { runners, matcher, counts: Counts::default() }
    }

    fn words_read(&self) -> u64 {
        self.runners.iter().map(|runner| runner.resolver.words_read()).sum()
    }

    /// Some calls of one rank. Returns where it is now; `None` at its end.
    fn turn(&mut self, at: usize, traffic: &mut impl Traffic) -> Result<Option<i64>, CloseError> {
        let mut time = NULL;
        for _ in 0..TURN {
            let Some(mut event) = self.runners[at].resolver.next_event()? else {
                self.matcher.end(self.runners[at].rank as u32, traffic);
                return Ok(None);
            };
            time = event.enter;
            event.call.site = self.runners[at].sites.get(event.call.site);
            self.handle(at, &event, traffic)?;
        }
        Ok(Some(time))
    }

    #[inline]
    fn handle(
        &mut self,
        at: usize,
        event: &Event,
        traffic: &mut impl Traffic,
    ) -> Result<(), CloseError> {
        let Runner { rank, view, .. } = self.runners[at];
        if !event.call.is_continued() {
            traffic.call(rank, event, view)?;
        }
        if event.call.is_of_a_collective() && !event.call.is_polls() {
            traffic.collective(rank, event, view);
        } else if event.call.is_one_sided() && !event.call.is_polls() {
            traffic.one_sided(rank, event, view);
        }
        let mut took = event.ended.how == End::Took;
        if event.call.posts_send() {
            self.send(at, event, traffic);
        }
        if event.call.posts_receive()
            && let Some(got) = self.receive(at, event)
        {
            if event.ended.how == End::Unknown {
                traffic.doubt(got.src, got.dst);
            }
            if traffic.wants(got.src, got.dst) {
                self.matcher.receive(&got, traffic);
            }
            took = false;
        }
        if took {
            traffic.skip(rank, event.ended.taken);
        }
        Ok(())
    }

    #[inline]
    fn send(&mut self, at: usize, event: &Event, traffic: &mut impl Traffic) {
        if event.ended.how == End::Cancelled {
            self.counts.cancelled += 1;
            return;
        }
        let runner = &mut self.runners[at];
        let call = &event.call;
        let Some((seen, dst)) = runner
            .view
            .get(call.communicator)
            .and_then(|seen| Some((seen, seen.world_rank(call.peer)?)))
        else {
            self.counts.outside += 1;
            return;
        };
        let sent = Sent {
            src: runner.rank as u32,
            dst,
            label: Label {
                communicator: seen.global,
                tag: call.tag,
                partitioned: call.is_partitioned(),
            },
            seq: runner.sends,
            ready: event.enter,
            released: if event.ended.how == End::Completed { event.ended.exit } else { NULL },
            bytes: call.bytes,
            row: event.row,
            site: call.site,
            blocking: call.class() == Class::Send && call.mode() == Mode::Standard,
            mode: call.mode(),
            done: Done { row: event.ended.row, enter: event.ended.enter },
        };
        if event.ended.how == End::Unknown {
            traffic.doubt(sent.src, dst);
        }
        runner.sends += 1;
        self.counts.sends += 1;
        if traffic.wants(sent.src, dst) {
            self.matcher.send(&sent, traffic);
        }
    }

    #[inline]
    fn receive(&mut self, at: usize, event: &Event) -> Option<Got> {
        let runner = &mut self.runners[at];
        let (rank, view) = (runner.rank, runner.view);
        let (call, ended) = (&event.call, &event.ended);
        if ended.how == End::Cancelled {
            self.counts.cancelled += 1;
            return None;
        }
        let took = ended.how == End::Took;
        let (source, tag) = if took { (ended.source, ended.tag) } else { (call.peer, call.tag) };
        if source == ANY_PEER || (tag < 0 && !took) {
            self.counts.open_receives += 1;
            if runner.open.len() < OPEN_MAX {
                runner.open.push((call.communicator, call.tag));
            }
            return None;
        }
        let Some((seen, src)) =
            view.get(call.communicator).and_then(|seen| Some((seen, seen.world_rank(source)?)))
        else {
            self.counts.outside += 1;
            return None;
        };
        let overlaps =
            |open: &(u32, i32)| open.0 == call.communicator && (open.1 < 0 || open.1 == tag);
        self.counts.uncertain += u64::from(runner.open.iter().any(overlaps));
        Some(Got {
            src,
            dst: rank as u32,
            label: Label { communicator: seen.global, tag, partitioned: call.is_partitioned() },
            number: took.then_some(ended.taken),
            posted: event.enter,
            awaited: if took { ended.enter } else { NULL },
            taken: if took { ended.exit } else { NULL },
            looked: event.looked,
            bytes: if took { ended.bytes } else { call.bytes },
            size: ended.size,
            row: event.row,
            site: call.site,
            alone: ended.alone,
            done_row: if took { ended.row } else { NULL },
        })
    }
}
