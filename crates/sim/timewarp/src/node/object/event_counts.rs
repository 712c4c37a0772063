//! What is counted of an object at every event.

/// Counted when an event begins or sends, and when it is committed.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::node) struct EventCounts {
    pub started: u64,
    /// Messages sent, those of events undone later included.
    pub sent: u64,
    /// Committed events.
    pub events: u64,
    /// Messages that they consumed, or the termination section.
    pub messages: u64,
    /// Sends that they made, dropped ones included.
    pub committed_sends: u64,
}

impl EventCounts {
    /// An event is committed.
    #[inline]
    pub fn commit(&mut self, messages: u32, sends: u32) {
        self.events += 1;
        self.messages += u64::from(messages);
        self.committed_sends += u64::from(sends);
    }
}
