//! An object as its node keeps it.

use super::slots::NONE;
use crate::{Counters, VirtualTime};

/// In order of use: a message for the object touches the first cache line, an event and its
/// commitment the second one as well. What follows is for rarer occasions.
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
    /// What is here of it is the part from here on ...
    pub begin: VirtualTime,
    /// ... and before this; [`VirtualTime::INVALID`]: to the end of time.
    pub end: VirtualTime,
    /// Effective work (not undone) at the last look at the load, ns; and the utilisation that this
    /// look found, per cent.
    pub looked_ns: i64,
    pub percent: f32,
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

impl Rarely {
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
            committed: VirtualTime::NEGINF,
            base: NONE,
            since_copy: 0,
            state_heap,
            begin: VirtualTime::NEGINF,
            end: VirtualTime::INVALID,
            looked_ns: 0,
            percent: 0.0,
            pace: Pace::default(),
            rare: Rarely { created: 1, ..Rarely::default() },
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
        let completed = self.started - self.rare.failed;
        let mut counters = self.rare.counters();
        counters.add(&Counters {
            positive_sent: self.sent,
            positive_received: self.received,
            messages: self.messages,
            started: self.started,
            completed,
            events: self.events,
            states_saved: completed,
            states_committed: self.events,
            sends: self.sent,
            committed_sends: self.committed_sends,
            ..Counters::default()
        });
        counters
    }
}
