//! The ranks' logs, read ahead of the walk by threads of their own.
//!
//! Each rank is read by one thread, a batch at a time: while the walk is at one batch, the next
//! ones are made. What comes next of a rank does not depend on the others, so the walk is the same
//! however many threads there are.

use crate::CloseError;
use crate::call_table::CallTable;
use crate::event::Event;
use crate::ranks::Ranks;
use crate::runner::{Batch, Counts, Runner, Step};
use record::Closing;
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::Scope;

/// Turns of all ranks together that are made ahead of the walk: with the batches that it is at,
/// some 100 MB at most.
const TURNS_AHEAD: usize = 1 << 10;
/// Batches of a rank made ahead, at most: enough that neither side waits for the other's pauses.
const BATCHES_AHEAD: usize = 16;
/// Turns of a batch.
const TURNS_MAX: usize = 32;
/// More threads than this are never kept busy.
const THREADS_MAX: usize = 8;

/// Where the walk gets a rank's turns from.
pub(crate) struct Feed {
    pub rank: u32,
    /// Its number among those of its thread.
    at: usize,
    requests: Sender<(usize, Batch)>,
    batches: Receiver<Result<Batch, CloseError>>,
    batch: Batch,
    /// The next turn, and where its steps begin.
    next: (usize, usize),
}

/// A turn of a rank.
pub(crate) struct FedTurn<'a> {
    pub steps: &'a [Step],
    pub events: &'a [Event],
    /// When its last call was entered; none for the end of the log.
    pub time: Option<i64>,
}

/// A rank as its thread has it.
type Fed<'a> = (Runner<'a>, SyncSender<Result<Batch, CloseError>>);

/// Start to read the logs of all ranks that have one, and write their calls into `tables`, by rank.
pub(crate) fn start<'scope, 'a: 'scope>(
    scope: &'scope Scope<'scope, '_>,
    (ranks, closing): (&'a Ranks, &'a Closing),
    mut tables: Vec<Option<CallTable>>,
) -> Result<Vec<Feed>, CloseError> {
    let logs = ranks.present().filter(|(_, rank)| rank.files.is_some()).count();
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let count = cores.clamp(1, THREADS_MAX).min(logs.max(1));
    let each = TURNS_AHEAD / logs.max(1);
    let turns = each.clamp(1, TURNS_MAX);
    let ahead = (each / turns).clamp(1, BATCHES_AHEAD);
    let (mut threads, mut requests): (Vec<Vec<Fed>>, Vec<_>) =
        (0..count).map(|_| (Vec::new(), channel())).unzip();
    let mut feeds = Vec::new();
    for (rank, of) in ranks.present() {
        let table = tables.get_mut(rank).and_then(Option::take);
        let Some(runner) = Runner::start((rank, of), (ranks, logs), closing, table)? else {
            continue;
        };
        let thread = feeds.len() % count;
        let (sender, batches) = sync_channel(ahead);
        let at = threads[thread].len();
        let feed = Feed::new((rank as u32, at), requests[thread].0.clone(), batches);
        (0..ahead).for_each(|_| feed.request(Batch::default()));
        feeds.push(feed);
        threads[thread].push((runner, sender));
    }
    for (runners, (_, requests)) in threads.into_iter().zip(requests.drain(..)) {
        scope.spawn(move || read(runners, &requests, turns));
    }
    Ok(feeds)
}

/// Make the batches that are asked for, until nobody can ask any more.
fn read(mut ranks: Vec<Fed>, requests: &Receiver<(usize, Batch)>, turns: usize) {
    for (at, mut batch) in requests {
        let (runner, out) = &mut ranks[at];
        let read = runner.turns(turns, &mut batch);
        // When it is not taken, the walk has ended before the logs: it had seen enough, or failed.
        let _ = out.send(read.map(|()| batch));
    }
}

impl Feed {
    fn new(
        (rank, at): (u32, usize),
        requests: Sender<(usize, Batch)>,
        batches: Receiver<Result<Batch, CloseError>>,
    ) -> Feed {
        Feed { rank, at, requests, batches, batch: Batch::default(), next: (0, 0) }
    }

    /// The next turn. Not to be asked after the end of the log.
    pub fn turn(&mut self) -> Result<FedTurn<'_>, CloseError> {
        if self.next.0 == self.batch.turns.len() {
            self.next_batch()?;
        }
        let (at, begin) = self.next;
        let turn = self.batch.turns[at];
        self.next = (at + 1, turn.end);
        let steps: Range<usize> = begin..turn.end;
        Ok(FedTurn { steps: &self.batch.steps[steps], events: &self.batch.events, time: turn.time })
    }

    /// What was counted of the rank to the end of the batch.
    pub fn counts(&self) -> Counts {
        self.batch.counts
    }

    /// Words of its log that were read for the batch and those before.
    pub fn words(&self) -> u64 {
        self.batch.words
    }

    fn next_batch(&mut self) -> Result<(), CloseError> {
        let next = self.batches.recv().map_err(|_| CloseError::ReaderGone)??;
        let done = std::mem::replace(&mut self.batch, next);
        self.next = (0, 0);
        if self.batch.turns.last().is_some_and(|turn| turn.time.is_some()) {
            self.request(done);
        }
        Ok(())
    }

    /// Ask for a batch, into one that is done.
    fn request(&self, done: Batch) {
        // A thread that is gone is noticed when its batch does not come.
        let _ = self.requests.send((self.at, done));
    }
}
