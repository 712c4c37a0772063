//! Messages to nodes that receive from anybody, or with any tag: who takes which is decided anew
//! when the program is played.

use machine::Table;

/// What a message and the receive that it was recorded with go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    pub communicator: u32,
    pub tag: i32,
    /// The receive takes any source.
    pub any_source: bool,
    /// It takes any tag.
    pub any_tag: bool,
}

impl Envelope {
    /// Whether the receive takes what comes first.
    pub fn is_open(&self) -> bool {
        self.any_source || self.any_tag
    }
}

/// All messages of each node and communicator in which any receive is open, by their numbers: a
/// receive that is not may get another message, too, once another receive has taken its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wildcards {
    envelopes: Table<Envelope>,
}

impl Wildcards {
    pub fn add(&mut self, message: u32, envelope: Envelope) {
        self.envelopes.insert(message.into(), envelope);
    }

    pub fn is_empty(&self) -> bool {
        self.envelopes.is_empty()
    }

    /// `None`: it is taken by the receive that it was recorded with.
    pub fn envelope(&self, message: u32) -> Option<&Envelope> {
        self.envelopes.get(&message.into())
    }
}
