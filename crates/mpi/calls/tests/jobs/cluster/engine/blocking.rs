//! Ranks that wait: what wakes them, and what the calls log in which they waited.

use super::entries::operation;
use super::{Blocked, Engine, Event, Request, Then, Truth};
use crate::cluster::program::{Envelope, Op};
use calls::entry::{Call, Completion, completion_flags, flags};

impl Engine<'_> {
    pub(super) fn block(&mut self, rank: usize, blocked: Blocked) {
        let enter = self.now as u64;
        self.ranks[rank].blocked = match blocked {
            Blocked::For { requests, any, call, then } => {
                Blocked::For { requests, any, call: Call { enter, ..call }, then }
            }
            Blocked::Probe { source, envelope, call, then } => {
                Blocked::Probe { source, envelope, call: Call { enter, ..call }, then }
            }
            Blocked::No => Blocked::No,
        };
        self.wake(rank);
    }

    /// When what a rank waits for will be there, go on then.
    pub(super) fn wake(&mut self, rank: usize) {
        let Some((satisfied, bytes)) = self.satisfied_at(rank) else { return };
        let enter = match &self.ranks[rank].blocked {
            Blocked::For { call, .. } | Blocked::Probe { call, .. } => call.enter as i64,
            Blocked::No => return,
        };
        let overhead = 150 + bytes as i64 / 16 + self.random.between(0, 60);
        let machine = self.machine;
        let asleep = satisfied > enter
            && machine.asleep_once_in > 0
            && self.random.once_in(machine.asleep_once_in);
        let asleep = if asleep { self.random.between(20_000, 200_000) } else { 0 };
        self.ranks[rank].generation += 1;
        let generation = self.ranks[rank].generation;
        let at = satisfied.max(enter).max(self.now) + overhead + asleep;
        self.at(at, Event::Resume(rank, generation));
    }

    pub(super) fn satisfied_at(&self, rank: usize) -> Option<(i64, u64)> {
        let bytes =
            |request: &Request| request.message.map_or(0, |message| self.truth[message].bytes);
        match &self.ranks[rank].blocked {
            Blocked::No => None,
            Blocked::Probe { source, envelope, .. } => {
                let at = self.find(rank, *source, *envelope)?;
                Some((self.truth[self.ranks[rank].unexpected[at]].envelope_at, 0))
            }
            Blocked::For { requests, any, .. } => {
                let requests = requests.iter().map(|request| &self.requests[*request]);
                let known: Option<Vec<_>> = requests
                    .filter(|request| !any || request.complete_at.is_some())
                    .map(|request| Some((request.complete_at?, bytes(request))))
                    .collect();
                let known = known?;
                if *any { known.into_iter().min() } else { known.into_iter().max() }
            }
        }
    }

    /// What a rank has waited for is there: it leaves the call.
    pub(super) fn resume(&mut self, rank: usize) {
        let exit = self.now as u64;
        match std::mem::replace(&mut self.ranks[rank].blocked, Blocked::No) {
            Blocked::No => {}
            Blocked::For { requests, any, call, then } => {
                let call = Call { exit, ..call };
                self.complete(rank, requests, any, call, then);
            }
            Blocked::Probe { source, envelope, call, then } => {
                let at = self.find(rank, source, envelope).unwrap();
                self.probed(rank, at, Call { exit, ..call }, then);
            }
        }
    }

    pub(super) fn complete(
        &mut self,
        rank: usize,
        mut requests: Vec<usize>,
        any: bool,
        call: Call,
        then: Then,
    ) {
        if any {
            let is_complete = |request: &usize| {
                self.requests[*request].complete_at.is_some_and(|at| at <= self.now)
            };
            requests = requests
                .iter()
                .copied()
                .filter(is_complete)
                .min_by_key(|request| self.requests[*request].complete_at)
                .into_iter()
                .collect();
        }
        match then {
            Then::Send => self.ranks[rank].log.call(call, &[]),
            Then::Receive => {
                let call = self.received(requests[0], call);
                self.ranks[rank].log.call(call, &[]);
            }
            Then::SendReceive { send } => {
                let call = self.received(requests[0], call);
                let send = Call { enter: call.enter, exit: call.exit, ..send };
                self.ranks[rank].log.call(send, &[]);
                self.ranks[rank].log.call(call, &[]);
            }
            Then::Wait | Then::Probe | Then::MatchedProbe { .. } => {
                let done: Vec<Completion> =
                    requests.iter().map(|request| self.done(*request)).collect();
                self.ranks[rank].log.call(call, &done);
            }
        }
        self.go_on(rank);
    }

    /// The call has received the message of its request by itself.
    pub(super) fn received(&mut self, request: usize, call: Call) -> Call {
        let done = self.done(request);
        Call { peer: done.source, tag: done.tag, bytes: done.bytes, ..call }
    }

    pub(super) fn done(&mut self, request: usize) -> Completion {
        let Request { rank, number, is_receive, message, .. } = self.requests[request];
        self.requests[request].number = 0;
        let Some(message) = message.filter(|_| is_receive) else {
            return Completion { request: number, ..Completion::default() };
        };
        self.truth[message].taken = Some(self.now);
        self.truth[message].order = Some(self.ranks[rank].took);
        self.ranks[rank].took += 1;
        let Truth { src, communicator, tag, bytes, .. } = self.truth[message];
        let source = self.ranks[rank].log.peer(communicator, src);
        Completion { request: number, flags: completion_flags::RECEIVED, source, tag, bytes }
    }

    pub(super) fn probed(&mut self, rank: usize, at: usize, call: Call, then: Then) {
        let message = self.ranks[rank].unexpected[at];
        let Truth { src, tag, bytes, communicator, .. } = self.truth[message];
        let peer = self.ranks[rank].log.peer(communicator, src);
        let call = Call { peer, tag, bytes, ..call };
        let envelope = Envelope { communicator, tag: Some(tag) };
        let open = |flag| i64::from(call.flags & flag != 0);
        let open = open(flags::ANY_SOURCE) | open(flags::ANY_TAG) << 1;
        let probe_row = self.ranks[rank].log.rows();
        let truth = &mut self.truth[message];
        truth.probe_row = Some(probe_row);
        // A matched probe is the receive as well.
        truth.wildcard = open << 2 | if matches!(then, Then::Probe) { 0 } else { open };
        let Then::MatchedProbe { key } = then else {
            self.ranks[rank].log.call(call, &[]);
            self.ranks[rank].ops.push_front(Op::Receive { from: Some(src), envelope });
            return self.go_on(rank);
        };
        self.ranks[rank].unexpected.remove(at);
        let request = self.request(rank, true, Some(src), envelope);
        let number = self.requests[request].number;
        self.requests[request].posted = call.enter as i64;
        self.ranks[rank].log.call(Call { request: number, ..call }, &[]);
        self.matched(message, request);
        match key {
            Some(key) => {
                self.ranks[rank].keys.insert(key, request);
                let call = Call {
                    operation: operation("Imrecv"),
                    flags: flags::MATCHED,
                    request: number,
                    ..Call::default()
                };
                self.leave_after(rank, call, 100, &[]);
            }
            None => {
                let call = Call {
                    operation: operation("Mrecv"),
                    flags: flags::MATCHED,
                    ..Call::default()
                };
                self.block(
                    rank,
                    Blocked::For { requests: vec![request], any: false, call, then: Then::Wait },
                );
            }
        }
    }
}
