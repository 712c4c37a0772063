//! What is known of a pipe beside its bytes' order: whether all of them were seen (`level`), and
//! which calls of an end overlapped (`crowds`). No message is told of which either is in doubt.

use crate::crowds::Crowds;
use crate::ends::End;
use crate::level::{Hidden, Level, Terms};
use crate::op::Op;
use crate::transport::Look;
use crate::way::Span;

/// A pipe on the walk.
#[derive(Clone, Debug)]
pub(crate) struct Pipe {
    pub level: Level,
    /// Of who writes, and of who reads.
    crowds: [Crowds; 2],
    /// No call of theirs takes longer, ns.
    longest_ns: [i64; 2],
    /// Calls that returned up to then are in messages that were told, ns.
    told: [i64; 2],
    /// A message is told when no call can come any more that overlaps its own.
    is_patient: bool,
    has_one_reader: bool,
    now: i64,
    is_finished: bool,
    has_crowd: bool,
    /// Bytes of a message that was told as a half, whose reads are still to be.
    pub halves: Option<Span>,
    /// Messages that were told as halves.
    pub crowded: u64,
}

/// Why its messages cannot be told as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// Something else moved bytes there.
    Hidden,
    /// Calls overlapped, of which messages were told already.
    Crowd,
}

/// Whether a message may be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    NotYet,
    /// Which bytes are whose is not known.
    Crowded,
    Told,
}

impl Pipe {
    /// From the end that is written to the one that is read.
    pub fn between(from: &End, to: &End, is_patient: bool) -> Pipe {
        let longest_ns = [from.sent.longest_ns, to.received.longest_ns];
        let terms = Terms {
            unlogged_from: [from.pipe.unlogged_from, to.pipe.unlogged_from],
            longest_ns: longest_ns[0].max(longest_ns[1]),
        };
        Pipe {
            level: Level::new(terms),
            crowds: [Crowds::new(), Crowds::new()],
            longest_ns,
            told: [i64::MIN; 2],
            is_patient,
            has_one_reader: to.received.is_of_one(),
            now: i64::MIN,
            is_finished: false,
            has_crowd: false,
            halves: None,
            crowded: 0,
        }
    }

    /// A call wrote.
    pub fn write(&mut self, op: &Op) {
        if op.bytes > 0 {
            self.level.write(op.enter, op.bytes.into());
            self.call(0, op);
        }
        if let Some(look) = op.look {
            self.look(look);
        }
    }

    /// A call read.
    pub fn read(&mut self, op: &Op) {
        if op.bytes > 0 {
            self.level.read(op.enter, op.bytes.into());
            self.call(1, op);
        }
        if let Some(look) = op.look {
            self.look(look);
            if self.has_one_reader {
                self.level.reach(look);
            }
        }
    }

    /// Somebody looked how much lay there.
    pub fn look(&mut self, look: Look<i64>) {
        self.now = self.now.max(look.from);
        self.level.look(look);
    }

    fn call(&mut self, side: usize, op: &Op) {
        self.now = self.now.max(op.exit);
        self.crowds[side].add(op.enter, op.exit);
        self.has_crowd |= op.enter < self.told[side];
    }

    /// Nothing more will come.
    pub fn finish(&mut self) {
        self.is_finished = true;
        self.now = i64::MAX;
    }

    /// Whether there is anything in the way.
    pub fn check(&mut self) -> Result<(), Obstacle> {
        self.level.check(self.now).map_err(|Hidden| Obstacle::Hidden)?;
        if self.has_crowd { Err(Obstacle::Crowd) } else { Ok(()) }
    }

    /// Something was read before it was written. It may seem so in a crowd.
    pub fn contradicted(&self) -> Obstacle {
        if self.is_patient { Obstacle::Hidden } else { Obstacle::Crowd }
    }

    /// Of a message that was written by a call which returned then, and read by one.
    pub fn judge(&mut self, exits: [i64; 2]) -> Verdict {
        let is_late = |side: usize| exits[side].saturating_add(self.longest_ns[side]) >= self.now;
        if self.is_patient && !self.is_finished && (is_late(0) || is_late(1)) {
            return Verdict::NotYet;
        }
        if (0..2).any(|side| self.crowds[side].has(exits[side])) {
            self.crowded += 1;
            return Verdict::Crowded;
        }
        for ((told, crowds), exit) in self.told.iter_mut().zip(&mut self.crowds).zip(exits) {
            *told = (*told).max(exit);
            crowds.forget(exit);
        }
        Verdict::Told
    }
}
