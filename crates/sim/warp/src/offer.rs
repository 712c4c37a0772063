//! Offering the core to others while there is nothing to do.
//!
//! With more nodes than cores, what a node waits for is often done by one that has no core, and
//! `sched_yield` hands it over at once, without the cost of a sleep and a wake. But who yields goes
//! behind everybody for a whole slice of the scheduler, some milliseconds: beside a program that is
//! always busy, each wait would take one. Who sleeps instead is woken before that program's slice
//! is over, as it has used less than its share.

use std::time::{Duration, Instant};

/// No node works for so long without looking: somebody else had the core.
const LONG: Duration = Duration::from_millis(1);
/// How long nothing is offered after that.
const NO_MORE: Duration = Duration::from_millis(200);

/// Whether a thread offers its core.
#[derive(Debug, Default)]
pub(crate) struct Offer {
    not_before: Option<Instant>,
}

impl Offer {
    /// Let others have the core, if it lately came back soon. `false`: sleep instead.
    pub fn make(&mut self) -> bool {
        let now = Instant::now();
        if self.is_withheld(now) {
            return false;
        }
        std::thread::yield_now();
        self.took(now, Instant::now())
    }

    fn is_withheld(&self, now: Instant) -> bool {
        self.not_before.is_some_and(|moment| now < moment)
    }

    fn took(&mut self, from: Instant, to: Instant) -> bool {
        let long = to - from > LONG;
        self.not_before = long.then(|| to + NO_MORE);
        !long
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_that_came_back_late_is_not_offered_for_a_while() {
        let (mut offer, begun) = (Offer::default(), Instant::now());
        assert!(offer.took(begun, begun + LONG));
        assert!(!offer.is_withheld(begun + LONG));
        let late = begun + 4 * LONG;
        assert!(!offer.took(begun, late));
        assert!(offer.is_withheld(late) && offer.is_withheld(late + NO_MORE / 2));
        let over = late + NO_MORE;
        assert!(!offer.is_withheld(over));
        assert!(offer.took(over, over + LONG / 2) && !offer.is_withheld(over));
    }
}
