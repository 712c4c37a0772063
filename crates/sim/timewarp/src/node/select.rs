//! What a node does next.

use super::relief::Room;
use super::{Node, Progress, slots};
use crate::pending::Entry;
use crate::running::{messages_of, sort_for_term};
use crate::{Bundle, Message, Model, ObjectId, RunError, VirtualTime, Watch};
use slots::{NONE, Slots, Status};

/// How many entries ahead memory is asked for.
const AHEAD: usize = 4;

impl<M: Model, W: Watch> Node<'_, M, W> {
    /// One step: an event, some cancellations, an arrival, or what one abandoned event calls for;
    /// and a little collection.
    #[inline]
    pub(super) fn step(&mut self) -> Result<Progress, RunError> {
        if self.collection.is_active() {
            self.collect_some()?;
        }
        self.deliver_incoming();
        if !self.agenda.cancels.is_empty() {
            self.cancel_some();
            return Ok(Progress::Busy);
        }
        let is_far = self.gvt.since() >= self.restraint.optimism.bound();
        if (is_far || self.gvt.is_due()) && !self.collection.is_active() {
            self.gvt.want();
        }
        self.begin_wanted_round()?;
        let Some(first) = self.agenda.pending.pop() else {
            return self.nothing_ready();
        };
        let must_look = is_far
            || first.time >= self.moving.look_from
            || self.setup.is_careful
            || self.restraint.is_any;
        if must_look {
            // Whoever computes a minimum must find it.
            self.agenda.pending.push(first);
            if let Some(progress) = self.look_first(&first, is_far)? {
                return Ok(progress);
            }
            self.agenda.pending.pop();
        }
        self.take_bundle(&first);
        match self.hand.bundle.is_empty() {
            true => self.abandon_suspended(first.object.0, first.time),
            false => self.execute(first.object.0, first.time),
        }
        Ok(Progress::Busy)
    }

    /// What may have to be done instead of running what is first; `None`: it may run. `is_far`:
    /// nothing beyond GVT may.
    fn look_first(&mut self, first: &Entry, is_far: bool) -> Result<Option<Progress>, RunError> {
        // Before all that waits for GVT, as that waits for this.
        if first.time >= self.moving.look_from && self.send_states(first.time) {
            return Ok(Some(Progress::Busy));
        }
        if is_far && first.time > self.gvt.now && !self.is_abandoned(first) {
            return self.wait_for_gvt().map(Some);
        }
        if first.time >= VirtualTime::POSINF {
            return self.nothing_ready().map(Some);
        }
        if !self.links.arrivals.is_empty() && self.search_arrivals(first.time)? {
            return Ok(Some(Progress::Busy));
        }
        if self.links.outbox.is_held() && first.time > self.gvt.now {
            return self.take_any_arrival().map(Some);
        }
        if self.must_hold(first) {
            self.hold(first);
            return Ok(Some(Progress::Busy));
        }
        if !self.budget.is_bounded() {
            return Ok(None);
        }
        Ok(match self.make_room(first)? {
            Room::Enough => None,
            Room::Made => Some(Progress::Busy),
            Room::Wait => Some(self.take_any_arrival()?),
        })
    }

    /// Whether all messages to this object at this time are annihilated, so that only what the
    /// abandoned event had sent is left to be cancelled. No rule of the throttle holds that back:
    /// what is to be cancelled may be going round from node to node without delay, and each event
    /// that it causes meanwhile is in vain.
    pub(super) fn is_abandoned(&mut self, first: &Entry) -> bool {
        let is_dead = |slots: &Slots<_>, entry: &Entry| slots[entry.slot].status == Status::Dead;
        if !is_dead(&self.slots, first) {
            return false;
        }
        let beside: Vec<Entry> =
            std::iter::from_fn(|| self.agenda.pending.pop_beside(first)).collect();
        beside.iter().for_each(|entry| self.agenda.pending.push(*entry));
        beside.iter().all(|entry| is_dead(&self.slots, entry))
    }

    /// This node has come far enough beyond GVT.
    #[cold]
    fn wait_for_gvt(&mut self) -> Result<Progress, RunError> {
        self.totals.counters.throttled += u64::from(self.restraint.optimism.hold());
        if self.collection.is_active() {
            return Ok(Progress::Busy);
        }
        self.take_any_arrival()
    }

    /// Nothing may run now. What has come may change that, and somebody may wait for its being
    /// taken.
    fn take_any_arrival(&mut self) -> Result<Progress, RunError> {
        match self.search_arrivals(VirtualTime::POSINF)? {
            true => Ok(Progress::Busy),
            false => Ok(Progress::Waiting),
        }
    }

    /// Nothing is ready before the end of time.
    #[cold]
    fn nothing_ready(&mut self) -> Result<Progress, RunError> {
        if self.finished {
            return Ok(Progress::Finished);
        }
        if !self.links.arrivals.is_empty() {
            self.search_arrivals(VirtualTime::POSINF)?;
            return Ok(Progress::Busy);
        }
        if self.moving.look_from < VirtualTime::POSINF && self.send_states(VirtualTime::POSINF) {
            return Ok(Progress::Busy);
        }
        if self.restraint.release_penalised(&mut self.objects, &mut self.agenda.pending)
            || self.collection.is_active()
        {
            return Ok(Progress::Busy);
        }
        if !self.is_collected(VirtualTime::POSINF) {
            // A node alone need not wait for an interval to be over.
            if self.setup.nodes == 1 {
                self.gvt.want();
                self.begin_wanted_round()?;
                return Ok(Progress::Busy);
            }
            return Ok(Progress::Waiting);
        }
        self.end()?;
        Ok(Progress::Finished)
    }

    /// Take the messages of the bundle that `first` belongs to; annihilated ones are forgotten.
    #[inline]
    fn take_bundle(&mut self, first: &Entry) {
        self.fetch_early();
        self.hand.bundle.clear();
        self.take_message(first.slot);
        while let Some(entry) = self.agenda.pending.pop_beside(first) {
            self.take_message(entry.slot);
        }
        if self.hand.bundle.len() > 1 {
            let slots = &self.slots;
            self.hand.bundle.sort_by(|a, b| slots[*a].message.order(&slots[*b].message));
        }
    }

    #[inline]
    fn take_message(&mut self, slot: u32) {
        match self.slots[slot].status {
            Status::Dead => {
                self.agenda.dead -= 1;
                self.slots.remove(slot);
            }
            _ => self.hand.bundle.push(slot),
        }
    }

    #[inline]
    fn fetch_early(&self) {
        if let Some(soon) = self.agenda.pending.soon(AHEAD) {
            let object = &self.objects[soon.object.0];
            memory::prefetch_for_writing(object);
            memory::prefetch_for_writing(&object.state);
            memory::prefetch_for_writing(&object.committed);
            memory::prefetch_for_writing(&self.slots[soon.slot]);
        }
    }

    /// Undo events of some object, as if a message had come too late. Not below what this node has
    /// yet to do: GVT may be about to pass everything else. For tests: results do not depend on it.
    pub fn force_rollback(&mut self, choice: u64) {
        let index = (choice % u64::from(self.objects.len())) as u32;
        let oldest = self.object(index).records.oldest();
        if oldest == NONE {
            return;
        }
        let (earliest, latest) = (self.histories[oldest].time, self.object(index).now);
        let from = if choice & 1 << 40 == 0 { earliest } else { latest };
        let to = from.max(self.gvt.now.just_after()).max(self.local_minimum());
        self.roll_back(index, to);
    }

    /// Run the termination sections: everything before the end of time is committed. Nothing may be
    /// left behind then.
    fn end(&mut self) -> Result<(), RunError> {
        self.free_all();
        let mut slots = std::mem::replace(&mut self.slots, Slots::new());
        let mut waiting = Vec::new();
        while let Some(entry) = self.agenda.pending.pop() {
            match slots[entry.slot].status {
                Status::Dead => slots.remove(entry.slot),
                _ => waiting.push(entry.slot),
            }
        }
        let mut last: Vec<_> = waiting.iter().map(|slot| &slots[*slot].message).collect();
        sort_for_term(&mut last);
        for index in self.objects.last_parts() {
            self.term(index, messages_of(&last, self.objects.id(index)))?;
        }
        waiting.into_iter().for_each(|slot| slots.remove(slot));
        self.finished = true;
        match (slots.cost(), self.histories.cost()) {
            (0, 0) => Ok(()),
            (messages, records) => Err(RunError::Identity {
                what: format!(
                    "node {} ends with {messages} bytes of messages and {records} of records left",
                    self.setup.id
                ),
            }),
        }
    }

    fn term(&mut self, index: u32, messages: &[&Message<M::Payload>]) -> Result<(), RunError> {
        let id: ObjectId = self.objects.id(index);
        let frame = self.setup.frame();
        let object = &mut self.objects[index];
        object.counts.messages += messages.len() as u64;
        frame.term(id, &mut object.state, Bundle::new(messages), &mut self.hand.doings);
        if let Some(fault) = self.hand.doings.fault.take() {
            return Err(frame.error(id, VirtualTime::POSINF, fault));
        }
        self.totals.counters.lines += self.hand.doings.lines.len() as u64;
        for line in &self.hand.doings.lines {
            self.watch.printed(VirtualTime::POSINF, id, line);
        }
        Ok(())
    }
}
