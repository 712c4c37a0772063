//! A thread while it is played: where it is, and what its time went to.

use super::gate::Gate;
use super::{Thread, Turn, What};
use crate::path::{Path, Share};
use crate::play::Spent;
use machine::{Processor, Time, Timer};
use std::collections::VecDeque;

/// Which of its turns a thread is at, and which deed comes next.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub turn: u32,
    pub deed: u32,
    end: u32,
}

/// What comes next for a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It is at a deed.
    Deed,
    /// It has put the rest of its turn off.
    Later,
    /// Its turn is over.
    Over,
}

/// A round of a thread that takes all that has come before it sends.
#[derive(Default)]
struct Round {
    /// What has come by then is in it.
    until: Time,
    /// The rests of turns, which are to send.
    rests: VecDeque<At>,
    is_sending: bool,
}

pub(super) struct Desk<'a> {
    thread: &'a Thread,
    pub gate: Gate<'a>,
    /// By turn: its first deed.
    firsts: Vec<u32>,
    pub at: Option<At>,
    pub now: Time,
    pub path: Path,
    pub spent: Spent,
    timer: Timer,
    round: Round,
}

impl<'a> Desk<'a> {
    pub fn new(thread: &'a Thread, timer: Timer) -> Desk<'a> {
        let before = |sum: &mut u32, turn: &Turn| {
            *sum += turn.deeds;
            Some(*sum - turn.deeds)
        };
        Desk {
            thread,
            gate: Gate::new(thread),
            firsts: thread.turns.iter().scan(0, before).collect(),
            at: None,
            now: 0,
            path: Path::default(),
            spent: Spent::default(),
            timer,
            round: Round::default(),
        }
    }

    /// Begin the next turn, if one may begin; nothing is to be done in one before.
    pub fn begin(&mut self) -> bool {
        if self.thread.in_rounds {
            return self.begin_in_round();
        }
        let next = self.gate.next(None);
        next.is_some_and(|next| self.begin_turn(next))
    }

    fn begin_in_round(&mut self) -> bool {
        if !self.round.is_sending
            && let Some(next) = self.gate.next(Some(self.round.until))
        {
            return self.begin_turn(next);
        }
        self.round.is_sending = true;
        self.at = self.round.rests.pop_front();
        if self.at.is_some() {
            return true;
        }
        let Some(next) = self.gate.next(None) else { return false };
        self.begin_turn(next);
        self.round = Round { until: self.now, ..Round::default() };
        true
    }

    fn begin_turn(&mut self, (turn, when, path): (u32, Time, Path)) -> bool {
        let first = self.firsts[turn as usize];
        let of = &self.thread.turns[turn as usize];
        self.at = Some(At { turn, deed: first, end: first + of.deeds });
        if when > self.now {
            let wake = of.wake_ns.unwrap_or(self.thread.usual_wake_ns) * machine::PS_PER_NS;
            self.spent.waiting += when - self.now + wake;
            self.path = path.and(Share::Overhead, wake);
            self.now = when + wake;
        }
        true
    }

    /// Go to the deed that comes next, if there is another one in its turn: it computes before.
    pub fn approach(&mut self, processor: &Processor) -> Next {
        let Some(at) = self.at.filter(|at| at.deed < at.end) else { return Next::Over };
        let deed = &self.thread.deeds[at.deed as usize];
        let is_sent = matches!(deed.what, What::Send(_));
        if is_sent && self.thread.in_rounds && !self.round.is_sending {
            self.round.rests.extend(self.at.take());
            return Next::Later;
        }
        let ns = deed.work_ns;
        let work = processor.computing(ns * machine::PS_PER_NS);
        let took = self.work(work, Share::Computing);
        self.spent.computing += took;
        Next::Deed
    }

    /// It sends or receives, which takes its processor so long.
    pub fn handle(&mut self, work: Time) {
        let took = self.work(work, Share::Overhead);
        self.spent.overhead += took;
    }

    /// It waited for room until then, by `path`.
    pub fn had_room(&mut self, when: Time, path: Path) {
        if when > self.now {
            self.spent.blocked += when - self.now;
            (self.now, self.path) = (when, path);
        }
    }

    fn work(&mut self, work: Time, share: Share) -> Time {
        self.path.work(share, &self.timer, &mut self.now, work)
    }
}
