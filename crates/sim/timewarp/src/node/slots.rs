//! Where a node's messages lie: one slab, with links, so that queues are chains through it and
//! nothing is allocated for a message.

use crate::cost::Cost;
use crate::pending::Entry;
use crate::{Message, Payload};

/// No slot, no history, no object.
pub(super) const NONE: u32 = u32::MAX;

/// What a slot's message is to the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// No message.
    Free,
    /// For an object of this node, and in the pending set.
    Pending,
    /// For an object of this node, and handled by an event that may yet be undone.
    Taken,
    /// Annihilated; its entry in the pending set is still to be met.
    Dead,
    /// The negative copy of a message to another node.
    Copy,
    /// A negative copy whose positive one came back.
    Vanished,
    /// A message that was here, or came here, and has been passed on to its receiver's new node:
    /// what cancels it, or what brings it back, takes the same way.
    Passed,
}

pub(super) struct Slot<P> {
    pub message: Message<P>,
    /// The next message of the bundle that handled this one.
    pub next_input: u32,
    /// The next message that the same event sent.
    pub next_output: u32,
    /// Its number between two nodes; 0 for a message within the node.
    pub serial: u64,
    pub status: Status,
    /// The other of these two nodes.
    pub peer: u16,
}

pub(super) struct Slots<P> {
    slots: Vec<Slot<P>>,
    free: Vec<u32>,
    cost: Cost,
}

impl<P: Payload> Slots<P> {
    pub fn new() -> Slots<P> {
        Slots { slots: Vec::new(), free: Vec::new(), cost: Cost::default() }
    }

    /// Bytes of all messages here, with their entries in the pending set.
    pub fn cost(&self) -> usize {
        self.cost.bytes()
    }

    #[inline]
    pub fn add(&mut self, message: Message<P>, status: Status, serial: u64, peer: u16) -> u32 {
        self.cost.add(message_bytes(&message));
        let Some(at) = self.free.pop() else {
            self.slots.push(Slot {
                message,
                next_input: NONE,
                next_output: NONE,
                serial,
                status,
                peer,
            });
            return (self.slots.len() - 1) as u32;
        };
        let slot = &mut self.slots[at as usize];
        slot.message = message;
        (slot.next_input, slot.next_output) = (NONE, NONE);
        (slot.serial, slot.status, slot.peer) = (serial, status, peer);
        at
    }

    #[inline]
    pub fn remove(&mut self, at: u32) {
        let slot = &mut self.slots[at as usize];
        debug_assert_ne!(slot.status, Status::Free);
        slot.status = Status::Free;
        self.cost.take(message_bytes(&slot.message));
        self.free.push(at);
    }

    /// The slot, if there is one with this number: what another node says is not to be trusted.
    pub fn get(&self, at: u32) -> Option<&Slot<P>> {
        self.slots.get(at as usize)
    }

    /// Slots that hold a message for an object of this node.
    pub fn inputs(&self) -> impl Iterator<Item = (u32, &Slot<P>)> {
        let alive = |slot: &Slot<P>| matches!(slot.status, Status::Pending | Status::Taken);
        (0..).zip(&self.slots).filter(move |(_, slot)| alive(slot))
    }

    /// The last slot of a chain of outputs.
    pub fn last_output(&self, mut at: u32) -> u32 {
        while self[at].next_output != NONE {
            at = self[at].next_output;
        }
        at
    }
}

/// What a message counts for.
#[inline]
pub(crate) fn message_bytes<P: Payload>(message: &Message<P>) -> usize {
    size_of::<Slot<P>>() + size_of::<Entry>() + message.payload.heap_bytes()
}

impl<P> std::ops::Index<u32> for Slots<P> {
    type Output = Slot<P>;

    #[inline]
    fn index(&self, at: u32) -> &Slot<P> {
        &self.slots[at as usize]
    }
}

impl<P> std::ops::IndexMut<u32> for Slots<P> {
    #[inline]
    fn index_mut(&mut self, at: u32) -> &mut Slot<P> {
        &mut self.slots[at as usize]
    }
}
