//! One rank's side of the traffic: each of its calls becomes a row of its table, and what it means
//! to other ranks: the send or the receive that it posted, or the call itself where ranks meet in
//! another way.
//!
//! All that a rank alone knows is done here, so that the ranks' logs are read on all cores.

use crate::CloseError;
use crate::call_table::CallTable;
use crate::channel::{Channel, Label};
use crate::entry::ANY_PEER;
use crate::event::{End, Event, Open};
use crate::groups::{Seen, View};
use crate::list::Class;
use crate::message::{Done, Got, Mode, Sent};
use crate::posted::Posted;
use crate::ranks::{Rank, Ranks};
use crate::resolve::Resolver;
use crate::sites::SiteNumbers;
use mpi_facts::ByThreads;
use record::{Closing, NULL};
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// Calls of one rank handled in a row before the others are looked at.
const TURN: usize = 64;

/// Receives for any source, or any tag, that got nobody knows what: so many are remembered.
const OPEN_MAX: usize = 64;

/// What was counted on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub sends: u64,
    pub cancelled: u64,
    /// Receives that no call ever completed and that were posted for any source, or any tag:
    /// nobody knows what they got.
    pub open_receives: u64,
    /// Those that ended, without the library saying what they got.
    pub untold_receives: u64,
    /// Receives that came after one of either kind and may have got what belongs to it.
    pub uncertain: u64,
    /// Messages to and from processes outside the world, or through communicators that were never
    /// registered.
    pub outside: u64,
    /// Those that threads posted at once.
    pub by_threads: ByThreads,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.sends += other.sends;
        self.cancelled += other.cancelled;
        self.open_receives += other.open_receives;
        self.untold_receives += other.untold_receives;
        self.uncertain += other.uncertain;
        self.outside += other.outside;
        self.by_threads.sends += other.by_threads.sends;
        self.by_threads.receives += other.by_threads.receives;
    }
}

/// What a call means to other ranks.
pub(crate) enum Step {
    /// It is a collective, or started one: its place among the events of the batch.
    Collective(usize),
    /// It is a function of one-sided communication; the same.
    OneSided(usize),
    /// Which messages went there is not known from here on.
    Doubt(Channel),
    Send(Sent),
    Receive(Got),
    /// The message that the rank took as number so many is none of the record's.
    Skip(u64),
}

/// Some turns of a rank.
#[derive(Default)]
pub(crate) struct Batch {
    pub steps: Vec<Step>,
    pub events: Vec<Event>,
    pub turns: Vec<Turn>,
    /// Of the rank from its beginning to here.
    pub counts: Counts,
    /// Words of its log read so far.
    pub words: u64,
}

/// Some calls in a row.
#[derive(Clone, Copy)]
pub(crate) struct Turn {
    /// Its steps end here.
    pub end: usize,
    /// When its last call was entered; none for the end of the log.
    pub time: Option<i64>,
}

/// Reads a rank's log.
pub(crate) struct Runner<'a> {
    resolver: Resolver<'a>,
    side: Side<'a>,
}

/// What a rank knows of its calls as they come.
struct Side<'a> {
    rank: u32,
    view: &'a View,
    /// The communicator of the call before, which most calls share.
    recent: Option<(u32, &'a Seen)>,
    sites: &'a SiteNumbers,
    counts: Counts,
    /// Communicator and tag of receives that were posted for any source and that nobody saw
    /// complete.
    open: Vec<(u32, i32)>,
    /// None where one thread makes all calls.
    threads: Option<Posted>,
    /// Where its calls are written; none where they are not.
    table: Option<CallTable>,
}

impl<'a> Runner<'a> {
    /// Of a rank, which is read together with so many others; `None` when it left no log: its table
    /// is complete then.
    pub fn start(
        (at, rank): (usize, &'a Rank),
        (ranks, logs): (&Ranks, usize),
        closing: &'a Closing,
        table: Option<CallTable>,
    ) -> Result<Option<Runner<'a>>, CloseError> {
        let Some(files) = &rank.files else {
            return table.map_or(Ok(None), |table| table.finish().map(|()| None));
        };
        let model = closing.model(&rank.sheet);
        let resolver = Resolver::open((files, logs), &rank.survey.requests, model, ranks.window);
        let side = Side {
            threads: rank.survey.has_threads.then(Posted::default),
            rank: at as u32,
            view: &rank.view,
            recent: None,
            sites: &rank.sites,
            counts: Counts::default(),
            open: Vec::new(),
            table,
        };
        Ok(Some(Runner { resolver, side }))
    }

    /// The next turns, put into `batch` instead of what it held.
    pub fn turns(&mut self, turns: usize, batch: &mut Batch) -> Result<(), CloseError> {
        batch.steps.clear();
        batch.events.clear();
        batch.turns.clear();
        for _ in 0..turns {
            let time = self.turn(batch)?;
            let time = self.side.release(time, batch);
            batch.turns.push(Turn { end: batch.steps.len(), time });
            if time.is_none() {
                self.side.table.take().map_or(Ok(()), CallTable::finish)?;
                break;
            }
        }
        batch.counts = self.side.counts;
        batch.words = self.resolver.words_read();
        Ok(())
    }

    /// Some calls. Returns where the rank is now; `None` at its end.
    fn turn(&mut self, batch: &mut Batch) -> Result<Option<i64>, CloseError> {
        let mut time = NULL;
        for _ in 0..TURN {
            let Some(event) = self.resolver.next_event()? else { return Ok(None) };
            time = event.enter;
            event.call.site = self.side.sites.get(event.call.site);
            self.side.handle(event, batch)?;
        }
        Ok(Some(time))
    }
}

impl<'a> Side<'a> {
    #[inline]
    fn communicator(&mut self, id: u32) -> Option<&'a Seen> {
        if let Some((of, seen)) = self.recent
            && of == id
        {
            return Some(seen);
        }
        let seen = self.view.get(id)?;
        self.recent = Some((id, seen));
        Some(seen)
    }

    #[inline]
    fn handle(&mut self, event: &Event, batch: &mut Batch) -> Result<(), CloseError> {
        let call = &event.call;
        let seen = if call.has_message() { self.communicator(call.communicator) } else { None };
        if let Some(table) = self.table.as_mut().filter(|_| !call.is_continued()) {
            table.push(event, seen)?;
        }
        if call.is_of_a_collective() && !call.is_polls() {
            batch.steps.push(Step::Collective(batch.events.len()));
            batch.events.push(*event);
        } else if call.is_one_sided() && !call.is_polls() {
            batch.steps.push(Step::OneSided(batch.events.len()));
            batch.events.push(*event);
        }
        let mut took = event.ended.how == End::Took;
        if call.posts_send()
            && let Some(sent) = self.send(event, seen)
        {
            let channel = sent.channel();
            doubt(event, channel, batch);
            self.post((channel, Step::Send(sent)), event, batch);
        }
        if call.posts_receive()
            && let Some(got) = self.receive(event, seen)
        {
            let channel = got.channel();
            doubt(event, channel, batch);
            self.post((channel, Step::Receive(got)), event, batch);
            took = false;
        }
        if took {
            batch.steps.push(Step::Skip(event.ended.taken));
        }
        Ok(())
    }

    /// A call posted this on a channel.
    #[inline]
    fn post(&mut self, (channel, step): (Channel, Step), event: &Event, batch: &mut Batch) {
        let Some(threads) = &mut self.threads else { return batch.steps.push(step) };
        if let Step::Send(sent) = step {
            return threads.post(channel, event, Some(sent));
        }
        threads.post(channel, event, None);
        batch.steps.push(step);
    }

    /// Hand on what threads posted, of a rank that is at `time`. Where it is with that.
    fn release(&mut self, time: Option<i64>, batch: &mut Batch) -> Option<i64> {
        let Some(threads) = &mut self.threads else { return time };
        threads.release(time.is_none(), |sent| batch.steps.push(Step::Send(sent)));
        self.counts.by_threads = threads.counts();
        time.map(|time| threads.first().map_or(time, |first| first.min(time)))
    }

    #[inline]
    fn send(&mut self, event: &Event, seen: Option<&Seen>) -> Option<Sent> {
        if event.ended.how == End::Cancelled {
            self.counts.cancelled += 1;
            return None;
        }
        let call = &event.call;
        let Some((seen, dst)) = seen.and_then(|seen| Some((seen, seen.world_rank(call.peer)?)))
        else {
            self.counts.outside += 1;
            return None;
        };
        let seq = self.counts.sends;
        self.counts.sends += 1;
        Some(Sent {
            src: self.rank,
            dst,
            label: Label {
                communicator: seen.global,
                tag: call.tag,
                partitioned: call.is_partitioned(),
            },
            seq,
            ready: event.enter,
            released: if event.ended.how == End::Completed { event.ended.exit } else { NULL },
            bytes: call.bytes,
            row: event.row,
            site: call.site,
            blocking: call.class() == Class::Send && call.mode() == Mode::Standard,
            mode: call.mode(),
            done: Done { row: event.ended.row, enter: event.ended.enter },
        })
    }

    #[inline]
    fn receive(&mut self, event: &Event, seen: Option<&Seen>) -> Option<Got> {
        let (call, ended) = (&event.call, &event.ended);
        if ended.how == End::Cancelled {
            self.counts.cancelled += 1;
            return None;
        }
        let took = ended.how == End::Took;
        let (source, tag) = if took { (ended.source, ended.tag) } else { (call.peer, call.tag) };
        if source == ANY_PEER || (tag < 0 && !took) {
            match ended.how {
                End::Completed => self.counts.untold_receives += 1,
                _ => self.counts.open_receives += 1,
            }
            if self.open.len() < OPEN_MAX {
                self.open.push((call.communicator, call.tag));
            }
            return None;
        }
        let Some((seen, src)) = seen.and_then(|seen| Some((seen, seen.world_rank(source)?))) else {
            self.counts.outside += 1;
            return None;
        };
        let overlaps =
            |open: &(u32, i32)| open.0 == call.communicator && (open.1 < 0 || open.1 == tag);
        self.counts.uncertain += u64::from(self.open.iter().any(overlaps));
        Some(Got {
            src,
            dst: self.rank,
            label: Label { communicator: seen.global, tag, partitioned: call.is_partitioned() },
            number: took.then_some(ended.taken),
            posted: event.enter,
            awaited: if took { ended.enter } else { NULL },
            taken: if took { ended.exit } else { NULL },
            looked: event.looked,
            open: Open::of(call),
            bytes: if took { ended.bytes } else { call.bytes },
            size: ended.size,
            row: event.row,
            site: call.site,
            alone: ended.alone,
            done_row: if took { ended.row } else { NULL },
        })
    }
}

#[inline]
fn doubt(event: &Event, channel: Channel, batch: &mut Batch) {
    if event.ended.how == End::Unknown {
        batch.steps.push(Step::Doubt(channel));
    }
}
