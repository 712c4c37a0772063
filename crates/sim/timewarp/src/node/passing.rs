//! Messages passed on: from a node that had their receiver to the node that has it.
//!
//! To the next node a message that is passed on is like one that was sent here, with a number of
//! its own on that way; and here is noted whose it was. So an anti-message, or the message itself
//! when it comes back, takes the same way, one node after another, and each pair of nodes keeps to
//! the rules that it keeps to anyway. What is passed on is counted where it ends, as if it had
//! never been here.

use super::Node;
use super::cancel::flight_time;
use super::slots::{NONE, Status};
use crate::{Handle, Message, Model, Packet, Reference, RunError, VirtualTime, Watch, Whereabouts};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// What is remembered of messages passed on.
#[derive(Default)]
pub(super) struct Passings {
    /// By send time: their slots, and their numbers at the next node. Some are over already.
    by_time: BinaryHeap<Reverse<(VirtualTime, u32, u64)>>,
    /// Of those that had come from another node: from where, and what that node calls them.
    from: BTreeMap<u32, (u16, Handle)>,
}

impl<M: Model, W: Watch> Node<'_, M, W> {
    /// A message has come for an object whose part is elsewhere. Who sent it here is told.
    pub(super) fn pass_arrival_on(
        &mut self,
        from: u16,
        to: u16,
        message: Message<M::Payload>,
        copy: Handle,
    ) -> Result<(), RunError> {
        if !self.setup.may_move {
            return Err(super::protocol(
                from,
                format!("a message for object {}", message.receiver.0),
            ));
        }
        if let Some(stay) = self.moving.atlas.stay(message.receiver, message.receive) {
            let (object, begin, version) = (message.receiver, stay.begin, stay.version);
            self.post(from, Packet::Whereabouts(Whereabouts { object, begin, version, node: to }));
        }
        let slot = self.slots.add(message, Status::Pending, copy.serial, from);
        self.slots[slot].next_output = copy.slot;
        self.links.received(from).insert(copy.serial, slot);
        self.pass_on(slot, to);
        Ok(())
    }

    /// Pass a message on that is not in the pending set, or not any more.
    pub(super) fn pass_on(&mut self, slot: u32, to: u16) {
        self.totals.counters.passed_on += 1;
        let serial = self.links.number(to);
        let held = &mut self.slots[slot];
        let message = held.message.clone();
        let came = (held.serial != 0)
            .then_some((held.peer, Handle { slot: held.next_output, serial: held.serial }));
        (held.status, held.peer, held.serial) = (Status::Passed, to, serial);
        if let Some(came) = came {
            self.moving.passings.from.insert(slot, came);
        }
        let mut copy = Handle { slot, serial };
        if message.send < self.gvt.now {
            // It can no longer be cancelled, nor come back.
            self.forget_passing(slot);
            copy.slot = NONE;
        } else {
            self.moving.passings.by_time.push(Reverse((message.send, slot, serial)));
        }
        self.post(to, Packet::Passed { message, copy });
    }

    /// GVT has moved: what was sent before it can no longer be cancelled. (At GVT itself it can: by
    /// an event there that has yet to be run again.)
    pub(super) fn forget_passings(&mut self) {
        while let Some(Reverse((send, slot, serial))) = self.moving.passings.by_time.peek().copied()
        {
            if send >= self.gvt.now {
                return;
            }
            self.moving.passings.by_time.pop();
            let held = &self.slots[slot];
            if held.status == Status::Passed && held.serial == serial && held.message.send == send {
                self.forget_passing(slot);
            }
        }
    }

    fn forget_passing(&mut self, slot: u32) {
        if let Some((node, copy)) = self.moving.passings.from.remove(&slot) {
            self.links.received(node).remove(copy.serial);
        }
        self.slots.remove(slot);
    }

    /// The anti-message of a message that came from another node and was passed on. Its number here
    /// is forgotten already.
    pub(super) fn pass_anti_on(&mut self, slot: u32) {
        let (reference, to) = (self.reference(slot), self.slots[slot].peer);
        self.moving.passings.from.remove(&slot);
        self.slots.remove(slot);
        if !self.links.outbox.take_back(to, flight_time(&reference, true), reference.copy) {
            self.post(to, Packet::Anti(reference));
            return;
        }
        // It had not left: so it ends here.
        let receiver = self.tally(reference.receiver, reference.receive);
        receiver.annihilate_early();
        receiver.anti_received += 1;
    }

    /// A message comes back that came from another node and was passed on: it goes on to there.
    /// `false`: it was sent here.
    pub(super) fn pass_return_on(&mut self, reference: &Reference) -> bool {
        let Some((node, copy)) = self.moving.passings.from.get(&reference.copy.slot).copied()
        else {
            return false;
        };
        self.forget_passing(reference.copy.slot);
        self.post(node, Packet::Return(Reference { copy, ..*reference }));
        true
    }
}
