//! What the engine does: it serves what has come, carries out what the pager wants, and sends.

use super::super::network::Request;
use super::super::program::{Touch, What};
use super::super::world::{Acted, step_of};
use super::{BATCH_MAX, Due, Input, Player, ns};
use pager::{Action, Into, Operation, Page, Place, Purpose, Urgency};
use pager_facts::{EngineStep, Held, Mapping};

impl Player<'_> {
    /// The engine will look, as soon as it can.
    pub(super) fn look(&mut self, now_s: f64) {
        if !std::mem::replace(&mut self.engine.due, true) {
            self.at(now_s.max(self.engine.free_s), Due::Engine);
        }
    }

    /// The engine sees to all that has come, sends what is to be sent, and tidies up.
    pub(super) fn round(&mut self, now_s: f64) {
        self.engine.due = false;
        let mut clock_s = now_s;
        for input in std::mem::take(&mut self.engine.inbox) {
            clock_s = self.serve(input, clock_s);
        }
        self.answer_holds(clock_s);
        clock_s = self.send_all(clock_s);
        let more = self.world.pager.tidy();
        if more {
            clock_s = self.perform(clock_s, None);
            clock_s = self.send_all(clock_s);
        }
        self.engine.free_s = clock_s;
        if more {
            self.look(clock_s);
        }
    }

    fn serve(&mut self, input: Input, now_s: f64) -> f64 {
        match input {
            Input::Fault(thread, touch) => self.fault(thread, touch, now_s),
            Input::Written(thread, page) => {
                self.record.written(page, thread as u32 + 1, ns(now_s));
                self.world.written(page);
                let done_s = self.perform(now_s + self.work(EngineStep::Decide, 1), None);
                self.at(done_s, Due::Step(thread));
                done_s
            }
            Input::Memory(thread, what) => self.memory(thread, what, now_s),
            Input::Here(exchange) => self.here(exchange, now_s),
            Input::Tick => {
                self.world.pager.tick(ns(now_s));
                self.perform(now_s, None)
            }
        }
    }

    fn fault(&mut self, thread: usize, touch: Touch, now_s: f64) -> f64 {
        let (begun_s, now_s) = (now_s, now_s + self.work(EngineStep::Decide, 1));
        match self.world.pager.fault(Page(touch.page), touch.write) {
            Some(pager::Fault::Zero | pager::Fault::Soft | pager::Fault::Hard) => {
                self.record.touched(touch.page, touch.write, thread as u32 + 1, ns(begun_s));
                self.engine.waiting.push((touch.page, thread));
                self.perform(now_s, None)
            }
            Some(pager::Fault::Stale) => {
                let done_s = self.perform(now_s, None);
                self.at(done_s, Due::Step(thread));
                done_s
            }
            // It is no page of the program's here: it had been given back by then.
            Some(pager::Fault::Lost) | None => {
                let done_s = self.perform(now_s, None);
                self.at(done_s, Due::Next(thread));
                done_s
            }
        }
    }

    fn memory(&mut self, thread: usize, what: What, now_s: f64) -> f64 {
        let there = match what {
            What::Memory(how, stretch) => {
                self.record.memory(how, stretch.first, stretch.pages, ns(now_s));
                let there = self.world.map(how, stretch);
                if how == Mapping::Hold && !there {
                    self.engine.holding.push((stretch, thread));
                }
                there || how != Mapping::Hold
            }
            What::Moved(stretch, to) => {
                self.record.moved(stretch.first, stretch.pages, to, ns(now_s));
                self.world.moved(stretch, to);
                true
            }
            What::Touch(_) => true,
        };
        let done_s = self.perform(now_s, None);
        if there {
            self.at(done_s, Due::Next(thread));
        }
        done_s
    }

    /// An answer has come.
    fn here(&mut self, exchange: usize, now_s: f64) -> f64 {
        let place = self.network.exchanges[exchange].place;
        let request =
            std::mem::replace(&mut self.network.exchanges[exchange].request, Request::Reserve(0));
        let mut now_s = now_s;
        match &request {
            Request::Reserve(slots) => self.world.pager.granted(place, *slots),
            Request::Write(writes) => {
                now_s += self.work(EngineStep::Stored, writes.len() as u64);
                for operation in writes {
                    self.world.pager.done(*operation, Ok(None));
                }
            }
            Request::Read(reads) => {
                now_s += self.work(EngineStep::Receive, reads.len() as u64);
                for (operation, into) in reads {
                    if let Some(page) = self.world.came(*operation, *into) {
                        self.wake(page, now_s, Some(exchange));
                    }
                }
            }
        }
        // Its bytes are asked for again when somebody's wait is split.
        self.network.exchanges[exchange].request = request;
        self.perform(now_s, Some(exchange))
    }

    /// Carry out all that the pager wants. Until when.
    fn perform(&mut self, now_s: f64, ended_by: Option<usize>) -> f64 {
        let mut now_s = now_s;
        while let Some(action) = self.world.pager.next_action() {
            if let Some(step) = step_of(&action) {
                now_s += self.work(step, 1);
            }
            let before = self.world.pager.evictions_dirty();
            let acted = self.world.act(action);
            self.note(&action, before, now_s);
            match acted {
                Acted::Done => {}
                Acted::Wakes(page) => self.wake(page, now_s, ended_by),
                Acted::Asks(place, action) => self.ask(place, &action),
                Acted::Answered(operation) => self.world.pager.done(operation, Ok(None)),
            }
        }
        now_s
    }

    /// For the record.
    fn note(&mut self, action: &Action, dirty_before: u64, now_s: f64) {
        let at = ns(now_s);
        match *action {
            Action::Zero { page } | Action::Install { page, .. } => self.record.ahead(page.0, at),
            Action::Read { into: Into::Page(page), urgency: Urgency::Prefetch, .. } => {
                self.record.ahead(page.0, at);
            }
            Action::Grab { page, .. } | Action::Drop { page } if !self.world.has(page.0) => {
                let held = match self.world.pager.evictions_dirty() != dirty_before {
                    _ if self.world.is_zeros(page.0) => Held::Zeros,
                    true => Held::Changed,
                    false => Held::Same,
                };
                self.record.gone(page.0, held, at);
            }
            _ => {}
        }
    }

    /// Requests of a round: what goes to one server in a row goes together.
    fn ask(&mut self, place: Place, action: &Action) {
        let requests = self.engine.outgoing.entry(place).or_default();
        match *action {
            Action::Read { operation, into, urgency, .. } => {
                self.played.page_ins += 1;
                self.played.urgent += u64::from(urgency == Urgency::Fault);
                read(requests, operation, into);
            }
            Action::Write { operation, purpose, .. } => {
                match purpose {
                    Purpose::Parity => self.played.parity += 1,
                    Purpose::PageOut | Purpose::Move => self.played.page_outs += 1,
                }
                match requests.last_mut() {
                    Some(Request::Write(writes)) if writes.len() < BATCH_MAX => {
                        writes.push(operation);
                    }
                    _ => requests.push(Request::Write(vec![operation])),
                }
            }
            Action::Reserve { slots, .. } => requests.push(Request::Reserve(slots)),
            _ => {}
        }
    }

    /// What was asked for in this round is given to the connections.
    fn send_all(&mut self, now_s: f64) -> f64 {
        if self.engine.outgoing.is_empty() {
            return now_s;
        }
        let sent_s = now_s + self.work(EngineStep::Send, 1);
        for (place, requests) in std::mem::take(&mut self.engine.outgoing) {
            for request in requests {
                let exchange = self.network.prepare(place, request, now_s);
                self.at(sent_s, Due::Departs(exchange));
            }
        }
        sent_s
    }

    fn wake(&mut self, page: u64, now_s: f64, ended_by: Option<usize>) {
        self.record.there(page, 1, ns(now_s));
        let mut at = 0;
        while let Some(&(wanted, thread)) = self.engine.waiting.get(at) {
            if wanted != page {
                at += 1;
                continue;
            }
            self.engine.waiting.swap_remove(at);
            self.threads[thread].ended_by = ended_by;
            self.at(now_s, Due::Step(thread));
        }
    }

    fn answer_holds(&mut self, now_s: f64) {
        let holding = std::mem::take(&mut self.engine.holding);
        for (stretch, thread) in holding {
            match self.world.pager.held(Page(stretch.first), stretch.pages) {
                true => self.at(now_s, Due::Next(thread)),
                false => self.engine.holding.push((stretch, thread)),
            }
        }
    }

    fn work(&self, step: EngineStep, count: u64) -> f64 {
        self.program.work(step, count) / self.conditions.speed
    }
}

/// Reads of a round go as one batch.
fn read(requests: &mut Vec<Request>, operation: Operation, into: Into) {
    match requests.last_mut() {
        Some(Request::Read(reads)) if reads.len() < BATCH_MAX => reads.push((operation, into)),
        _ => requests.push(Request::Read(vec![(operation, into)])),
    }
}
