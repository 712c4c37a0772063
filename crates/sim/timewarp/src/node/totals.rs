//! What a node has done, added up.

use crate::{NodeCounters, Outcome, VirtualTime};

pub(super) struct Totals {
    pub counters: NodeCounters,
    /// Events executed, those undone included.
    pub started: u64,
    /// Of these undone.
    pub undone: u64,
    /// Events committed.
    pub committed: u64,
    pub final_time: f64,
    pub trace_digest: u64,
    /// Messages of the configuration to objects here.
    pub tells: u64,
}

impl Totals {
    pub fn new() -> Totals {
        Totals {
            counters: NodeCounters::default(),
            started: 0,
            undone: 0,
            committed: 0,
            final_time: VirtualTime::NEGINF.simtime(),
            trace_digest: 0,
            tells: 0,
        }
    }

    /// An event is committed.
    #[inline]
    pub fn commit(&mut self, time: VirtualTime, digest: u64) {
        self.committed += 1;
        self.final_time = self.final_time.max(time.simtime());
        // A sum, so that nodes can commit parts of one object without telling each other.
        self.trace_digest = self.trace_digest.wrapping_add(digest);
    }

    /// What of it is part of the result.
    pub fn outcome(&self) -> Outcome {
        Outcome {
            tells: self.tells,
            final_time: self.final_time,
            trace_digest: self.trace_digest,
            ..Outcome::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_commitment_does_not_matter() {
        let events = [(3.0, u64::MAX), (1.0, 7), (2.0, 1)];
        let total = |order: [usize; 3]| {
            let mut totals = Totals::new();
            for at in order {
                totals.commit(VirtualTime::at(events[at].0), events[at].1);
            }
            (totals.committed, totals.outcome())
        };
        assert_eq!(total([0, 1, 2]), total([2, 0, 1]));
        assert_eq!((total([0, 1, 2]).1.final_time, total([0, 1, 2]).1.trace_digest), (3.0, 7));
    }
}
