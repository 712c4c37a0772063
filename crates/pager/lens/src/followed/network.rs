//! Messages between the engine and its servers, over a link: each direction is shared equally by
//! the connections, each of which carries one message after the other.

use pager::{Into, Operation, Place};
use predict::{Line, Link};

/// Of a message besides what is in it.
const HEADER_BYTES: u64 = 40;
/// Of a slot that is asked for.
const SLOT_BYTES: u64 = 4;
/// Of a page beside its bytes: slot, version, checksum.
const ENTRY_BYTES: u64 = 32;
/// A message of the kernel's, which nobody waits for, and its connection.
const KERNELS: usize = usize::MAX;
const NO_CONNECTION: u32 = u32::MAX;

/// What is asked of a server at once.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    Read(Vec<(Operation, Into)>),
    Write(Vec<Operation>),
    Reserve(u32),
}

impl Request {
    /// What goes there, and what comes back, in bytes.
    fn bytes(&self) -> [u64; 2] {
        let pages = |many: usize| many as u64 * (pager::PAGE_BYTES as u64 + ENTRY_BYTES);
        match self {
            Request::Read(reads) => {
                let there = HEADER_BYTES + reads.len() as u64 * SLOT_BYTES;
                [there, HEADER_BYTES + pages(reads.len())]
            }
            Request::Write(writes) => [HEADER_BYTES + pages(writes.len()), HEADER_BYTES],
            Request::Reserve(_) => [HEADER_BYTES; 2],
        }
    }
}

/// A request and its answer, with the moments of their way, s.
#[derive(Clone, Debug)]
pub struct Exchange {
    pub place: Place,
    pub request: Request,
    /// The pager wanted it.
    pub asked_s: f64,
    /// It was given to the connection.
    pub departed_s: f64,
    /// Its last byte was on the wire.
    pub out_s: f64,
    /// The server answers.
    pub answered_s: f64,
    /// The last byte of the answer was on the wire.
    pub back_s: f64,
    /// The answer is here.
    pub here_s: f64,
}

/// What happens on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// The server answers.
    Answers(usize),
    /// The answer is here.
    Here(usize),
}

/// The link, and all that went over it.
pub struct Network {
    link: Link,
    /// What a server takes besides the link: for pages asked for, and for pages to keep.
    turn_s: [f64; 2],
    /// To the servers, and back.
    lines: [Line; 2],
    pub exchanges: Vec<Exchange>,
}

impl Network {
    pub fn new(link: Link, turn_s: [f64; 2]) -> Network {
        Network { link, turn_s, lines: [Line::new(), Line::new()], exchanges: Vec::new() }
    }

    /// A request that is about to be sent. Its number.
    pub fn prepare(&mut self, place: Place, request: Request, asked_s: f64) -> usize {
        let not_yet = f64::INFINITY;
        self.exchanges.push(Exchange {
            place,
            request,
            asked_s,
            departed_s: not_yet,
            out_s: not_yet,
            answered_s: not_yet,
            back_s: not_yet,
            here_s: not_yet,
        });
        self.exchanges.len() - 1
    }

    /// It is given to the connection.
    pub fn depart(&mut self, exchange: usize, now_s: f64) {
        self.exchanges[exchange].departed_s = now_s;
        self.send(0, exchange, now_s);
    }

    /// The server answers.
    pub fn answer(&mut self, exchange: usize, now_s: f64) {
        self.exchanges[exchange].answered_s = now_s;
        self.send(1, exchange, now_s);
    }

    /// When the next message will be through its direction, if nothing is sent before.
    pub fn next_s(&self) -> Option<f64> {
        let next = self.lines.iter().filter_map(Line::next_s);
        next.min_by(f64::total_cmp)
    }

    /// It is. What follows, and when.
    pub fn pass(&mut self) -> Option<(f64, Passed)> {
        let [there, back] = [0, 1].map(|way| self.lines[way].next_s().unwrap_or(f64::INFINITY));
        let way = usize::from(back < there);
        let (now_s, at) = (there.min(back), self.lines[way].take()?);
        let exchange = self.exchanges.get_mut(at)?;
        let there_s = now_s + self.link.latency_s;
        if way == 0 {
            exchange.out_s = now_s;
            let turn_s = match exchange.request {
                Request::Read(_) => self.turn_s[0],
                Request::Write(_) => self.turn_s[1],
                Request::Reserve(_) => 0.0,
            };
            return Some((there_s + turn_s, Passed::Answers(at)));
        }
        (exchange.back_s, exchange.here_s) = (now_s, there_s);
        Some((there_s, Passed::Here(at)))
    }

    /// How long its bytes alone keep the link busy: there, and back.
    pub fn busy_s(&self, exchange: usize) -> [f64; 2] {
        self.exchanges[exchange].request.bytes().map(|bytes| self.link.busy_s(bytes))
    }

    pub fn latency_s(&self) -> f64 {
        self.link.latency_s
    }

    /// Pages are acknowledged on the way back.
    fn send(&mut self, way: usize, at: usize, now_s: f64) {
        let busy_s = self.busy_s(at)[way];
        let connection = self.exchanges[at].place.0.into();
        self.lines[way].add(now_s, connection, busy_s, at);
        let short_s = self.link.busy_s(HEADER_BYTES + 64 * SLOT_BYTES);
        if busy_s > short_s {
            let acknowledging_s = busy_s * self.link.acknowledging;
            self.lines[1 - way].add(now_s, NO_CONNECTION, acknowledging_s, KERNELS);
        }
    }
}
