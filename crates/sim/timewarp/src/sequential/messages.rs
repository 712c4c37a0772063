//! The messages of a sequential run, in places that are used again.

use crate::Message;
use std::ops::Index;

/// Pending messages by slot.
pub(super) struct Messages<P> {
    slots: Vec<Message<P>>,
    free: Vec<u32>,
}

impl<P> Messages<P> {
    pub fn new() -> Messages<P> {
        Messages { slots: Vec::new(), free: Vec::new() }
    }

    /// Take in a message; returns its slot.
    #[inline]
    pub fn add(&mut self, message: Message<P>) -> u32 {
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = message;
                slot
            }
            None => {
                self.slots.push(message);
                (self.slots.len() - 1) as u32
            }
        }
    }

    /// The message in this slot is no longer needed.
    #[inline]
    pub fn remove(&mut self, slot: u32) {
        self.free.push(slot);
    }
}

impl<P> Index<u32> for Messages<P> {
    type Output = Message<P>;

    #[inline]
    fn index(&self, slot: u32) -> &Message<P> {
        &self.slots[slot as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ObjectId, VirtualTime};

    fn message(payload: u32) -> Message<u32> {
        Message {
            sender: ObjectId(0),
            receiver: ObjectId(1),
            send: VirtualTime::at(1.0),
            receive: VirtualTime::at(2.0),
            selector: 0,
            counter: 0,
            payload,
        }
    }

    #[test]
    fn a_free_place_is_used_again() {
        let mut messages = Messages::new();
        let (first, second) = (messages.add(message(1)), messages.add(message(2)));
        messages.remove(first);
        assert_eq!(messages.add(message(3)), first);
        assert_eq!((messages[first].payload, messages[second].payload), (3, 2));
        assert_eq!(messages.add(message(4)), 2);
    }
}
