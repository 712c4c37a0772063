//! Cancelling: anti-messages, and what they do where they meet their messages.
//!
//! Nothing is cancelled in a sweep. What is to be cancelled waits in a queue, of which a step takes
//! a few; what lazy cancellation has suspended is looked at when its event's place in virtual time
//! comes up.

use super::serials::Known;
use super::slots::{NONE, Status};
use super::{Node, protocol};
use crate::{
    Handle, Message, Model, Packet, Passage, Passing, Payload, Reference, RunError, VirtualTime,
    Watch,
};

/// Cancellations between two looks at what has arrived.
const CANCELLED_AT_ONCE: usize = 64;

impl<M: Model, W: Watch> Node<'_, M, W> {
    /// Cancel a few of the messages that wait for it.
    #[cold]
    pub(super) fn cancel_some(&mut self) {
        let at_once = if self.setup.options.zip_forward { usize::MAX } else { CANCELLED_AT_ONCE };
        let mut done = 0;
        while done < at_once {
            let Some(slot) = self.agenda.cancels.pop_front() else { break };
            self.cancel(slot);
            done += 1;
        }
        self.totals.counters.cancellation_step_max =
            self.totals.counters.cancellation_step_max.max(done as u64);
    }

    /// An object's abandoned event at `time` has sent what nobody has sent again.
    pub(super) fn abandon_suspended(&mut self, index: u32, time: VirtualTime) {
        let mut at = self.object(index).suspended;
        while at != NONE && (self.slots[at].message.send <= time || self.setup.options.zip_forward)
        {
            self.agenda.cancels.push_back(at);
            at = self.slots[at].next_output;
        }
        self.object(index).suspended = at;
    }

    /// Cancel one message that an object of this node had sent.
    fn cancel(&mut self, slot: u32) {
        let held = &self.slots[slot];
        let Message { sender, receiver, send, receive, .. } = held.message;
        match (held.status, held.peer) {
            (Status::Vanished, _) => return self.slots.remove(slot),
            (Status::Copy | Status::Passed, node) => self.cancel_elsewhere(slot, node),
            _ => {
                // It is here, so its receiver's part is.
                let Ok(receiver) = self.route(receiver, receive) else { return };
                self.cancel_here(slot, receiver);
            }
        }
        if self.setup.options.penalty > 0
            && let Ok(index) = self.route(sender, send)
        {
            self.object(index).pace.cancellations += self.setup.options.penalty;
        }
    }

    fn cancel_elsewhere(&mut self, slot: u32, node: u16) {
        let reference = self.reference(slot);
        let passed = self.slots[slot].status == Status::Passed;
        self.slots.remove(slot);
        if self.links.outbox.take_back(node, flight_time(&reference, passed), reference.copy) {
            self.tally(reference.sender, reference.send).unsent += 1;
            self.totals.counters.unsent += 1;
            self.totals.counters.off_node -= u64::from(!passed);
            return;
        }
        self.tally(reference.sender, reference.send).anti_sent += 1;
        self.post(node, Packet::Anti(reference));
    }

    fn cancel_here(&mut self, slot: u32, receiver: u32) {
        let Message { sender, send, .. } = self.slots[slot].message;
        self.tally(sender, send).anti_sent += 1;
        self.object(receiver).rare.anti_received += 1;
        let passage =
            Passage { kind: Passing::Anti, bytes: 0, ..Passage::of(&self.slots[slot].message) };
        self.watch.within_node(passage);
        self.annihilate(receiver, slot);
    }

    /// A message and its anti-message have met at its receiver.
    fn annihilate(&mut self, receiver: u32, slot: u32) {
        self.object(receiver).rare.annihilated += 1;
        self.withdraw(receiver, slot);
    }

    /// Take a message away from its receiver, undoing what it has done with it. Its entry in the
    /// pending set stays, and when its time comes up calls for what the abandoned event had sent.
    pub(super) fn withdraw(&mut self, receiver: u32, slot: u32) {
        if self.slots[slot].status == Status::Taken {
            self.roll_back(receiver, self.slots[slot].message.receive);
        }
        debug_assert_eq!(self.slots[slot].status, Status::Pending);
        self.slots[slot].status = Status::Dead;
        self.agenda.dead += 1;
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
        self.check_object(from, message.receiver)?;
        if message.receive <= self.gvt.now
            || message.receive > VirtualTime::POSINF
            || copy.serial == 0
        {
            return Err(protocol(
                from,
                format!("an event for {}, which is impossible", message.receive),
            ));
        }
        let may_pass = self.arrivals_may_pass();
        let channel = self.links.received(from);
        if may_pass && channel.get(copy.serial) == Known::Early {
            channel.remove(copy.serial);
            self.tally(message.receiver, message.receive).annihilate_early();
            return Ok(());
        }
        let index = match self.route(message.receiver, message.receive) {
            Ok(index) => index,
            Err(to) => return self.pass_arrival_on(from, to, message, copy),
        };
        if self.budget.is_bounded() && self.has_no_room_for(&message) {
            let reference = reference_of(&message, copy);
            let object = self.object(index);
            object.received += 1;
            object.rare.returns_sent += 1;
            self.post(from, Packet::Return(reference));
            return Ok(());
        }
        let slot = self.slots.add(message, Status::Pending, copy.serial, from);
        // A received message has no sender here: the link is free to hold its sender's slot.
        self.slots[slot].next_output = copy.slot;
        self.links.received(from).insert(copy.serial, slot);
        self.deliver_soon(index, slot);
        Ok(())
    }

    /// An anti-message from another node.
    pub(super) fn take_anti(&mut self, from: u16, reference: &Reference) -> Result<(), RunError> {
        self.check_object(from, reference.receiver)?;
        let serial = reference.copy.serial;
        let received = self.links.received(from);
        let known = received.get(serial);
        match known {
            Known::Slot(slot) => {
                received.remove(serial);
                if self.slots[slot].status == Status::Passed {
                    self.pass_anti_on(slot);
                    return Ok(());
                }
                let index =
                    self.index_of(from, reference.receiver, self.slots[slot].message.receive)?;
                self.object(index).rare.anti_received += 1;
                self.annihilate(index, slot);
            }
            // Its message was sent back, or has been overtaken: it will come (again).
            Known::Nothing => {
                received.insert_early(serial);
                self.tally(reference.receiver, reference.receive).anti_received += 1;
            }
            Known::Early => return Err(protocol(from, "a second copy of an anti-message")),
        }
        Ok(())
    }

    /// A message of ours has come back.
    pub(super) fn take_return(&mut self, from: u16, reference: &Reference) -> Result<(), RunError> {
        self.check_object(from, reference.sender)?;
        if !self.is_copy(from, reference) {
            // It has been cancelled meanwhile: it goes out again to meet its anti-message.
            let sender = self.tally(reference.sender, reference.send);
            sender.returns_received += 1;
            sender.sent_apart += 1;
            self.post(from, Packet::Again(*reference));
            return Ok(());
        }
        if self.pass_return_on(reference) {
            return Ok(());
        }
        self.tally(reference.sender, reference.send).returns_received += 1;
        self.slots[reference.copy.slot].status = Status::Vanished;
        // Where its sender's part has moved the event is undone already, and the copy only waits to
        // be cancelled.
        if let Ok(index) = self.route(reference.sender, reference.send) {
            self.come_back(index, reference.send);
        }
        Ok(())
    }

    /// A message comes a second time, to meet its anti-message.
    pub(super) fn take_again(&mut self, from: u16, reference: &Reference) -> Result<(), RunError> {
        self.check_object(from, reference.receiver)?;
        let received = self.links.received(from);
        if received.get(reference.copy.serial) != Known::Early {
            return Err(protocol(from, "a second copy of a message that was not cancelled"));
        }
        received.remove(reference.copy.serial);
        self.tally(reference.receiver, reference.receive).annihilate_early();
        Ok(())
    }

    /// Whether the negative copy of this message is still here.
    fn is_copy(&self, to: u16, reference: &Reference) -> bool {
        self.slots.get(reference.copy.slot).is_some_and(|slot| {
            matches!(slot.status, Status::Copy | Status::Passed)
                && slot.serial == reference.copy.serial
                && slot.peer == to
        })
    }

    /// How another node can be told of a message.
    pub(super) fn reference(&self, slot: u32) -> Reference {
        let held = &self.slots[slot];
        let is_sent = matches!(held.status, Status::Copy | Status::Passed);
        let copy_slot = if is_sent { slot } else { held.next_output };
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

/// What GVT must not pass while this message is on its way.
pub(super) fn flight_time(reference: &Reference, passed: bool) -> VirtualTime {
    if passed { reference.receive.just_before() } else { reference.send }
}
