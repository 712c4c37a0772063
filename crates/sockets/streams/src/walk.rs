//! The second reading of the logs: the calls of all processes in the order in which they returned.
//!
//! A chunk of a log is one thread's at a time, and holds its calls in order. Chunks are opened when
//! their time has come, so that memory holds a chunk for each thread that is at work, however long
//! the logs are.

use crate::CloseError;
use crate::entry::{Call, Ends, Entries, Entry, flags};
use crate::logs::Process;
use crate::op::{Op, Wait};
use crate::survey::{Beginning, Survey};
use crate::transport::Look;
use clock::{Cursor, Model, Ticks};
use record::NULL;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Something that happened at an end of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    /// The end's place.
    pub end: u32,
    pub what: What,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    Sent(Op),
    Received(Op),
    /// Messages end there.
    Marks(Ends),
    /// So much lay in a pipe.
    Unread(Look<i64>),
}

impl What {
    /// Whether it is of what an end has written, not of what it has read.
    pub fn is_sent(&self) -> bool {
        match self {
            What::Sent(_) => true,
            What::Marks(found) => found.is_sent,
            What::Received(_) | What::Unread(_) => false,
        }
    }
}

/// A process and its clock.
struct Log<'a> {
    process: &'a Process,
    numbers: &'a FxHashMap<u32, u32>,
    clock: Cursor<'a>,
}

/// When an entry comes: when its call returned, when it was entered, and its place in the chunk.
type Moment = (i64, i64, u32);

/// What a thread had logged before an entry of its own.
#[derive(Clone, Copy, Default)]
struct Around {
    thread: u32,
    /// Its last wait, ticks.
    wait: Option<[u64; 3]>,
}

/// A chunk whose entries are under way.
struct Open {
    log: usize,
    entries: Vec<(Moment, Entry, Around)>,
    next: usize,
}

/// Go through all calls. `done` hears of each chunk.
pub(crate) fn each(
    survey: &Survey,
    logs: &[(&Process, Option<&Model>)],
    mut take: impl FnMut(Event, i64) -> Result<(), CloseError>,
    mut done: impl FnMut(),
) -> Result<(), CloseError> {
    let mut logs = readers(survey, logs);
    let mut later = survey.chunks.iter().peekable();
    let (mut open, mut heap) = (Places::default(), BinaryHeap::new());
    loop {
        while let Some(beginning) = later.next_if(|one| is_due(one, &heap)) {
            if let Some(chunk) = load(beginning, &mut logs)? {
                heap.push(Reverse((chunk.entries[0].0, open.put(chunk))));
            }
        }
        let Some(Reverse((_, place))) = heap.pop() else { return Ok(()) };
        let until = [heap.peek().map(|one| one.0.0.0), later.peek().map(|one| one.at)];
        let until = until.into_iter().flatten().min().unwrap_or(i64::MAX);
        let chunk = open.at(place);
        let log = &mut logs[chunk.log];
        while let Some((moment, entry, around)) = chunk.entries.get(chunk.next) {
            if moment.0 > until {
                break;
            }
            chunk.next += 1;
            if let Some(event) = log.event(entry, *around) {
                take(event, moment.0)?;
            }
        }
        match chunk.entries.get(chunk.next) {
            Some((moment, ..)) => heap.push(Reverse((*moment, place))),
            None => {
                open.free(place);
                done();
            }
        }
    }
}

fn is_due(beginning: &Beginning, heap: &BinaryHeap<Reverse<(Moment, usize)>>) -> bool {
    heap.peek().is_none_or(|first| beginning.at <= first.0.0.0)
}

fn readers<'a>(survey: &'a Survey, logs: &[(&'a Process, Option<&'a Model>)]) -> Vec<Log<'a>> {
    let of = |((process, model), numbers): (&(&'a Process, Option<&'a Model>), _)| {
        // Who has no model has no chunks either; any clock does.
        let model = model.or_else(|| logs.iter().find_map(|(_, model)| *model))?;
        Some(Log { process, numbers, clock: model.cursor() })
    };
    logs.iter().zip(&survey.numbers).filter_map(of).collect()
}

/// Read a chunk and put its entries in order: a signal handler's are among those of a call that it
/// interrupted.
fn load(beginning: &Beginning, logs: &mut [Log<'_>]) -> Result<Option<Open>, CloseError> {
    let place = beginning.process as usize;
    let log = &mut logs[place];
    let words = log.process.chunk(beginning.chunk)?;
    let (mut entries, mut last, mut around) = (Vec::new(), None, Around::default());
    for (at, entry) in (0..).zip(Entries::new(&words)) {
        let moment = match &entry {
            Entry::Send(call) | Entry::Receive(call) if call.exit > log.process.until => break,
            Entry::Send(call) | Entry::Receive(call) => {
                last = Some((log.at(call.exit), log.at(call.enter), 2 * at + 1));
                last
            }
            Entry::Unread { look, .. } if look.from <= log.process.until => {
                let from = log.at(look.from);
                Some((from, from, 2 * at + 1))
            }
            Entry::Wait(times) => {
                around.wait = Some(*times);
                None
            }
            Entry::Thread(thread) => {
                around = Around { thread: *thread, wait: None };
                None
            }
            // They stand behind their call, and are to be known when it comes.
            Entry::Ends(_) => last.map(|(exit, enter, place): Moment| (exit, enter, place - 1)),
            _ => None,
        };
        entries.extend(moment.map(|moment| (moment, entry, around)));
    }
    if !entries.is_sorted_by_key(|(moment, ..)| *moment) {
        entries.sort_by_key(|(moment, ..)| *moment);
    }
    Ok((!entries.is_empty()).then_some(Open { log: place, entries, next: 0 }))
}

impl Log<'_> {
    fn at(&mut self, ticks: u64) -> i64 {
        self.clock.timeline(Ticks(ticks)).0
    }

    fn event(&mut self, entry: &Entry, around: Around) -> Option<Event> {
        let (socket, what) = match entry {
            Entry::Send(call) => (call.socket, What::Sent(self.op(call, around.thread))),
            Entry::Receive(call) => (call.socket, What::Received(self.receive(call, around))),
            Entry::Ends(found) => (found.socket, What::Marks(*found)),
            Entry::Unread { socket, look } => (*socket, What::Unread(self.look(*look))),
            Entry::Socket(_) | Entry::Before(_) | Entry::After(_) | Entry::Hides { .. } => {
                return None;
            }
            Entry::Close { .. } | Entry::Guess { .. } | Entry::Stop { .. } => return None,
            Entry::Wait(_) | Entry::Thread(_) => return None,
        };
        Some(Event { end: *self.numbers.get(&socket)?, what })
    }

    fn look(&mut self, look: Look<u64>) -> Look<i64> {
        Look { from: self.at(look.from), until: self.at(look.until), unread: look.unread }
    }

    fn receive(&mut self, call: &Call, around: Around) -> Op {
        let wait = around.wait.map(|[enter, exit, files]| Wait {
            enter: self.at(enter),
            exit: self.at(exit),
            files: files as i64,
        });
        Op { wait, ..self.op(call, around.thread) }
    }

    fn op(&mut self, call: &Call, thread: u32) -> Op {
        let is_stamped = call.flags & flags::STAMPED != 0;
        let stamp = match is_stamped {
            true => self.clock.realtime_to_timeline(call.fourth as i64).0,
            false => NULL,
        };
        let has_looked = call.flags & flags::LOOKED != 0;
        let offered = match has_looked {
            true => call.bytes.saturating_add(u32::from(call.flags & flags::PART != 0)),
            false => u32::try_from(call.fourth).unwrap_or(u32::MAX),
        };
        let look = has_looked.then(|| self.look(Look::behind(call.exit, call.fourth)));
        Op {
            enter: self.at(call.enter),
            exit: self.at(call.exit),
            stamp,
            bytes: call.bytes,
            offered: if is_stamped { 0 } else { offered },
            node: self.process.sheet.node,
            thread,
            flags: call.flags,
            look,
            wait: None,
        }
    }
}

/// Chunks that are open, with places that are used again.
#[derive(Default)]
struct Places {
    chunks: Vec<Option<Open>>,
    free: Vec<usize>,
}

impl Places {
    fn put(&mut self, chunk: Open) -> usize {
        match self.free.pop() {
            Some(place) => {
                self.chunks[place] = Some(chunk);
                place
            }
            None => {
                self.chunks.push(Some(chunk));
                self.chunks.len() - 1
            }
        }
    }

    fn at(&mut self, place: usize) -> &mut Open {
        self.chunks[place].as_mut().expect("it was put there")
    }

    fn free(&mut self, place: usize) {
        self.chunks[place] = None;
        self.free.push(place);
    }
}
