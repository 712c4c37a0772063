//! The first reading of the logs: which sockets there are, how much each end of a connection moved,
//! and when the chunks of the logs begin. It is what the second reading, in the order of time,
//! needs to know beforehand, so that nothing has to be kept until the end.

use crate::CloseError;
use crate::ends::{End, EndClock, Identity, Made, PipeUse};
use crate::entry::{Address, Before, Birth, Call, Entries, Entry, Socket, flags};
use crate::framing::Guess;
use crate::logs::Process;
use crate::moved::Moved;
use crate::silence::Silence;
use crate::transport::{Hiding, Transport};
use clock::{Cursor, Model, Ticks};
use rustc_hash::FxHashMap;

/// Which socket of which system it is.
type Key = (u32, Transport, u64, Address, Address);

/// What is in the logs of all processes.
#[derive(Default)]
pub(crate) struct Survey {
    pub ends: Vec<End>,
    /// Of each process, its sockets' ends by their number.
    pub numbers: Vec<FxHashMap<u32, u32>>,
    /// Connections of each process.
    pub used: Vec<u64>,
    /// The moments of its calls.
    pub spans: Vec<Option<ClockSpan>>,
    /// When each chunk begins, with the place of its process.
    pub chunks: Vec<Beginning>,
    /// Slots of logs that held no entry.
    pub damaged: u64,
    by_key: FxHashMap<Key, usize>,
    /// The machines, by when they were started.
    hosts: Vec<String>,
}

/// The first and the last moment of the calls of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClockSpan {
    pub ticks: [u64; 2],
    /// Of the kernel's stamps, ns.
    pub kernel_ns: Option<(i64, i64)>,
}

/// A chunk of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Beginning {
    /// No call in it returned earlier, ns.
    pub at: i64,
    pub process: u32,
    pub chunk: u32,
}

/// What a process did with a socket.
#[derive(Default)]
struct Use {
    sent: Moved,
    received: Moved,
    last: i64,
    guess: Option<Guess>,
    looks: u64,
    hiding: Option<Hiding>,
    /// It was closed last, or the process ended in order, ns.
    done: Option<i64>,
}

/// What a process did.
#[derive(Default)]
struct Uses {
    /// Each with the thread that came to use it.
    sockets: Vec<(Socket, u32)>,
    /// What those had carried that were found.
    before: FxHashMap<u32, Before>,
    by_number: FxHashMap<u32, Use>,
    span: Option<ClockSpan>,
}

impl ClockSpan {
    /// With one more call.
    fn with(span: Option<ClockSpan>, call: &Call) -> ClockSpan {
        let here = ClockSpan { ticks: [call.enter, call.exit], kernel_ns: None };
        let ClockSpan { ticks: [first, last], mut kernel_ns } = span.unwrap_or(here);
        if call.flags & flags::STAMPED != 0 {
            let stamp = call.fourth as i64;
            let (from, to) = kernel_ns.unwrap_or((stamp, stamp));
            kernel_ns = Some((from.min(stamp), to.max(stamp)));
        }
        ClockSpan { ticks: [first.min(call.enter), last.max(call.exit)], kernel_ns }
    }
}

impl Survey {
    /// Take in what a process logged. `done` hears of each chunk.
    pub fn add(
        &mut self,
        process: &Process,
        model: &Model,
        mut done: impl FnMut(),
    ) -> Result<(), CloseError> {
        let of_end = EndClock { host: self.host(&process.sheet.boot_id), error_ns: 0 };
        let (node, mut clock) = (process.sheet.node, model.cursor());
        let place = self.numbers.len() as u32;
        let mut uses = Uses::default();
        process.each_chunk(|chunk, words| {
            let mut entries = Entries::new(words);
            let first = uses.take(&mut entries, (node, process.until), &mut clock);
            self.damaged += entries.damaged();
            if let Some(at) = first {
                self.chunks.push(Beginning { at, process: place, chunk });
            }
            done();
        })?;
        self.spans.push(uses.span);
        self.fold(uses, (node, of_end), &mut clock);
        Ok(())
    }

    /// A process whose clock is not known.
    pub fn skip(&mut self) {
        self.numbers.push(FxHashMap::default());
        self.used.push(0);
        self.spans.push(None);
    }

    /// All logs are taken in.
    pub fn complete(&mut self) {
        self.chunks.sort_unstable();
        for end in &mut self.ends {
            end.complete();
        }
    }

    fn host(&mut self, boot_id: &str) -> u32 {
        let known = self.hosts.iter().position(|known| known == boot_id);
        let at = known.unwrap_or_else(|| {
            self.hosts.push(boot_id.to_owned());
            self.hosts.len() - 1
        });
        at as u32
    }

    fn fold(&mut self, mut uses: Uses, whose: (u32, EndClock), clock: &mut Cursor<'_>) {
        let mut numbers = FxHashMap::default();
        for (socket, thread) in &uses.sockets {
            let before = uses.before.get(&socket.number);
            let at = self.end_of((socket, *thread), before, whose, clock);
            numbers.insert(socket.number, at as u32);
            self.ends[at].pipe.merge(&uses.beside_calls(socket, whose.0, clock));
        }
        let mut used: Vec<u32> = numbers.values().copied().collect();
        used.sort_unstable();
        used.dedup();
        let mut silences = vec![Silence::NONE; used.len()];
        for (number, one) in uses.by_number.drain() {
            let Some(at) = numbers.get(&number).copied() else { continue };
            let end = &mut self.ends[at as usize];
            end.last = end.last.max(one.last);
            end.sent.merge(&one.sent);
            end.received.merge(&one.received);
            end.guess = one.guess.or(end.guess);
            if let Ok(place) = used.binary_search(&at) {
                silences[place].go_on(one.sent.last, one.last);
            }
        }
        for (at, silence) in used.iter().zip(silences) {
            self.ends[*at as usize].silence.add(silence);
        }
        self.used.push(used.len() as u64);
        self.numbers.push(numbers);
    }

    fn end_of(
        &mut self,
        (socket, thread): (&Socket, u32),
        before: Option<&Before>,
        (node, of_end): (u32, EndClock),
        clock: &mut Cursor<'_>,
    ) -> usize {
        let key = (of_end.host, socket.transport, socket.inode, socket.local, socket.peer);
        let [enter, exit] = socket.made.map(|at| clock.timeline(Ticks(at)).0);
        let at = *self.by_key.entry(key).or_insert_with(|| {
            self.ends.push(End {
                clock: of_end,
                identity: Identity { inode: socket.inode, ..Identity::default() },
                made: Made { at: [enter, exit], thread },
                last: exit,
                ..End::new(socket.transport, [socket.local, socket.peer], node)
            });
            self.ends.len() - 1
        });
        let end = &mut self.ends[at];
        end.identity.peer_inode = end.identity.peer_inode.max(socket.peer_inode);
        end.made.at[0] = end.made.at[0].min(enter);
        match socket.birth {
            Birth::Found => end.taken_over.add(before.map(|before| (*before, exit))),
            made => {
                end.birth = Some(made);
                end.made = Made { at: [end.made.at[0], exit], thread };
                end.identity.caller = socket.caller;
            }
        }
        at
    }
}

impl Uses {
    /// The entries of a chunk. When the first call of it ended, or the first look at a pipe began;
    /// `None` where it holds neither.
    fn take(
        &mut self,
        entries: &mut Entries<'_>,
        (node, until): (u32, u64),
        clock: &mut Cursor<'_>,
    ) -> Option<i64> {
        let (mut first, mut looked, mut thread) = (None, None, 0);
        for entry in entries.by_ref() {
            match entry {
                Entry::Socket(socket) => self.sockets.push((socket, thread)),
                Entry::Before(before) => {
                    self.before.insert(before.socket, before);
                }
                Entry::After(after) if after.at <= until => {
                    self.way(after.socket, true).count(after.sent);
                    self.way(after.socket, false).count(after.received);
                }
                Entry::After(_) => {}
                Entry::Send(call) | Entry::Receive(call) if call.exit > until => break,
                Entry::Send(call) | Entry::Receive(call) => {
                    let is_sent = matches!(entry, Entry::Send(_));
                    let exit = self.call(&call, is_sent, node, clock);
                    first = Some(first.map_or(exit, |first: i64| first.min(exit)));
                }
                Entry::Close { socket, at } => {
                    let at = clock.timeline(Ticks(at)).0;
                    let one = self.by_number.entry(socket).or_default();
                    one.sent.is_ended = true;
                    one.last = one.last.max(at);
                    one.done = one.done.max(Some(at));
                }
                Entry::Unread { socket, look } if look.from <= until => {
                    let at = clock.timeline(Ticks(look.from)).0;
                    looked = Some(looked.map_or(at, |looked: i64| looked.min(at)));
                    let one = self.by_number.entry(socket).or_default();
                    one.looks += 1;
                    one.done = one.done.max(Some(at));
                }
                Entry::Thread(its) => thread = its,
                Entry::Unread { .. } | Entry::Wait(_) => {}
                Entry::Hides { socket, hiding } => {
                    self.by_number.entry(socket).or_default().hiding = Some(hiding);
                }
                Entry::Ends(found) => {
                    let marks = &mut self.way(found.socket, found.is_sent).marks;
                    match first {
                        Some(_) => marks.slot(node, found.iter()),
                        None => marks.early_slot(node, found.iter()),
                    }
                }
                Entry::Guess { socket, guess } => {
                    self.by_number.entry(socket).or_default().guess = Some(guess);
                }
                Entry::Stop { socket, is_sent, reason, .. } => {
                    self.way(socket, is_sent).marks.stop(node, reason);
                }
            }
        }
        [first, looked].into_iter().flatten().min()
    }

    fn call(&mut self, call: &Call, is_sent: bool, node: u32, clock: &mut Cursor<'_>) -> i64 {
        let [enter, exit] = [call.enter, call.exit].map(|at| clock.timeline(Ticks(at)).0);
        self.span = Some(ClockSpan::with(self.span, call));
        let one = self.by_number.entry(call.socket).or_default();
        one.last = one.last.max(exit);
        let way = if is_sent { &mut one.sent } else { &mut one.received };
        way.call(node, (enter, exit), call.bytes);
        way.is_ended |= !is_sent && call.flags & flags::END != 0;
        exit
    }

    /// What the process knows of an end beside the calls that it made there.
    fn beside_calls(&self, socket: &Socket, node: u32, clock: &mut Cursor<'_>) -> PipeUse {
        let hiding = self.by_number.get(&socket.number).and_then(|one| one.hiding);
        let stream_nodes = if hiding == Some(Hiding::Streams) { vec![node] } else { Vec::new() };
        let of_pipe = match socket.transport.is_pipe() {
            true => self.of_pipe(socket, clock),
            false => PipeUse::NONE,
        };
        PipeUse { hiding, stream_nodes, ..of_pipe }
    }

    /// The same of an end of a pipe. A process that has neither closed it nor ended in order since
    /// its last call may have been within another one.
    fn of_pipe(&self, socket: &Socket, clock: &mut Cursor<'_>) -> PipeUse {
        let found = (socket.birth == Birth::Found).then(|| clock.timeline(Ticks(socket.made[1])).0);
        let Some(one) = self.by_number.get(&socket.number) else {
            return PipeUse { unlogged_from: found.unwrap_or(i64::MAX), ..PipeUse::NONE };
        };
        let last = one.sent.last.max(one.received.last).or(found);
        let unlogged = last.filter(|last| one.done.is_none_or(|done| done < *last));
        let unlogged_from = unlogged.unwrap_or(i64::MAX);
        PipeUse { looks: one.looks, unlogged_from, ..PipeUse::NONE }
    }

    fn way(&mut self, socket: u32, is_sent: bool) -> &mut Moved {
        let one = self.by_number.entry(socket).or_default();
        if is_sent { &mut one.sent } else { &mut one.received }
    }
}
