//! Executing an event: its bundle, its handler, what it sends.

use super::Node;
use super::history::{Kept, Ran, Rare};
use super::slots::{NONE, Status};
use crate::running::digest_event;
use crate::{
    Bundle, Handle, History, Message, Model, ObjectId, Packet, Passage, VirtualTime, Watch, Work,
};

impl<M: Model, W: Watch> Node<'_, M, W> {
    /// Execute the bundle in `self.hand.bundle`, which is in canonical order.
    #[inline]
    pub(super) fn execute(&mut self, index: u32, time: VirtualTime) {
        let begin = self.watch.now();
        let memory = if self.budget.is_bounded() { self.memory() } else { 0 };
        let id = self.objects.id(index);
        let ran = self.histories.begin(time, index);
        self.keep_before(index, ran.done);
        let failed = self.run_handler(index, time, ran.done);
        let messages = self.hand.bundle.len() as u32;
        self.watch.worked(begin, Work::Execution { object: id, time, messages });
        let (sent, dropped) = (self.hand.doings.sent(), self.hand.doings.dropped);
        let record = self.add_record(index, ran, failed);
        self.keep_time(index, record);
        let sends = if failed { Vec::new() } else { std::mem::take(&mut self.hand.doings.sends) };
        let object = self.object(index);
        object.counts.started += 1;
        if failed {
            object.rare.failed += 1;
        }
        object.now = time;
        self.collection.worthwhile |= time <= self.gvt.now;
        self.totals.started += 1;
        self.gvt.executed();
        if self.setup.is_paced {
            self.object(index).pace.executed(sent - dropped);
        }
        self.send_all(index, record, sends);
        if self.object(index).suspended != NONE {
            self.abandon_suspended(index, time);
        }
        if !self.moving.ended.is_empty() {
            self.moving.mind_end(index, self.objects[index].extent.end);
        }
        if self.budget.is_bounded() {
            self.count_event(index, memory);
        }
    }

    /// Run the event section on the object's state. When it fails the state is what it was. Returns
    /// whether it failed.
    #[inline]
    fn run_handler(&mut self, index: u32, time: VirtualTime, record: u32) -> bool {
        let id = self.objects.id(index);
        let many: Vec<&Message<M::Payload>>;
        let one;
        let messages: &[&Message<M::Payload>] = match self.hand.bundle[..] {
            [slot] => {
                one = [&self.slots[slot].message];
                &one
            }
            _ => {
                many = self.hand.bundle.iter().map(|slot| &self.slots[*slot].message).collect();
                &many
            }
        };
        let frame = self.setup.frame();
        let object = &mut self.objects[index];
        let mut undo = None;
        let differs =
            self.setup.options.undo_check.then(|| {
                frame.check_undo(id, time, &object.state, messages, &mut self.hand.doings)
            });
        if let Some(Some(fault)) = differs {
            self.hand.doings.clear();
            self.hand.doings.fault = Some(fault);
        } else {
            let begin = self.histories.times.begin();
            let looked = self.histories.saving.begin_event();
            undo = frame.event(
                id,
                time,
                &mut object.state,
                Bundle::new(messages),
                &mut self.hand.doings,
            );
            if self.histories.saving.times_event() {
                self.histories.saving.end_event(looked, object.copying.group());
            }
            self.histories.times.end(begin);
        }
        if self.hand.doings.fault.is_some() {
            self.restore(index, record);
            return true;
        }
        let sent = self.hand.doings.sent();
        let digest = digest_event(id, time, messages.iter().copied(), sent, &mut self.hand.scratch);
        self.histories[record].digest = digest;
        if self.keeps_records(id)
            && let Some(undo) = undo
            && let kept @ Kept::Nothing = &mut self.histories[record].kept
        {
            *kept = Kept::Record(undo);
        }
        false
    }

    /// After a handler that failed.
    #[cold]
    fn restore(&mut self, index: u32, record: u32) {
        let fault = self.hand.doings.fault.take();
        match &self.histories[record].kept {
            // Not into the memory of what the handler has left behind.
            Kept::Copy(state) => self.objects[index].state = state.clone(),
            Kept::Record(_) | Kept::Nothing => self.recompute_state(index),
        }
        self.hand.doings.clear();
        self.hand.doings.fault = fault;
    }

    /// Keep a copy of the state, where one is kept before this event.
    #[inline]
    fn keep_before(&mut self, index: u32, record: u32) {
        if self.histories.saving.executes() {
            self.histories.saving.begin_timing(self.objects[index].copying.group());
        }
        if !self.histories.saving.copies_always() && !self.is_copy_due(index) {
            return self.histories.keep_no_copy(record);
        }
        let object = &self.objects[index];
        let looked = self.histories.saving.begin_copy();
        self.histories.keep_copy(self.setup.model, record, &object.state);
        if self.histories.saving.times_copy() {
            self.histories.saving.end_copy(looked, object.copying.group());
        }
    }

    /// Count the event at hand among those with a copy, or among those without.
    fn is_copy_due(&mut self, index: u32) -> bool {
        let object = &mut self.objects[index];
        // Without an earlier record there is no copy to go back to.
        let is_due = object.records.newest() == NONE || object.copying.is_due();
        match is_due {
            true => object.copying.copied(),
            false => {
                object.copying.passed();
                object.rare.uncopied += 1;
            }
        }
        is_due
    }

    #[inline]
    fn keeps_records(&self, id: ObjectId) -> bool {
        self.setup.model.history(id) == History::Records
    }

    /// Record the event in `self.hand.bundle`, as its object's latest.
    #[inline]
    fn add_record(&mut self, index: u32, ran: Ran, failed: bool) -> u32 {
        let older = self.object(index).records.newest();
        self.collection.executed.push_back(ran);
        let inputs = self.chain_bundle();
        let record = &mut self.histories[ran.done];
        (record.older, record.inputs, record.messages) =
            (older, inputs, self.hand.bundle.len() as u32);
        (record.sent, record.dropped) = (self.hand.doings.sent(), self.hand.doings.dropped);
        if failed || !self.hand.doings.lines.is_empty() {
            let lines = std::mem::take(&mut self.hand.doings.lines);
            record.rare = Some(Box::new(Rare { fault: self.hand.doings.fault.take(), lines }));
        }
        if older != NONE {
            self.histories[older].newer = ran.done;
        }
        self.object(index).records.add(ran.done);
        ran.done
    }

    /// Link the bundle's slots; returns the first.
    #[inline]
    fn chain_bundle(&mut self) -> u32 {
        let mut next = NONE;
        for at in self.hand.bundle.iter().rev() {
            let slot = &mut self.slots[*at];
            slot.status = Status::Taken;
            slot.next_input = next;
            next = *at;
        }
        next
    }

    #[inline]
    fn send_all(&mut self, index: u32, record: u32, mut sends: Vec<Message<M::Payload>>) {
        for message in sends.drain(..) {
            if self.object(index).suspended != NONE && self.send_matched(index, record, &message) {
                continue;
            }
            self.send_new(index, message, record);
        }
        self.hand.doings.sends = sends;
    }

    /// Lazy cancellation: the event has sent the same before it was undone, and it still stands.
    #[cold]
    fn send_matched(&mut self, index: u32, record: u32, message: &Message<M::Payload>) -> bool {
        let (mut before, mut at) = (NONE, self.object(index).suspended);
        while at != NONE && self.slots[at].message.send <= message.send {
            let next = self.slots[at].next_output;
            if is_same(&self.slots[at], message) {
                match before {
                    NONE => self.object(index).suspended = next,
                    _ => self.slots[before].next_output = next,
                }
                self.link_output(record, at);
                self.totals.counters.lazy_hits += 1;
                self.object(index).rare.matched += 1;
                return true;
            }
            (before, at) = (at, next);
        }
        false
    }

    /// Send a message; `record` is NONE for an init section's.
    #[inline]
    pub(super) fn send_new(&mut self, index: u32, message: Message<M::Payload>, record: u32) {
        self.object(index).counts.sent += 1;
        match self.route(message.receiver, message.receive) {
            Ok(here) => {
                self.watch.within_node(Passage::of(&message));
                let slot = self.slots.add(message, Status::Pending, 0, self.setup.id);
                self.link_output(record, slot);
                self.deliver_soon(here, slot);
            }
            Err(node) => self.send_elsewhere(node, message, record),
        }
    }

    #[inline]
    fn send_elsewhere(&mut self, node: u16, message: Message<M::Payload>, record: u32) {
        let serial = self.links.number(node);
        self.totals.counters.off_node += 1;
        // An init section is never undone, and what it sent is never sent back: no negative copy is
        // needed.
        let slot = match record {
            NONE => NONE,
            _ => self.slots.add(message.clone(), Status::Copy, serial, node),
        };
        self.link_output(record, slot);
        self.post(node, Packet::Event { message, copy: Handle { slot, serial } });
    }

    /// Remember what an event sent.
    #[inline]
    fn link_output(&mut self, record: u32, slot: u32) {
        if record == NONE {
            return;
        }
        let done = &mut self.histories[record];
        let held = &mut self.slots[slot];
        let chain = done.outputs.chain_of(held.status);
        held.next_output = *chain;
        *chain = slot;
    }
}

fn is_same<P: crate::Payload>(slot: &super::slots::Slot<P>, message: &Message<P>) -> bool {
    let before = &slot.message;
    slot.status != Status::Vanished
        && before.send == message.send
        && before.receive == message.receive
        && before.receiver == message.receiver
        && before.selector == message.selector
        && before.payload.order(&message.payload).is_eq()
}
