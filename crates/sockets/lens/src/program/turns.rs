//! What threads did, put into turns.

use super::events::{Did, Event, Told, Who};
use super::ground::{Basis, Ground, Taken};
use super::messages::Read;
use super::roles::{self, Way};
use super::work::Before;
use machine::{PS_PER_NS, Processor};
use predict::{Cause, Deed, Thread, Turn, What};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use streams::SocketsFacts;
use streams::connections::Connection;

/// The threads of a program, and what is to be said of them.
pub(super) struct Built {
    pub threads: Vec<Thread>,
    pub said: Vec<String>,
}

/// What a thread that serves whoever comes does behind its last message, before it waits, is at
/// most so many times what it does as a rule: waits that end without a message are not seen.
const TAIL_MAX: i64 = 10;

/// A thread that puts off more of its sends than this until it has taken other messages takes all
/// that has come first.
const IN_ROUNDS: f64 = 0.1;

pub(super) fn threads(
    told: &Told,
    read: &Read,
    connections: &HashMap<u32, Connection>,
    facts: &SocketsFacts,
    basis: Basis,
) -> Built {
    let ways = roles::ways(told, read, connections);
    let ground = Ground::of(told, read, connections, facts, basis);
    let mut built = Built { threads: Vec::new(), said: Vec::new() };
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (who, events) in &told.of {
        let way = ways[who];
        *counts.entry(words(way)).or_default() += 1;
        let builder = Builder::of(&ground, *who, way);
        built.threads.push(builder.build(events));
    }
    for (words, count) in counts {
        built.said.push(format!("{} {words}", document::counted(count, "thread")));
    }
    built
}

fn words(way: Way) -> &'static str {
    match way {
        Way::InOrder => "with one peer at a time: the same things in the same order.",
        Way::ByConnection => {
            "for whoever comes first: what is sent on a connection is because of what came there."
        }
        Way::ByTime => {
            "for whoever comes first, between clients and servers: what is sent is because of \
             what came last."
        }
    }
}

/// A turn that is not complete.
struct Open {
    turn: Turn,
    deeds: Vec<Deed>,
}

/// Puts the turns of a thread together.
struct Builder<'a> {
    ground: &'a Ground<'a>,
    who: Who,
    way: Way,
    turns: Vec<Open>,
    /// What it did last was over then.
    free: Option<i64>,
    /// What sending and receiving took beyond what was between two deeds, ns.
    owed: i64,
    /// By connection: the turn in which its last message was taken, or it was accepted.
    latest: HashMap<u32, u32>,
    /// By connection: when it sent something there last.
    sent: HashMap<u32, i64>,
    /// Turns in which something came on a connection for the last time, until it has a successor.
    over: VecDeque<u32>,
    /// Connections that were asked for, until something is sent there.
    asked: HashSet<u32>,
    /// By turn, of those that have one: where in its deeds what it did before a wait is.
    tails: Vec<(u32, u32)>,
    wakes: Vec<i64>,
    /// Sends, and those before which it took something else.
    sends: u64,
    put_off: u64,
}

impl<'a> Builder<'a> {
    fn of(ground: &'a Ground<'a>, who: Who, way: Way) -> Builder<'a> {
        Builder {
            ground,
            who,
            way,
            turns: Vec::new(),
            free: None,
            owed: 0,
            latest: HashMap::new(),
            sent: HashMap::new(),
            over: VecDeque::new(),
            asked: HashSet::new(),
            tails: Vec::new(),
            wakes: Vec::new(),
            sends: 0,
            put_off: 0,
        }
    }

    fn build(mut self, events: &[Event]) -> Thread {
        for (at, did) in events {
            self.event(*at, *did);
        }
        self.cap_tails();
        self.wakes.sort_unstable();
        let usual = self.wakes.get(self.wakes.len() / 2).copied().unwrap_or(0);
        let mut thread =
            Thread { node: self.who.0, usual_wake_ns: usual.max(0) as u64, ..Thread::default() };
        thread.in_rounds = self.put_off as f64 > IN_ROUNDS * self.sends as f64;
        let turn = |open: &Open| Turn { deeds: open.deeds.len() as u32, ..open.turn };
        thread.turns = self.turns.iter().map(turn).collect();
        thread.deeds = self.turns.into_iter().flat_map(|open| open.deeds).collect();
        thread
    }

    fn event(&mut self, at: i64, did: Did) {
        match did {
            Did::Took { message } => self.took(message),
            Did::TookFromOutside { arrived } => self.took_from_outside(at, arrived),
            Did::Accepted { connection } => self.accepted(at, connection),
            Did::Sent { message } => self.sent(at, message),
            Did::Connected { connection } => self.connected(at, connection),
            Did::SentOutside => self.sent_outside(at),
        }
    }

    fn took(&mut self, message: u32) {
        let seen = &self.ground.read.messages[message as usize];
        let free = self.free.unwrap_or(seen.awaited.min(seen.taken));
        let before = Before::of(seen, free);
        self.tail(before.tail);
        let (cause, connection) = (Cause::Came(message), seen.connection);
        let turn = self.open(cause, Some(connection));
        if seen.waited_alone {
            self.serves_nobody_else(turn);
        }
        self.turns[turn as usize].turn.wake_ns = before.wake.map(|ns| ns.max(0) as u64);
        self.wakes.extend(before.wake);
        let takes = self.handling(|processor| processor.receiving(seen.bytes as usize));
        let head = self.less_owed(before.head - takes);
        self.deed(turn, head, What::Take(message));
        self.free = Some(seen.taken);
        let is_last = self.ground.last.get(&connection) == Some(&seen.taken);
        if is_last && self.way == Way::ByConnection {
            self.over.push_back(turn);
        }
    }

    /// A thread that waits for one alone serves nobody else until then; as a rule it has waited for
    /// its connection in the same way.
    fn serves_nobody_else(&mut self, turn: u32) {
        let before = self.turns[turn as usize].turn.before;
        self.turns[turn as usize].turn.in_order = true;
        if let Some(before) = before.map(|at| &mut self.turns[at as usize].turn)
            && matches!(before.cause, Cause::Connected(_))
        {
            before.in_order = true;
        }
    }

    fn took_from_outside(&mut self, at: i64, arrived: i64) {
        let at_ns = (arrived - self.ground.from).max(0) as u64;
        let turn = self.open(Cause::Begin { at_ns }, None);
        let head = at - arrived.max(self.free.unwrap_or(arrived));
        self.deed(turn, head, What::Compute);
        self.free = Some(at);
    }

    fn accepted(&mut self, at: i64, connection: u32) {
        let made = self.ground.connection(connection);
        let (enter, asked) = made.map_or((at, at), |of| (of.answerer.enter_ns, of.asker.enter_ns));
        self.tail(self.free.map_or(0, |free| (enter - free).max(0)));
        let turn = self.open(Cause::Accepted(connection), Some(connection));
        // It may have waited for the connection to come.
        self.deed(turn, at - enter.max(asked + self.ground.basis.latency_ns), What::Compute);
        self.free = Some(at);
    }

    fn sent(&mut self, at: i64, message: u32) {
        let seen = &self.ground.read.messages[message as usize];
        let (turn, since) = self.cause_of_send(at, seen.connection);
        self.sent.insert(seen.connection, at);
        let work = self.less_owed(at - since);
        self.deed(turn, work, What::Send(message));
        let sent = seen.sent.max(at);
        self.free = Some(sent);
        self.owed += self.handling(|processor| processor.sending(seen.bytes as usize));
    }

    fn connected(&mut self, at: i64, connection: u32) {
        // Who asks several makes a connection in the place of one that it has done with.
        let (turn, since) = match self.over.pop_front() {
            Some(turn) => (turn, self.free.unwrap_or(at)),
            None => self.current(at),
        };
        let to = self.ground.connection(connection).map_or(0, |of| of.answerer.node as u16);
        self.deed(turn, at - since, What::Connect { connection, to });
        self.free = Some(at);
        // Others do not wait in the call.
        if self.way == Way::InOrder
            && let Some(of) = self.ground.connection(connection)
        {
            // What it took beyond the way there and back is the kernel's work.
            let done = of.asker.exit_ns;
            self.deed(turn, done - at - 2 * self.ground.basis.latency_ns, What::Compute);
            self.free = Some(done);
        }
        self.asked.insert(connection);
    }

    fn sent_outside(&mut self, at: i64) {
        let (turn, since) = self.current(at);
        self.deed(turn, at - since, What::Compute);
        self.free = Some(at);
    }

    /// The turn in which something is sent, and since when the thread worked at it.
    fn cause_of_send(&mut self, at: i64, connection: u32) -> (u32, i64) {
        let free = self.free.unwrap_or(at);
        if self.asked.remove(&connection) {
            let turn = self.open(Cause::Connected(connection), Some(connection));
            let asked = self.ground.connection(connection).map_or(at, |of| of.asker.enter_ns);
            // Until then there was nothing to send on.
            return (turn, free.max(asked + 2 * self.ground.basis.latency_ns));
        }
        if let Some(taken) = self.handed(connection, at) {
            let turn = self.open(Cause::Taken(taken.message), None);
            return (turn, taken.at.max(self.free.unwrap_or(taken.at)));
        }
        if self.way == Way::ByConnection
            && let Some(turn) = self.latest.get(&connection).copied()
        {
            self.sends += 1;
            self.put_off += u64::from(turn + 1 < self.turns.len() as u32);
            return (turn, free);
        }
        self.current(at)
    }

    /// What another thread took on this connection, to which this one has sent nothing yet: who
    /// asks may have asked more since, which needs no answer first.
    fn handed(&self, connection: u32, at: i64) -> Option<Taken> {
        let taken = self.ground.last_taken(connection, self.who.0, at)?;
        let is_open = self.sent.get(&connection).is_none_or(|sent| *sent < taken.at);
        (taken.who != self.who && is_open).then_some(taken)
    }

    /// The turn that it is in, or its first; and since when it worked.
    fn current(&mut self, at: i64) -> (u32, i64) {
        if let Some(last) = self.turns.len().checked_sub(1) {
            return (last as u32, self.free.unwrap_or(at));
        }
        let node = self.who.0;
        let earlier = self.ground.last_taken_by(node, at);
        let (cause, since) = match (earlier, self.ground.ended_before(node)) {
            (Some(taken), _) => (Cause::Taken(taken.message), taken.at),
            (None, Some((before, ended))) => {
                let later_ns = (at - ended).max(0) as u64;
                (Cause::Ended { node: before, later_ns }, at)
            }
            _ => (Cause::Begin { at_ns: (at - self.ground.from).max(0) as u64 }, at),
        };
        (self.open(cause, None), since)
    }

    /// Begin a turn; of a connection it comes behind the last of that.
    fn open(&mut self, cause: Cause, connection: Option<u32>) -> u32 {
        let number = self.turns.len() as u32;
        let before = connection.and_then(|of| self.latest.insert(of, number));
        let in_order = self.way == Way::InOrder;
        let turn = Turn { cause, wake_ns: None, in_order, before, deeds: 0 };
        self.turns.push(Open { turn, deeds: Vec::new() });
        number
    }

    fn deed(&mut self, turn: u32, work: i64, what: What) {
        let work_ns = work.max(0) as u64;
        self.turns[turn as usize].deeds.push(Deed { work_ns, what });
    }

    /// It went on with what it did last for so long.
    fn tail(&mut self, ns: i64) {
        let Some(last) = self.turns.len().checked_sub(1) else { return };
        let ns = self.less_owed(ns);
        if ns > 0 {
            self.tails.push((last as u32, self.turns[last].deeds.len() as u32));
            self.deed(last as u32, ns, What::Compute);
        }
    }

    fn cap_tails(&mut self) {
        if self.way == Way::InOrder || self.tails.is_empty() {
            return;
        }
        let work = |turns: &[Open], (turn, deed): (u32, u32)| {
            turns[turn as usize].deeds[deed as usize].work_ns
        };
        let mut all: Vec<u64> = self.tails.iter().map(|at| work(&self.turns, *at)).collect();
        all.sort_unstable();
        let most = TAIL_MAX as u64 * all[all.len() / 2];
        for (turn, deed) in &self.tails {
            let deed = &mut self.turns[*turn as usize].deeds[*deed as usize];
            deed.work_ns = deed.work_ns.min(most);
        }
    }

    /// What sending or receiving takes on the machine recorded on, ns.
    fn handling(&self, takes: impl FnOnce(&Processor) -> u64) -> i64 {
        self.ground
            .basis
            .processor
            .as_ref()
            .map_or(0, |processor| (takes(processor) / PS_PER_NS) as i64)
    }

    /// A time without what sends and receives in it took; what is left of these the next ones owe.
    fn less_owed(&mut self, ns: i64) -> i64 {
        let left = ns - std::mem::take(&mut self.owed);
        self.owed = (-left).max(0);
        left.max(0)
    }
}
