//! An object as its node keeps it.

use super::slots::NONE;
use crate::{Counters, Digest, VirtualTime};

/// In order of use: a message for the object touches the first cache line, an event and its commitment the second one as
/// well. What follows is for rarer occasions.
#[repr(C, align(64))]
pub(super) struct Object<S> {
    /// The time of its latest event that is not undone.
    pub now: VirtualTime,
    /// Its latest record.
    pub newest: u32,
    /// Its oldest record that is not committed.
    pub oldest: u32,
    /// Its oldest record of all: what copies of states further on are computed from.
    pub base: u32,
    /// Messages of undone events, in order of send time: run again, an event may send them again.
    pub suspended: u32,
    pub received: u64,
    pub state: S,
    pub digest: Digest,
    /// The time of its latest committed event.
    pub committed: VirtualTime,
    pub started: u64,
    pub sent: u64,
    pub events: u64,
    pub messages: u64,
    pub committed_sends: u64,
    /// Its earliest entry among those that are held back, if any is.
    pub held_from: VirtualTime,
    /// Events since the last copy of its state.
    pub since_copy: u32,
    /// Bytes that its state holds outside itself, as last counted.
    pub state_heap: usize,
    pub pace: Pace,
    /// What is counted less often than at every event.
    pub rare: Rarely,
}

/// Counters of what few events do.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rarely {
    pub failed: u64,
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
}

/// What penalties and throttling go by; not kept up when there are none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    /// Penalty not yet worked off.
    pub cancellations: u32,
    /// Events not committed.
    pub events: u32,
    /// Messages sent by them.
    pub outputs: u32,
    /// Events committed since the allowance was last computed.
    pub committed: u32,
    /// Events that it may run ahead.
    pub allowance: f64,
    /// The GVT round of the allowance.
    pub round: u64,
}

impl Pace {
    pub fn executed(&mut self, outputs: u32) {
        self.events += 1;
        self.outputs += outputs;
        self.allowance -= 1.0;
    }

    pub fn undone(&mut self, outputs: u32) {
        self.events = self.events.saturating_sub(1);
        self.outputs = self.outputs.saturating_sub(outputs);
        self.allowance += 1.0;
    }

    pub fn committed(&mut self, outputs: u32) {
        self.events -= 1;
        self.outputs -= outputs;
        self.committed += 1;
    }
}

impl<S> Object<S> {
    pub fn new(state: S, state_heap: usize) -> Object<S> {
        Object {
            now: VirtualTime::NEGINF,
            newest: NONE,
            oldest: NONE,
            suspended: NONE,
            held_from: VirtualTime::INVALID,
            state,
            digest: Digest::new(0),
            committed: VirtualTime::NEGINF,
            base: NONE,
            since_copy: 0,
            state_heap,
            pace: Pace::default(),
            rare: Rarely::default(),
            received: 0,
            started: 0,
            sent: 0,
            events: 0,
            messages: 0,
            committed_sends: 0,
        }
    }

    /// Whether it has records, all of them of committed events.
    pub fn is_all_committed(&self) -> bool {
        self.base != NONE && self.oldest == NONE
    }

    /// What it did, as the statistics have it.
    pub fn counters(&self) -> Counters {
        let Rarely { failed, matched, unsent, drops, rollbacks, undone, .. } = self.rare;
        let completed = self.started - failed;
        Counters {
            positive_sent: self.sent - unsent,
            anti_sent: self.rare.anti_sent,
            positive_received: self.received,
            anti_received: self.rare.anti_received,
            messages: self.messages,
            started: self.started,
            completed,
            events: self.events,
            annihilated: self.rare.annihilated,
            states_saved: completed + 1,
            states_committed: self.events + 1,
            sends: self.sent + matched,
            returns_sent: self.rare.returns_sent,
            returns_received: self.rare.returns_received,
            committed_sends: self.committed_sends,
            committed_drops: drops,
            rollbacks,
            undone,
        }
    }
}
