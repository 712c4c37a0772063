//! A cluster in simulated time: messages travel, receives match, ranks block, and every call is
//! logged as the tracer would.

mod blocking;
mod entries;
mod wire;

use super::log::RankLog;
use super::program::{Communicator, Envelope, Op, Waiting};
use super::random::Random;
use calls::entry::{Call, Completion, completion_flags, flags};
use entries::operation;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

/// What really happened to a message. Times in ns.
#[derive(Clone, Debug)]
pub struct Truth {
    pub src: usize,
    pub dst: usize,
    pub seq: u64,
    pub communicator: Communicator,
    pub tag: i32,
    pub bytes: u64,
    pub ready: i64,
    pub arrived: Option<i64>,
    pub posted: Option<i64>,
    pub taken: Option<i64>,
    pub send_row: i64,
    pub receive_row: Option<i64>,
    /// What its receive and its probe left open, as in the column.
    pub wildcard: i64,
    pub probe_row: Option<i64>,
    /// Place among the messages that its receiver took.
    pub order: Option<usize>,
    /// When the receive's request was given up for lost: never in these programs.
    envelope_at: i64,
    pub rendezvous: bool,
    pub synchronous: bool,
    send: usize,
}

/// How the machine behaves.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    pub latency: i64,
    pub ns_per_kib: i64,
    /// A rank that waits is not running when its message comes, once in so many times; 0 for never.
    pub asleep_once_in: u64,
}

pub struct Outcome {
    pub logs: Vec<RankLog>,
    pub truth: Vec<Truth>,
    pub cancelled: u64,
    pub end: i64,
}

#[derive(Clone, Debug)]
struct Request {
    rank: usize,
    number: u32,
    is_receive: bool,
    source: Option<usize>,
    envelope: Envelope,
    posted: i64,
    posted_row: i64,
    message: Option<usize>,
    complete_at: Option<i64>,
}

#[derive(Clone, Debug)]
enum Blocked {
    No,
    /// For all of these requests, then the rest of the call.
    For {
        requests: Vec<usize>,
        any: bool,
        call: Call,
        then: Then,
    },
    /// For a message of this envelope in the queue.
    Probe {
        source: Option<usize>,
        envelope: Envelope,
        call: Call,
        then: Then,
    },
}

#[derive(Clone, Debug)]
enum Then {
    Send,
    Receive,
    SendReceive { send: Call },
    Wait,
    Probe,
    MatchedProbe { key: Option<usize> },
}

struct Rank {
    ops: VecDeque<Op>,
    log: RankLog,
    blocked: Blocked,
    generation: u64,
    keys: HashMap<usize, usize>,
    requests: u32,
    sends: u64,
    took: usize,
    posted: Vec<usize>,
    unexpected: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Envelope(usize),
    /// Of a rank that is not blocked.
    Step(usize),
    /// Of a rank that is blocked, if this is still its generation.
    Resume(usize, u64),
}

pub struct Engine<'a> {
    random: &'a mut Random,
    machine: Machine,
    ranks: Vec<Rank>,
    requests: Vec<Request>,
    truth: Vec<Truth>,
    events: BinaryHeap<Reverse<(i64, Event)>>,
    last_arrival: HashMap<(usize, usize), i64>,
    cancelled: u64,
    now: i64,
}

impl<'a> Engine<'a> {
    pub fn run(
        random: &'a mut Random,
        machine: Machine,
        programs: Vec<Vec<Op>>,
        logs: Vec<RankLog>,
    ) -> Outcome {
        let rank = |(ops, log): (Vec<Op>, RankLog)| Rank {
            ops: ops.into(),
            log,
            blocked: Blocked::No,
            generation: 0,
            keys: HashMap::new(),
            requests: 0,
            sends: 0,
            took: 0,
            posted: Vec::new(),
            unexpected: Vec::new(),
        };
        let ranks: Vec<Rank> = programs.into_iter().zip(logs).map(rank).collect();
        let events =
            (0..ranks.len()).map(|rank| Reverse((1000 + rank as i64, Event::Step(rank)))).collect();
        let mut engine = Engine {
            random,
            machine,
            ranks,
            requests: Vec::new(),
            truth: Vec::new(),
            events,
            last_arrival: HashMap::new(),
            cancelled: 0,
            now: 0,
        };
        while let Some(Reverse((at, event))) = engine.events.pop() {
            engine.now = at;
            engine.handle(event);
        }
        let hung = engine
            .ranks
            .iter()
            .position(|rank| !rank.ops.is_empty() || !matches!(rank.blocked, Blocked::No));
        assert!(hung.is_none(), "rank {hung:?} hangs: a fault of the test");
        let Engine { ranks, truth, cancelled, now, .. } = engine;
        Outcome {
            logs: ranks.into_iter().map(|rank| rank.log).collect(),
            truth,
            cancelled,
            end: now,
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Envelope(message) => self.envelope(message),
            Event::Step(rank) => self.step(rank),
            Event::Resume(rank, generation) if self.ranks[rank].generation == generation => {
                self.resume(rank)
            }
            Event::Resume(..) => {}
        }
    }

    fn at(&mut self, time: i64, event: Event) {
        self.events.push(Reverse((time, event)));
    }

    fn cost(&mut self) -> i64 {
        self.random.between(80, 160)
    }

    /// The next thing that a rank does.
    fn step(&mut self, rank: usize) {
        let Some(op) = self.ranks[rank].ops.pop_front() else { return };
        let now = self.now;
        match op {
            Op::Compute(length) => {
                let length = self.random.between(length / 2, length);
                self.at(now + length, Event::Step(rank));
            }
            Op::Barrier => {
                let call = Call {
                    operation: operation("Barrier"),
                    flags: flags::MESSAGE,
                    peer: -1,
                    communicator: 1,
                    ..Call::default()
                };
                self.leave_after(rank, call, 1000, &[]);
            }
            Op::Send { to, envelope, bytes, synchronous } => {
                self.send(rank, to, envelope, bytes, synchronous)
            }
            Op::StartSend { to, envelope, bytes, key, persistent } => {
                let name = if persistent { "Start" } else { "Isend" };
                let request = self.request(rank, false, None, envelope);
                self.ranks[rank].keys.insert(key, request);
                let mut call = self.call(rank, name, flags::SENDS, to, envelope, bytes);
                call.request = self.requests[request].number;
                self.put(rank, to, envelope, bytes, request, false);
                self.leave_after(rank, call, 150, &[]);
            }
            Op::StartReceive { from, envelope, key, persistent } => {
                let name = if persistent { "Start" } else { "Irecv" };
                let request = self.request(rank, true, from, envelope);
                self.ranks[rank].keys.insert(key, request);
                let mut call = self.receive_call(rank, name, from, envelope);
                call.request = self.requests[request].number;
                self.leave_after(rank, call, 100, &[]);
                self.post(request);
            }
            Op::Receive { from, envelope } => {
                let request = self.request(rank, true, from, envelope);
                let call = self.receive_call(rank, "Recv", from, envelope);
                self.block(
                    rank,
                    Blocked::For { requests: vec![request], any: false, call, then: Then::Receive },
                );
                self.post(request);
            }
            Op::SendReceive { to, sent, bytes, from, envelope } => {
                let send_request = self.request(rank, false, None, sent);
                let send = self.call(rank, "Sendrecv", flags::SENDS, to, sent, bytes);
                self.put(rank, to, sent, bytes, send_request, false);
                let request = self.request(rank, true, from, envelope);
                let call = self.receive_call(rank, "Sendrecv", from, envelope);
                let call = Call { flags: call.flags | flags::CONTINUED, ..call };
                let then = Then::SendReceive { send };
                self.block(rank, Blocked::For { requests: vec![request], any: false, call, then });
                self.post(request);
            }
            Op::ProbeReceive { from, envelope, polls } => {
                if polls && self.find(rank, from, envelope).is_none() {
                    let call = Call { operation: operation("Iprobe"), site: 3, ..Call::default() };
                    self.poll(rank, call, Op::ProbeReceive { from, envelope, polls });
                    return;
                }
                let name = if polls { "Iprobe" } else { "Probe" };
                let call = self.receive_call(rank, name, from, envelope);
                let call = Call { flags: call.flags & !flags::RECEIVES, site: 3, ..call };
                self.block(
                    rank,
                    Blocked::Probe { source: from, envelope, call, then: Then::Probe },
                );
            }
            Op::MatchedReceive { from, envelope, key } => {
                let call = self.receive_call(rank, "Mprobe", from, envelope);
                let then = Then::MatchedProbe { key };
                self.block(rank, Blocked::Probe { source: from, envelope, call, then });
            }
            Op::Cancel { from, envelope, key } => self.cancel(rank, from, envelope, key),
            Op::Free { key } => {
                let request = self.ranks[rank].keys.remove(&key).unwrap();
                let number = self.requests[request].number;
                let call = Call {
                    operation: operation("Request_free"),
                    flags: flags::FREED,
                    request: number,
                    ..Call::default()
                };
                self.leave_after(rank, call, 50, &[]);
            }
            Op::Wait { keys, how } => self.wait(rank, keys, how),
        }
    }

    fn wait(&mut self, rank: usize, mut keys: Vec<usize>, how: Waiting) {
        let of = |rank: &Rank, key: &usize| rank.keys[key];
        match how {
            Waiting::All => {
                let requests = keys.iter().map(|key| of(&self.ranks[rank], key)).collect();
                self.wait_for(rank, requests, false, "Waitall");
            }
            Waiting::Each => {
                let request = of(&self.ranks[rank], &keys[0]);
                keys.remove(0);
                if !keys.is_empty() {
                    self.ranks[rank].ops.push_front(Op::Wait { keys, how });
                }
                self.wait_for(rank, vec![request], false, "Wait");
            }
            Waiting::Any => {
                let open: Vec<usize> =
                    keys.iter().filter(|key| self.is_open(rank, key)).copied().collect();
                let requests = open.iter().map(|key| of(&self.ranks[rank], key)).collect();
                let last = open.len() <= 1;
                if !last {
                    self.ranks[rank].ops.push_front(Op::Wait { keys, how });
                }
                self.wait_for(rank, requests, true, "Waitany");
            }
            Waiting::Test => {
                let request = of(&self.ranks[rank], &keys[0]);
                let call = Call { operation: operation("Test"), site: 4, ..Call::default() };
                if self.requests[request].complete_at.is_none_or(|at| at > self.now) {
                    self.poll(rank, call, Op::Wait { keys, how });
                    return;
                }
                keys.remove(0);
                if !keys.is_empty() {
                    self.ranks[rank].ops.push_front(Op::Wait { keys, how });
                }
                let blocked =
                    Blocked::For { requests: vec![request], any: false, call, then: Then::Wait };
                self.block(rank, blocked);
            }
        }
    }

    fn is_open(&self, rank: usize, key: &usize) -> bool {
        self.requests[self.ranks[rank].keys[key]].number != 0
    }

    fn wait_for(&mut self, rank: usize, requests: Vec<usize>, any: bool, name: &str) {
        if requests.is_empty() {
            self.at(self.now, Event::Step(rank));
            return;
        }
        let call = Call { operation: operation(name), site: 4, ..Call::default() };
        self.block(rank, Blocked::For { requests, any, call, then: Then::Wait });
    }

    /// A poll that found nothing; the operation is tried again.
    fn poll(&mut self, rank: usize, call: Call, again: Op) {
        let length = self.random.between(60, 100);
        let call = Call { enter: self.now as u64, exit: (self.now + length) as u64, ..call };
        self.ranks[rank].log.poll(call);
        self.ranks[rank].ops.push_front(again);
        let gap = self.random.between(50, 3000);
        self.at(self.now + length + gap, Event::Step(rank));
    }

    fn cancel(&mut self, rank: usize, from: usize, envelope: Envelope, _key: usize) {
        let request = self.request(rank, true, Some(from), envelope);
        let number = self.requests[request].number;
        let begin =
            Call { request: number, ..self.receive_call(rank, "Irecv", Some(from), envelope) };
        let times = [self.now, self.now + 100, self.now + 200, self.now + 400];
        let spanning =
            |call: Call, from: i64| Call { enter: from as u64, exit: from as u64 + 80, ..call };
        let log = &mut self.ranks[rank].log;
        log.call(spanning(begin, times[0]), &[]);
        log.call(
            spanning(
                Call { operation: operation("Cancel"), request: number, ..Call::default() },
                times[1],
            ),
            &[],
        );
        let done = Completion {
            request: number,
            flags: completion_flags::CANCELLED,
            ..Completion::default()
        };
        log.call(
            spanning(Call { operation: operation("Wait"), ..Call::default() }, times[2]),
            &[done],
        );
        self.cancelled += 1;
        self.at(times[3], Event::Step(rank));
    }
}
