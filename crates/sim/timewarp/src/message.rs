//! Messages, and the bundle of them that one event handles.

use crate::{ObjectId, Payload, VirtualTime};
use std::cmp::Ordering;

/// A message from one object to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Message<P> {
    /// When it is to be handled.
    pub receive: VirtualTime,
    /// When it was sent.
    pub send: VirtualTime,
    /// Who sent it; [`ObjectId::CONFIGURATION`] for a configuration message.
    pub sender: ObjectId,
    /// Whom it is for.
    pub receiver: ObjectId,
    /// What the model means by it.
    pub selector: i32,
    /// Which send of its event it was; the line number of a configuration message.
    pub counter: u32,
    /// What it carries.
    pub payload: P,
}

impl<P: Payload> Message<P> {
    /// The order within a bundle: selector, payload, and for messages that are equal in those the
    /// sender's number, the send time, the count of the send.
    pub fn order(&self, other: &Message<P>) -> Ordering {
        self.selector
            .cmp(&other.selector)
            .then_with(|| self.payload.order(&other.payload))
            .then_with(|| self.sender.rank().cmp(&other.sender.rank()))
            .then_with(|| self.send.cmp(&other.send))
            .then_with(|| self.counter.cmp(&other.counter))
    }
}

/// All messages for one object at one virtual time, in canonical order.
#[derive(Debug)]
pub struct Bundle<'a, P> {
    messages: &'a [&'a Message<P>],
}

impl<P> Clone for Bundle<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Bundle<'_, P> {}

impl<'a, P> Bundle<'a, P> {
    /// Of these messages, which are in order.
    #[inline]
    pub(crate) fn new(messages: &'a [&'a Message<P>]) -> Bundle<'a, P> {
        Bundle { messages }
    }

    /// How many there are: at least one in an event.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether there are none, which happens in a termination section only.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The messages, in order.
    pub fn iter(&self) -> impl Iterator<Item = &'a Message<P>> + Clone + use<'a, P> {
        self.messages.iter().copied()
    }

    /// The first message.
    ///
    /// # Panics
    /// When there is none: in a termination section.
    pub fn first(&self) -> &'a Message<P> {
        self.messages[0]
    }
}
