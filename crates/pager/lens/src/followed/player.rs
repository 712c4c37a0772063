//! Playing: threads that touch pages, the engine that serves them one after another, and the link.

mod engine;

use super::network::{Network, Passed, Request};
use super::program::{Program, Step, Touch, What};
use super::spent::{Share, Spent};
use super::world::World;
use super::{Conditions, Played, Stuck};
use pager::Place;
#[cfg(test)]
use pager_facts::PageEvent;
use pager_facts::{PageEvents, PageStretch};
use predict::Soonest;
use std::collections::BTreeMap;

/// How often the engine looks at its clock, s.
const TICK_S: f64 = 0.01;
/// So many ticks without anything else, and nothing will ever happen.
const TICKS_MAX: u32 = 1000;
/// Pages that go as one batch at most.
const BATCH_MAX: usize = 64;
const NS_PER_S: f64 = 1e9;

/// Something that will happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    /// A thread is at its next step, or tries it again.
    Step(usize),
    /// A thread has done its step.
    Next(usize),
    /// The engine has time.
    Engine,
    Tick,
    /// A request is given to its connection.
    Departs(usize),
    Answers(usize),
    Here(usize),
}

/// What the engine has to see to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    Fault(usize, Touch),
    Written(usize, u64),
    Memory(usize, What),
    Here(usize),
    Tick,
}

/// A thread that runs, or waits.
#[derive(Clone, Default)]
struct Running {
    at: usize,
    /// It waits, since when.
    since_s: Option<f64>,
    /// Which exchange ended its wait.
    ended_by: Option<usize>,
    end_s: Option<f64>,
    spent: Spent,
}

/// What the engine has not done yet.
#[derive(Default)]
struct Engine {
    inbox: Vec<Input>,
    free_s: f64,
    /// It will look.
    due: bool,
    /// Threads that wait for a page.
    waiting: Vec<(u64, usize)>,
    /// Threads that wait until all of these are there.
    holding: Vec<(PageStretch, usize)>,
    /// What is to be sent: to each server, its requests, and the reads of this round.
    outgoing: BTreeMap<Place, Vec<Request>>,
}

pub struct Player<'a> {
    program: &'a Program,
    conditions: &'a Conditions,
    world: World,
    network: Network,
    engine: Engine,
    threads: Vec<Running>,
    due: Soonest<Due>,
    number: u64,
    /// Ticks since anything else happened.
    ticks: u32,
    played: Played,
    /// What the pager's own record would hold, ns.
    record: PageEvents,
}

impl<'a> Player<'a> {
    pub fn new(program: &'a Program, conditions: &'a Conditions) -> Result<Player<'a>, Stuck> {
        let world = World::new(program.options.clone(), program.protects)?;
        let mut record = PageEvents::new();
        record.stop();
        Ok(Player {
            program,
            conditions,
            world,
            network: Network::new(conditions.link, conditions.turn_s),
            engine: Engine::default(),
            threads: vec![Running::default(); program.threads.len()],
            due: Soonest::new(),
            number: 0,
            ticks: 0,
            played: Played::default(),
            record,
        })
    }

    /// Play, and record what the pager would see of it.
    #[cfg(test)]
    pub fn play_recorded(
        program: &Program,
        conditions: &Conditions,
    ) -> Result<(Played, Vec<PageEvent>), Stuck> {
        let mut player = Player::new(program, conditions)?;
        player.record = PageEvents::new();
        let pager::Options { budget_pages, staging_frames, prefetch_pages, .. } = program.options;
        player.record.options(budget_pages, staging_frames.into(), prefetch_pages.into());
        player.begin();
        while player.is_running() {
            player.step()?;
        }
        let record = std::mem::take(&mut player.record);
        Ok((player.played(), record.into_events()))
    }

    pub fn play(mut self) -> Result<Played, Stuck> {
        self.begin();
        while self.is_running() {
            self.step()?;
        }
        Ok(self.played())
    }

    fn begin(&mut self) {
        self.at(0.0, Due::Tick);
        for thread in 0..self.threads.len() {
            if self.program.threads[thread].after.is_none() {
                self.approach(thread, 0.0);
            }
        }
    }

    fn is_running(&self) -> bool {
        self.threads.iter().any(|thread| thread.end_s.is_none())
    }

    fn played(mut self) -> Played {
        let end_s = |thread: &&Running| thread.end_s.unwrap_or(0.0);
        let last = self.threads.iter().max_by(|a, b| end_s(a).total_cmp(&end_s(b)));
        let status = self.world.pager.status();
        if let Some(last) = last {
            (self.played.elapsed_s, self.played.spent) = (end_s(&last), last.spent);
        }
        self.played.hard_faults = status.faults_hard;
        self.played.ahead = status.page_ins_prefetch;
        self.played
    }

    fn step(&mut self) -> Result<(), Stuck> {
        let due_s = self.due.next_s().unwrap_or(f64::INFINITY);
        if self.network.next_s().is_some_and(|passes_s| passes_s < due_s) {
            self.ticks = 0;
            match self.network.pass() {
                Some((at_s, Passed::Answers(exchange))) => self.at(at_s, Due::Answers(exchange)),
                Some((at_s, Passed::Here(exchange))) => self.at(at_s, Due::Here(exchange)),
                None => {}
            }
            return Ok(());
        }
        let Some(due) = self.due.pop() else { return Err(Stuck::Waits) };
        self.ticks = if due.what == Due::Tick { self.ticks + 1 } else { 0 };
        // What is on the link may take its time.
        if self.ticks > TICKS_MAX && self.network.next_s().is_none() && self.due.is_empty() {
            return Err(Stuck::Waits);
        }
        self.happen(due.what, due.at_s);
        Ok(())
    }

    fn happen(&mut self, due: Due, now_s: f64) {
        match due {
            Due::Step(thread) => self.touch(thread, now_s),
            Due::Next(thread) => {
                self.go_on(thread, now_s);
                self.advance(thread, now_s);
            }
            Due::Engine => self.round(now_s),
            Due::Tick => {
                self.at(now_s + TICK_S, Due::Tick);
                self.tell(Input::Tick, now_s);
            }
            Due::Departs(exchange) => self.network.depart(exchange, now_s),
            Due::Answers(exchange) => self.network.answer(exchange, now_s),
            Due::Here(exchange) => self.tell(Input::Here(exchange), now_s),
        }
    }

    /// A thread computes until its next step.
    fn approach(&mut self, thread: usize, now_s: f64) {
        let of = &self.program.threads[thread];
        let running = &mut self.threads[thread];
        let (gap_s, is_over) = match of.steps.get(running.at) {
            Some(step) => (step.gap_s, false),
            None => (of.tail_s, true),
        };
        let gap_s = gap_s / self.conditions.speed;
        running.spent[Share::Computing] += gap_s;
        match is_over {
            true => running.end_s = Some(now_s + gap_s),
            false => self.at(now_s + gap_s, Due::Step(thread)),
        }
    }

    /// Its step is done.
    fn advance(&mut self, thread: usize, now_s: f64) {
        let done = self.threads[thread].at;
        self.threads[thread].at += 1;
        for other in 0..self.threads.len() {
            if self.program.threads[other].after == Some((thread, done)) {
                self.threads[other].spent[Share::Computing] += now_s;
                self.approach(other, now_s);
            }
        }
        self.approach(thread, now_s);
    }

    /// A thread is at its next step, for the first time or again.
    fn touch(&mut self, thread: usize, now_s: f64) {
        self.go_on(thread, now_s);
        let Step { what, .. } = self.program.threads[thread].steps[self.threads[thread].at];
        let input = match what {
            What::Touch(touch) if !self.world.has(touch.page) => Input::Fault(thread, touch),
            What::Touch(touch) if !self.world.change(touch.page, touch.change) => {
                Input::Written(thread, touch.page)
            }
            What::Touch(_) => return self.advance(thread, now_s),
            What::Memory(..) | What::Moved(..) => Input::Memory(thread, what),
        };
        self.threads[thread].since_s = Some(now_s);
        self.tell(input, now_s);
    }

    /// A wait is over, if there was one.
    fn go_on(&mut self, thread: usize, now_s: f64) {
        let running = &mut self.threads[thread];
        let ended_by = running.ended_by.take();
        if let Some(since_s) = running.since_s.take() {
            let ended_by = ended_by.map(|exchange| (&self.network, exchange));
            running.spent.wait(since_s, now_s, ended_by);
        }
    }

    fn tell(&mut self, input: Input, now_s: f64) {
        self.engine.inbox.push(input);
        self.look(now_s);
    }

    fn at(&mut self, at_s: f64, due: Due) {
        self.number += 1;
        self.due.push(at_s, self.number, due);
    }
}

fn ns(s: f64) -> u64 {
    (s * NS_PER_S) as u64
}
