//! Cancelling: anti-messages, and what they do where they meet their messages.
//!
//! Nothing is cancelled in a sweep. What is to be cancelled waits in a queue, of which a step takes a few; what lazy
//! cancellation has suspended is looked at when its event's place in virtual time comes up.

use super::serials::Known;
use super::slots::{NONE, Status};
use super::{Node, protocol};
use crate::{
    Handle, Message, Model, Packet, Passage, Passing, Payload, Reference, RunError, VirtualTime, Watch,
};

/// Cancellations between two looks at what has arrived.
const CANCELLED_AT_ONCE: usize = 64;

impl<M: Model, W: Watch> Node<'_, M, W> {
    /// Cancel a few of the messages that wait for it.
    #[cold]
    pub(super) fn cancel_some(&mut self) {
        let at_once = if self.options.zip_forward { usize::MAX } else { CANCELLED_AT_ONCE };
        let mut done = 0;
        while done < at_once {
            let Some(slot) = self.cancels.pop_front() else { break };
            self.cancel(slot);
            done += 1;
        }
        self.counters.cancellation_step_max = self.counters.cancellation_step_max.max(done as u64);
    }

    /// An object's abandoned event at `time` has sent what nobody has sent again.
    pub(super) fn abandon_suspended(&mut self, index: u32, time: VirtualTime) {
        let mut at = self.object(index).suspended;
        while at != NONE && (self.slots[at].message.send <= time || self.options.zip_forward) {
            self.cancels.push_back(at);
            at = self.slots[at].next_output;
        }
        self.object(index).suspended = at;
    }

    /// Cancel one message that an object of this node had sent.
    fn cancel(&mut self, slot: u32) {
        let held = &self.slots[slot];
        if held.status == Status::Vanished {
            return self.slots.remove(slot);
        }
        let (sender, receiver) = (held.message.sender, held.message.receiver);
        let index = self.places[sender.index()].here().unwrap_or_default();
        self.object(index).pace.cancellations += self.options.penalty;
        match self.places[receiver.index()].here() {
            Err(node) => self.cancel_elsewhere(index, slot, node),
            Ok(receiver) => self.cancel_here(index, slot, receiver),
        }
    }

    fn cancel_elsewhere(&mut self, sender: u32, slot: u32, node: u16) {
        let reference = self.reference(slot);
        self.slots.remove(slot);
        if self.outbox.take_back(node, &reference) {
            self.object(sender).rare.unsent += 1;
            self.counters.unsent += 1;
            self.counters.off_node -= 1;
            return;
        }
        self.object(sender).rare.anti_sent += 1;
        self.post(node, Packet::Anti(reference));
    }

    fn cancel_here(&mut self, sender: u32, slot: u32, receiver: u32) {
        self.object(sender).rare.anti_sent += 1;
        self.object(receiver).rare.anti_received += 1;
        let passage = Passage { kind: Passing::Anti, bytes: 0, ..Passage::of(&self.slots[slot].message) };
        self.watch.within_node(passage);
        self.annihilate(receiver, slot);
    }

    /// A message and its anti-message have met at its receiver.
    fn annihilate(&mut self, receiver: u32, slot: u32) {
        self.object(receiver).rare.annihilated += 1;
        self.withdraw(receiver, slot);
    }

    /// Take a message away from its receiver, undoing what it has done with it. Its entry in the pending set stays, and
    /// when its time comes up calls for what the abandoned event had sent.
    pub(super) fn withdraw(&mut self, receiver: u32, slot: u32) {
        if self.slots[slot].status == Status::Taken {
            self.roll_back(receiver, self.slots[slot].message.receive);
        }
        debug_assert_eq!(self.slots[slot].status, Status::Pending);
        self.slots[slot].status = Status::Dead;
        self.dead += 1;
        self.slots[slot].serial = 0;
    }

    /// An event message from another node.
    #[inline]
    pub(super) fn take_event(
        &mut self,
        from: u16,
        message: Message<M::Payload>,
        copy: Handle,
    ) -> Result<(), RunError> {
        let index = self.index_of(from, message.receiver)?;
        if message.receive <= self.gvt.now || message.receive > VirtualTime::POSINF || copy.serial == 0 {
            return Err(protocol(from, format!("an event for {}, which cannot be", message.receive)));
        }
        let may_pass = self.arrivals_may_pass();
        let channel = &mut self.channels[usize::from(from)].received;
        if may_pass && channel.get(copy.serial) == Known::Early {
            channel.remove(copy.serial);
            let object = self.object(index);
            object.received += 1;
            object.rare.annihilated += 1;
            return Ok(());
        }
        if self.budget.is_bounded() && self.has_no_room_for(&message) {
            let reference = reference_of(&message, copy);
            let object = self.object(index);
            object.received += 1;
            object.rare.returns_sent += 1;
            self.post(from, Packet::Return(reference));
            return Ok(());
        }
        let slot = self.slots.add(message, Status::Pending, copy.serial);
        // A received message has no sender here: the link is free to hold its sender's slot.
        self.slots[slot].next_output = copy.slot;
        self.channels[usize::from(from)].received.insert(copy.serial, slot);
        self.deliver_soon(index, slot);
        Ok(())
    }

    /// An anti-message from another node.
    pub(super) fn take_anti(&mut self, from: u16, reference: &Reference) -> Result<(), RunError> {
        let index = self.index_of(from, reference.receiver)?;
        let serial = reference.copy.serial;
        let received = &mut self.channels[usize::from(from)].received;
        let known = received.get(serial);
        match known {
            Known::Slot(slot) => {
                received.remove(serial);
                self.object(index).rare.anti_received += 1;
                self.annihilate(index, slot);
            }
            // Its message was sent back, or has been overtaken: it will come (again).
            Known::Nothing => {
                received.insert_early(serial);
                self.object(index).rare.anti_received += 1;
            }
            Known::Early => return Err(protocol(from, "an anti-message twice")),
        }
        Ok(())
    }

    /// A message of ours has come back.
    pub(super) fn take_return(&mut self, from: u16, reference: &Reference) -> Result<(), RunError> {
        let index = self.index_of(from, reference.sender)?;
        self.object(index).rare.returns_received += 1;
        if !self.is_copy(from, reference) {
            // It has been cancelled meanwhile: it goes out again to meet its anti-message.
            self.object(index).sent += 1;
            self.post(from, Packet::Again(*reference));
            return Ok(());
        }
        self.slots[reference.copy.slot].status = Status::Vanished;
        self.come_back(index, reference.send);
        Ok(())
    }

    /// A message comes a second time, to meet its anti-message.
    pub(super) fn take_again(&mut self, from: u16, reference: &Reference) -> Result<(), RunError> {
        let index = self.index_of(from, reference.receiver)?;
        let received = &mut self.channels[usize::from(from)].received;
        if received.get(reference.copy.serial) != Known::Early {
            return Err(protocol(from, "a message again that was not cancelled"));
        }
        received.remove(reference.copy.serial);
        let object = self.object(index);
        object.received += 1;
        object.rare.annihilated += 1;
        Ok(())
    }

    /// Whether the negative copy of this message is still here.
    fn is_copy(&self, to: u16, reference: &Reference) -> bool {
        self.slots.get(reference.copy.slot).is_some_and(|slot| {
            let goes_to = self.places[slot.message.receiver.index()].here();
            slot.status == Status::Copy && slot.serial == reference.copy.serial && goes_to == Err(to)
        })
    }

    /// How another node can be told of a message.
    pub(super) fn reference(&self, slot: u32) -> Reference {
        let held = &self.slots[slot];
        let copy_slot = if held.status == Status::Copy { slot } else { held.next_output };
        reference_of(&held.message, Handle { slot: copy_slot, serial: held.serial })
    }
}

fn reference_of<P: Payload>(message: &Message<P>, copy: Handle) -> Reference {
    Reference {
        copy,
        sender: message.sender,
        receiver: message.receiver,
        send: message.send,
        receive: message.receive,
    }
}
