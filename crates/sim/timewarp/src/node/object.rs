//! An object as its node keeps it.

use super::slots::NONE;
use crate::{Counters, VirtualTime};
use chain::Chain;
use copying::Copying;
use event_counts::EventCounts;
use extent::Extent;
use pace::Pace;
use rare_counters::RareCounters;
use utilisation::Utilisation;

mod chain;
pub(super) mod copying;
mod event_counts;
pub(super) mod extent;
mod pace;
pub(super) mod rare_counters;
mod utilisation;

/// In order of use: a message for the object touches the first cache line, an event and its
/// commitment the second one as well. What follows is for rarer occasions.
#[repr(C, align(64))]
pub(super) struct Object<S> {
    /// The time of its latest event that is not undone.
    pub now: VirtualTime,
    pub records: Chain,
    /// Messages of undone events, in order of send time: run again, an event may send them again.
    pub suspended: u32,
    pub received: u64,
    pub state: S,
    /// The time of its latest committed event.
    pub committed: VirtualTime,
    pub counts: EventCounts,
    /// Its earliest entry among those that are held back, if any is.
    pub held_from: VirtualTime,
    /// When its state is copied.
    pub copying: Copying,
    /// Bytes that its state holds outside itself, as last counted.
    pub state_heap: usize,
    /// What is here of it.
    pub extent: Extent,
    pub utilisation: Utilisation,
    pub pace: Pace,
    pub rare: RareCounters,
}

impl<S> Object<S> {
    pub fn new(state: S, state_heap: usize) -> Object<S> {
        Object {
            now: VirtualTime::NEGINF,
            records: Chain::EMPTY,
            suspended: NONE,
            received: 0,
            state,
            committed: VirtualTime::NEGINF,
            counts: EventCounts::default(),
            held_from: VirtualTime::INVALID,
            copying: Copying::every(1),
            state_heap,
            extent: Extent::WHOLE,
            utilisation: Utilisation::default(),
            pace: Pace::default(),
            rare: RareCounters { created: 1, ..RareCounters::default() },
        }
    }

    /// What it did, as the statistics have it.
    pub fn counters(&self) -> Counters {
        let EventCounts { started, sent, events, messages, committed_sends } = self.counts;
        let completed = started - self.rare.failed;
        let mut counters = self.rare.counters();
        counters.add(&Counters {
            positive_sent: sent,
            positive_received: self.received,
            messages,
            started,
            completed,
            events,
            states_saved: completed,
            states_committed: events,
            copies: started - self.rare.uncopied,
            sends: sent,
            committed_sends,
            ..Counters::default()
        });
        counters
    }
}
