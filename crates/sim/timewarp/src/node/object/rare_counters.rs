//! What is counted of an object less often than at every event.

use crate::Counters;

/// Counters of what few events do.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::node) struct RareCounters {
    pub failed: u64,
    /// Events before which its state was not copied.
    pub uncopied: u64,
    pub matched: u64,
    pub unsent: u64,
    pub drops: u64,
    pub anti_sent: u64,
    pub anti_received: u64,
    pub annihilated: u64,
    pub returns_sent: u64,
    pub returns_received: u64,
    pub rollbacks: u64,
    pub undone: u64,
    pub spent_ns: u64,
    pub undone_ns: u64,
    /// 1 where it was made, 0 where a part of it came.
    pub created: u64,
    /// Messages that met their end here although the object was elsewhere: received, and sent.
    pub received_apart: u64,
    pub sent_apart: u64,
    /// Parts that went to another node, and what went with them.
    pub migrations: u64,
    pub moved_inputs: u64,
    pub resent_states: u64,
}

impl RareCounters {
    /// Time of its event sections that are not undone, ns. It falls when events of an earlier look
    /// are undone.
    pub fn effective_ns(&self) -> i64 {
        self.spent_ns as i64 - self.undone_ns as i64
    }

    /// A message for it is annihilated by an anti-message that came before.
    pub fn annihilate_early(&mut self) {
        self.received_apart += 1;
        self.annihilated += 1;
    }

    /// What it says by itself, of an object that is not here.
    pub fn counters(&self) -> Counters {
        Counters {
            positive_sent: self.sent_apart.wrapping_sub(self.unsent),
            anti_sent: self.anti_sent,
            positive_received: self.received_apart,
            anti_received: self.anti_received,
            annihilated: self.annihilated,
            states_saved: self.created,
            states_committed: self.created,
            sends: self.sent_apart + self.matched,
            returns_sent: self.returns_sent,
            returns_received: self.returns_received,
            committed_drops: self.drops,
            rollbacks: self.rollbacks,
            undone: self.undone,
            spent_ns: self.spent_ns,
            undone_ns: self.undone_ns,
            migrations: self.migrations,
            moved_states: self.migrations,
            moved_inputs: self.moved_inputs,
            resent_states: self.resent_states,
            ..Counters::default()
        }
    }
}
