//! Plays a service: what is due first comes first, and the network moves in between.

use super::causes::Causes;
use super::desk::{Desk, Next};
use super::window::{Trip, Window};
use super::{Cause, Service, What};
use crate::path::{Path, Share};
use crate::play::{Played, Rematched, Spent, Stamps, Stuck};
use crate::wire::{Load, Told, Wire};
use machine::{Machine, PS_PER_NS, Processor, Queue, Tells, Time};
use slab::Slab;

/// Something that will happen, known before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// The cause of a thread's turn comes.
    Cause { thread: u32, turn: u32 },
    /// A message that stood still goes on its way.
    Leaves(u32),
    /// A message has come.
    Came(u32),
    /// A thread is about to do its next deed.
    Deed(u32),
}

/// What is known of a message.
#[derive(Clone, Copy, Default)]
struct Under {
    ready: Time,
    sent: Time,
    arrived: Time,
}

/// Bytes of a stream that were sent and not taken, what threads wait to send more, and when the
/// last one came.
#[derive(Default)]
struct Stream {
    bytes: u64,
    waits: Vec<u32>,
    last: Time,
    window: Window,
}

pub(super) struct Player<'a, T> {
    service: &'a Service,
    processor: Processor,
    wire: Wire,
    bytes_per_s: f64,
    desks: Vec<Desk<'a>>,
    /// Each with its turn among those of a moment, and where the path to it is.
    due: Queue<(Time, u64, Due, usize)>,
    paths: Slab<Path>,
    next: u64,
    causes: Causes,
    /// By node: threads that are not done.
    going: Vec<u32>,
    under: Vec<Under>,
    streams: Vec<Stream>,
    told: Vec<(Time, Told)>,
    tell: T,
}

impl<'a, T: FnMut(u32, Stamps)> Player<'a, T> {
    pub fn new(service: &'a Service, machine: &Machine, seed: u64, tell: T) -> Player<'a, T> {
        let timer = |node: u16| Processor::of(machine, service.host(node)).timer;
        let desks = service.threads.iter().map(|thread| Desk::new(thread, timer(thread.node)));
        let messages = service.messages.len();
        let streams = service.messages.iter().map(|letter| letter.stream + 1).max().unwrap_or(0);
        let mut player = Player {
            service,
            processor: Processor::of(machine, 0),
            wire: Wire::new(machine, service.hosts(), seed, Tells::Ahead),
            bytes_per_s: machine.value("network.bandwidth"),
            desks: desks.collect(),
            due: Queue::new(),
            paths: Slab::new(),
            next: 0,
            causes: Causes::of(service),
            going: vec![0; service.host_of.len()],
            under: vec![Under::default(); messages],
            streams: (0..streams).map(|_| Stream::default()).collect(),
            told: Vec::new(),
            tell,
        };
        for thread in &service.threads {
            player.going[usize::from(thread.node)] += u32::from(!thread.turns.is_empty());
        }
        for ((thread, turn), at) in std::mem::take(&mut player.causes.begin) {
            let path = Path::default().and(Share::Computing, at);
            player.at(at, Due::Cause { thread, turn }, path);
        }
        player
    }

    pub fn run(mut self) -> Result<Played, Stuck> {
        loop {
            let first = self.due.first().map(|(when, ..)| *when);
            match (first, self.wire.next()) {
                (None, None) => return self.played(),
                (Some(now), Some(next)) if next <= now => self.move_network(),
                (None, Some(_)) => self.move_network(),
                (Some(_), _) => self.next_due(),
            }
        }
    }

    fn played(self) -> Result<Played, Stuck> {
        let nodes = self.service.host_of.len();
        let mut spent = vec![Spent::default(); nodes];
        for (desk, thread) in self.desks.iter().zip(&self.service.threads) {
            if let Some((step, turn)) = desk.gate.first_left() {
                let node = thread.node;
                return Err(match turn.cause {
                    Cause::Came(message) => Stuck::Waits { node, step, message },
                    _ => Stuck::Stands { node, step },
                });
            }
            let all = &mut spent[usize::from(thread.node)];
            all.computing += desk.spent.computing;
            all.overhead += desk.spent.overhead;
            all.waiting += desk.spent.waiting;
            all.blocked += desk.spent.blocked;
            all.end = all.end.max(desk.now);
        }
        let last = self.desks.iter().max_by_key(|desk| desk.now);
        let path = last.map(|desk| desk.path).unwrap_or_default();
        Ok(Played { nodes: spent, path, rematched: Rematched::default() })
    }

    fn at(&mut self, when: Time, due: Due, path: Path) {
        let place = if matches!(due, Due::Deed(_)) { 0 } else { self.paths.insert(path) };
        self.due.push((when, self.next, due, place));
        self.next += 1;
    }

    fn next_due(&mut self) {
        let Some((when, _, due, place)) = self.due.pop() else { return };
        if let Due::Deed(thread) = due {
            return self.deed(thread);
        }
        let path = self.paths.remove(place);
        match due {
            Due::Cause { thread, turn } => self.caused((thread, turn), when, path),
            Due::Came(message) => {
                self.under[message as usize].arrived = when;
                if let Some(who) = self.causes.taker(message) {
                    self.caused(who, when, path);
                }
            }
            Due::Leaves(message) => self.leave(message, when, &path),
            Due::Deed(_) => {}
        }
    }

    fn caused(&mut self, (thread, turn): (u32, u32), when: Time, path: Path) {
        let desk = &mut self.desks[thread as usize];
        desk.gate.cause(turn, when, path);
        if desk.at.is_none() {
            self.go_on(thread);
        }
    }

    /// A thread goes to its next deed, in this turn or in another one.
    fn go_on(&mut self, thread: u32) {
        loop {
            let desk = &mut self.desks[thread as usize];
            if desk.at.is_none() && !desk.begin() {
                return;
            }
            match desk.approach(&self.processor) {
                Next::Deed => return self.come_to_deed(thread),
                Next::Later => continue,
                Next::Over => {}
            }
            let Some(at) = desk.at.take() else { return };
            if desk.gate.done(at.turn) {
                return self.end(thread);
            }
        }
    }

    /// It is at the deed when its processor has done what that takes.
    fn come_to_deed(&mut self, thread: u32) {
        let what = self.what(thread);
        let desk = &mut self.desks[thread as usize];
        let bytes = |message: u32| self.service.messages[message as usize].bytes as usize;
        match what {
            Some(What::Send(message)) => {
                self.under[message as usize].ready = desk.now;
                desk.handle(self.processor.sending(bytes(message)));
            }
            Some(What::Take(message)) => desk.handle(self.processor.receiving(bytes(message))),
            _ => {}
        }
        let now = self.desks[thread as usize].now;
        self.at(now, Due::Deed(thread), Path::default());
    }

    fn what(&self, thread: u32) -> Option<What> {
        let at = self.desks[thread as usize].at?;
        Some(self.service.threads[thread as usize].deeds[at.deed as usize].what)
    }

    fn deed(&mut self, thread: u32) {
        let is_done = match self.what(thread) {
            Some(What::Send(message)) => self.send(thread, message),
            Some(What::Take(message)) => self.take(thread, message),
            Some(What::Connect { connection, to }) => self.connect(thread, connection, to),
            Some(What::Compute) | None => true,
        };
        if is_done {
            if let Some(at) = &mut self.desks[thread as usize].at {
                at.deed += 1;
            }
            self.go_on(thread);
        }
    }

    /// `false`: there is no room for it.
    fn send(&mut self, thread: u32, message: u32) -> bool {
        let letter = self.service.messages[message as usize];
        let hosts = (self.service.host(letter.from), self.service.host(letter.to));
        let is_between = hosts.0 != hosts.1;
        let way = if is_between { self.wire.latency(hosts) } else { 0 };
        let stream = &mut self.streams[letter.stream as usize];
        if stream.bytes > 0 && stream.bytes + letter.bytes > self.service.room_bytes {
            stream.waits.push(thread);
            return false;
        }
        stream.bytes += letter.bytes;
        let Desk { now, path, .. } = self.desks[thread as usize];
        self.under[message as usize].sent = now;
        let (due, later) = match is_between {
            false => (Due::Came(message), letter.within_ns * PS_PER_NS),
            true => {
                let trip = Trip { there_and_back: 2 * way, bytes_per_s: self.bytes_per_s };
                let held_back = stream.window.send(now, letter.bytes, trip);
                (Due::Leaves(message), held_back + letter.stalled_ns * PS_PER_NS)
            }
        };
        // None overtakes another of its stream.
        let when = stream.last.max(now + later);
        stream.last = when;
        let path = path.and(Share::Stall, when - now);
        if when > now || due == Due::Came(message) {
            self.at(when, due, path);
        } else {
            self.leave(message, now, &path);
        }
        true
    }

    fn leave(&mut self, message: u32, now: Time, path: &Path) {
        let letter = self.service.messages[message as usize];
        let hosts = (self.service.host(letter.from), self.service.host(letter.to));
        self.wire.send(now, hosts, Load::Whole(message), letter.bytes, path);
    }

    fn take(&mut self, thread: u32, message: u32) -> bool {
        let letter = self.service.messages[message as usize];
        let Desk { now, path, .. } = self.desks[thread as usize];
        let Under { ready, sent, arrived } = self.under[message as usize];
        (self.tell)(message, Stamps { ready, sent, arrived, taken: now });
        let stream = &mut self.streams[letter.stream as usize];
        stream.bytes = stream.bytes.saturating_sub(letter.bytes);
        for sender in std::mem::take(&mut stream.waits) {
            self.desks[sender as usize].had_room(now, path);
            self.at(now, Due::Deed(sender), Path::default());
        }
        for who in self.causes.taken(message) {
            self.at(now, Due::Cause { thread: who.0, turn: who.1 }, path);
        }
        true
    }

    /// Who connects goes on when word has come back; who accepts has then been told that.
    fn connect(&mut self, thread: u32, connection: u32, to: u16) -> bool {
        let Desk { now, path, .. } = self.desks[thread as usize];
        let from = self.service.threads[thread as usize].node;
        let hosts = (self.service.host(from), self.service.host(to));
        let way = if hosts.0 == hosts.1 { 0 } else { self.wire.latency(hosts) };
        for who in self.causes.made(connection) {
            let turn = &self.service.threads[who.0 as usize].turns[who.1 as usize];
            let ways = if matches!(turn.cause, Cause::Accepted(_)) { 3 } else { 2 };
            let path = path.and(Share::Latency, ways * way);
            self.at(now + ways * way, Due::Cause { thread: who.0, turn: who.1 }, path);
        }
        true
    }

    fn end(&mut self, thread: u32) {
        let (node, Desk { now, path, .. }) =
            (self.service.threads[thread as usize].node, &self.desks[thread as usize]);
        let (now, path) = (*now, *path);
        let going = &mut self.going[usize::from(node)];
        *going -= 1;
        if *going > 0 {
            return;
        }
        for who in self.causes.ended(node) {
            let turn = &self.service.threads[who.0 as usize].turns[who.1 as usize];
            let Cause::Ended { later_ns, .. } = turn.cause else { continue };
            let later = later_ns * PS_PER_NS;
            let path = path.and(Share::Computing, later);
            self.at(now + later, Due::Cause { thread: who.0, turn: who.1 }, path);
        }
    }

    fn move_network(&mut self) {
        let mut all = std::mem::take(&mut self.told);
        self.wire.play_next(&mut all);
        for (when, told) in all.drain(..) {
            if let Told::Came { load: Load::Whole(message), path, .. } = told {
                self.at(when, Due::Came(message), path);
            }
        }
        self.told = all;
    }
}
