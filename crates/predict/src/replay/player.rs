//! Playing: what is to happen is kept in the order of its time.

use super::causes::{Cause, Causes, causes, none};
use super::{Recorded, Replayed, Wait};
use crate::Link;
use crate::line::Line;
use crate::soonest::Soonest;

/// Bytes of a request for pages and of the answer to a page-out, about.
const SHORT_BYTES: u64 = 40;
/// A message of the kernel's, which nobody waits for, and its connection.
const KERNELS: usize = usize::MAX;
const NO_CONNECTION: u32 = u32::MAX;

/// Something that will happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A transfer is asked for.
    Ask(usize),
    /// The server answers.
    Answer(usize),
    /// A transfer is done.
    Done(usize),
    /// The program touches a page.
    Touch(usize),
    /// The program goes on.
    GoOn(usize),
}

pub(super) struct Player<'a> {
    run: &'a Recorded,
    link: Link,
    /// What each way takes besides the link.
    turn_s: [f64; 2],
    causes: Causes,
    /// To the program, and from it.
    lines: [Line; 2],
    due: Soonest<Step>,
    /// Of the step found last.
    number: u64,
    done_s: Vec<Option<f64>>,
    /// The wait that is under way, and since when.
    waiting: Option<(usize, f64)>,
    played: Replayed,
}

impl<'a> Player<'a> {
    /// One in which each thing follows from its cause.
    pub fn following(run: &'a Recorded, link: Link, turn_s: [f64; 2]) -> Player<'a> {
        Player::new(run, link, turn_s, causes(run))
    }

    /// One in which transfers are asked for when they were.
    pub fn as_asked(run: &'a Recorded, link: Link) -> Player<'a> {
        Player::new(run, link, [0.0; 2], none(run))
    }

    fn new(run: &'a Recorded, link: Link, turn_s: [f64; 2], causes: Causes) -> Player<'a> {
        Player {
            run,
            link,
            turn_s,
            causes,
            lines: [Line::new(), Line::new()],
            due: Soonest::new(),
            number: 0,
            done_s: vec![None; run.transfers.len()],
            waiting: None,
            played: Replayed::default(),
        }
    }

    /// Only the transfers: when each is done.
    pub fn carry_all(mut self) -> Vec<f64> {
        self.follow(Cause::Begin, 0.0);
        while self.step() {}
        // What nothing asks for is not carried: there is none, as all are asked for at a time.
        self.done_s.into_iter().map(Option::unwrap_or_default).collect()
    }

    pub fn play(mut self) -> Replayed {
        self.follow(Cause::Begin, 0.0);
        match self.run.waits.first() {
            Some(first) => self.at(first.from_s, Step::Touch(0)),
            None => self.played.elapsed_s = self.run.elapsed_s,
        }
        while self.played.elapsed_s == 0.0 && self.step() {}
        self.played
    }

    /// The next thing happens. False: nothing does any more.
    fn step(&mut self) -> bool {
        let [came_s, went_s] = [0, 1].map(|way| self.lines[way].next_s().unwrap_or(f64::INFINITY));
        let due_s = self.due.next_s().unwrap_or(f64::INFINITY);
        if due_s <= came_s && due_s <= went_s {
            let Some(due) = self.due.pop() else { return false };
            self.happen(due.what, due.at_s);
            return true;
        }
        let way = usize::from(went_s < came_s);
        let Some(at) = self.lines[way].take() else { return false };
        self.through(way, at, came_s.min(went_s));
        true
    }

    fn happen(&mut self, step: Step, now_s: f64) {
        match step {
            Step::Ask(at) => self.send(1, at, now_s),
            Step::Answer(at) => self.send(0, at, now_s),
            Step::Done(at) => self.done(at, now_s),
            Step::Touch(at) => self.touch(at, now_s),
            Step::GoOn(at) => self.go_on(at, now_s),
        }
    }

    /// One half of a transfer goes its way: the pages or what is short. Pages are acknowledged on
    /// the way back.
    fn send(&mut self, way: usize, at: usize, now_s: f64) {
        let transfer = self.run.transfers[at];
        if transfer.direction as usize != way {
            return self.lines[way].add(
                now_s,
                transfer.connection,
                self.link.busy_s(SHORT_BYTES),
                at,
            );
        }
        let busy_s = self.link.busy_s(transfer.bytes);
        self.lines[way].add(now_s, transfer.connection, busy_s, at);
        self.lines[1 - way].add(now_s, NO_CONNECTION, busy_s * self.link.acknowledging, KERNELS);
    }

    /// A message is through its direction of the link.
    fn through(&mut self, way: usize, at: usize, now_s: f64) {
        let Some(transfer) = self.run.transfers.get(at) else { return };
        let there_s = now_s + self.link.latency_s;
        match way {
            0 => self.at(there_s, Step::Done(at)),
            _ => self.at(there_s + self.turn_s[transfer.direction as usize], Step::Answer(at)),
        }
    }

    fn done(&mut self, at: usize, now_s: f64) {
        self.done_s[at] = Some(now_s);
        self.follow(Cause::Done(at), now_s);
        let Some((wait, _)) = self.waiting else { return };
        if self.run.waits[wait].transfer == Some(at) {
            self.at(now_s + self.after_s(&self.run.waits[wait]), Step::GoOn(wait));
        }
    }

    fn touch(&mut self, at: usize, now_s: f64) {
        let wait = self.run.waits[at];
        self.waiting = Some((at, now_s));
        let odd = self.is_odd(&wait);
        self.played.odd_waits += usize::from(odd);
        self.follow(Cause::Wait(at), now_s);
        // One that ended before what it was for keeps its length: that may be asked for only after
        // it.
        match wait.transfer.filter(|_| !odd) {
            None => self.at(now_s + (wait.to_s - wait.from_s), Step::GoOn(at)),
            // It is here already: what is left is what comes after.
            Some(wanted) if self.done_s[wanted].is_some() => {
                self.at(now_s + self.after_s(&wait), Step::GoOn(at));
            }
            Some(_) => {}
        }
    }

    fn go_on(&mut self, at: usize, now_s: f64) {
        let since_s = self.waiting.take().map_or(now_s, |(_, since_s)| since_s);
        self.played.waited_s += now_s - since_s;
        let was_s = self.run.waits[at].to_s;
        match self.run.waits.get(at + 1) {
            Some(next) => self.at(now_s + (next.from_s - was_s), Step::Touch(at + 1)),
            None => self.played.elapsed_s = now_s + (self.run.elapsed_s - was_s),
        }
    }

    /// From when what it waited for was done until the program went on.
    fn after_s(&self, wait: &Wait) -> f64 {
        let done_s = wait.transfer.map_or(wait.to_s, |wanted| self.run.transfers[wanted].done_s);
        wait.to_s - done_s.max(wait.from_s)
    }

    fn is_odd(&self, wait: &Wait) -> bool {
        wait.transfer.is_some_and(|wanted| self.run.transfers[wanted].done_s > wait.to_s)
    }

    fn follow(&mut self, cause: Cause, now_s: f64) {
        for (later_s, at) in self.causes.remove(&cause).unwrap_or_default() {
            self.at(now_s + later_s, Step::Ask(at));
        }
    }

    fn at(&mut self, at_s: f64, step: Step) {
        self.number += 1;
        self.due.push(at_s, self.number, step);
    }
}
