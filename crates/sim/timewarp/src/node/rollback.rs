//! Undoing events, and getting back the state before them.

use super::Node;
use super::history::{Done, Kept, Outputs};
use super::slots::{NONE, Status};
use crate::pending::Entry;
use crate::{Bundle, Cancellation, Message, Model, ObjectId, VirtualTime, Watch, Work};

impl<M: Model, W: Watch> Node<'_, M, W> {
    /// Undo an object's events at `to` and later. Their messages are pending again; what they sent
    /// is suspended, or is to be cancelled.
    pub(super) fn roll_back(&mut self, index: u32, to: VirtualTime) {
        self.roll_back_cancelling(index, to, self.setup.options.cancellation);
    }

    /// The same, with what was sent cancelled in this way.
    #[cold]
    pub(super) fn roll_back_cancelling(&mut self, index: u32, to: VirtualTime, how: Cancellation) {
        let begin = self.watch.now();
        let from = self.object(index).now;
        let mut events = 0;
        let mut state_known = true;
        while let Some(record) = self.undoable(index, to) {
            state_known = self.undo_state(index, record, state_known);
            self.undo_record(index, record, how);
            events += 1;
        }
        if events == 0 {
            return;
        }
        if !state_known {
            self.recompute_state(index);
        }
        if self.budget.is_bounded() {
            self.count_state(index);
        }
        self.moving.mind_end(index, self.objects[index].extent.end);
        let object = self.object(index);
        object.rare.rollbacks += 1;
        object.rare.undone += u64::from(events);
        let group = object.copying.group();
        self.histories.saving.rolled_back(group);
        self.restraint.undone += u64::from(events);
        self.totals.undone += u64::from(events);
        self.watch
            .worked(begin, Work::Rollback { object: self.objects.id(index), from, to, events });
    }

    /// The object's latest record, if it is to be undone.
    fn undoable(&self, index: u32, to: VirtualTime) -> Option<u32> {
        let newest = self.objects[index].records.newest();
        (newest != NONE && self.histories[newest].time >= to).then_some(newest)
    }

    /// Go back to the state before an event. `known`: the state is that after the event. Returns
    /// whether it is that before.
    fn undo_state(&mut self, index: u32, record: u32, known: bool) -> bool {
        let failed = self.histories[record].has_fault();
        let state = &mut self.objects[index].state;
        match &mut self.histories[record].kept {
            // The record is forgotten next; the memory of the later state stays with it.
            Kept::Copy(before) => {
                std::mem::swap(state, before);
                self.objects[index].copying.missed();
                true
            }
            kept @ Kept::Record(_) => {
                if let Kept::Record(undo) = std::mem::replace(kept, Kept::Nothing) {
                    self.setup.model.undo(state, undo);
                }
                known
            }
            Kept::Nothing => known && failed,
        }
    }

    /// Give an event's messages back to the pending set, its outputs to cancellation, and forget
    /// it.
    fn undo_record(&mut self, index: u32, record: u32, how: Cancellation) {
        let Done {
            time, inputs, outputs: Outputs { locals, remotes }, older, sent, dropped, ..
        } = self.histories[record];
        let mut at = inputs;
        while at != NONE {
            let slot = &mut self.slots[at];
            let next = slot.next_input;
            slot.status = Status::Pending;
            self.agenda.pending.push(Entry { time, object: ObjectId(index), slot: at });
            at = next;
        }
        match how {
            Cancellation::Lazy => {
                self.suspend(index, remotes);
                self.suspend(index, locals);
            }
            Cancellation::Aggressive => {
                self.give_up(remotes);
                self.give_up(locals);
            }
        }
        self.waste_time(index, record);
        self.histories.remove(record);
        let before = (older != NONE).then(|| self.histories[older].time);
        let object = self.object(index);
        object.records.undo(older);
        object.pace.undone(sent - dropped);
        object.copying.undone();
        object.now = before.unwrap_or(object.committed);
        if older != NONE {
            self.histories[older].newer = NONE;
        }
    }

    /// Put a chain of outputs before those that are suspended: it was sent earlier.
    fn suspend(&mut self, index: u32, chain: u32) {
        if chain == NONE {
            return;
        }
        let last = self.slots.last_output(chain);
        self.slots[last].next_output = self.object(index).suspended;
        self.object(index).suspended = chain;
    }

    /// Cancel a chain of outputs.
    fn give_up(&mut self, chain: u32) {
        let mut at = chain;
        while at != NONE {
            self.agenda.cancels.push_back(at);
            at = self.slots[at].next_output;
        }
    }

    /// Compute the state after the latest record from the last copy before it, running what lies
    /// between again.
    pub(super) fn recompute_state(&mut self, index: u32) {
        let mut record = self.object(index).records.newest();
        let mut again = Vec::new();
        let copy = loop {
            // Collection keeps every record from a copy on, so there is one.
            let done = &self.histories[record];
            if !done.has_fault() {
                again.push(record);
            }
            match &done.kept {
                Kept::Copy(state) => break state.clone(),
                Kept::Record(_) | Kept::Nothing => record = done.older,
            }
        };
        self.object(index).state = copy;
        self.object(index).copying.ran_again(again.len() as u32);
        self.totals.counters.coasted += again.len() as u64;
        for record in again.into_iter().rev() {
            self.run_again(index, record);
        }
    }

    /// Run an event again for its effect on the state alone.
    fn run_again(&mut self, index: u32, record: u32) {
        let mut messages = Vec::new();
        let mut at = self.histories[record].inputs;
        while at != NONE {
            messages.push(&self.slots[at].message);
            at = self.slots[at].next_input;
        }
        let frame = self.setup.frame();
        let (id, time) = (self.objects.id(index), self.histories[record].time);
        let messages: &[&Message<M::Payload>] = &messages;
        let state = &mut self.objects[index].state;
        frame.event(id, time, state, Bundle::new(messages), &mut self.hand.doings);
        self.hand.doings.clear();
    }

    /// Undo what a message that came back stands on: the object sends it again, but not before GVT
    /// has moved.
    pub(super) fn come_back(&mut self, index: u32, send: VirtualTime) {
        self.roll_back(index, send);
        self.restraint.hold_from(index, send, &mut self.objects);
    }
}
