//! Calls at one end that overlap in time, so that it is not known which of them came first.
//!
//! Bytes of calls that do not overlap are in the order of these calls. Those of a crowd lie
//! together, and nothing is known of their order among each other; before and behind it all is as
//! if there were none.

use std::collections::VecDeque;

/// The crowds of one end.
#[derive(Clone, Debug)]
pub(crate) struct Crowds {
    /// Stretches of time, in order and apart: calls that returned within one, but not at its
    /// beginning, are a crowd.
    spans: VecDeque<(i64, i64)>,
    last_exit: i64,
}

impl Crowds {
    /// None yet.
    pub fn new() -> Crowds {
        Crowds { spans: VecDeque::new(), last_exit: i64::MIN }
    }

    /// A call, in the order in which calls returned.
    pub fn add(&mut self, enter: i64, exit: i64) {
        if enter < self.last_exit {
            let mut from = enter;
            while let Some((before, _)) = self.spans.back().filter(|(_, until)| *until > enter) {
                from = from.min(*before);
                self.spans.pop_back();
            }
            self.spans.push_back((from, exit));
        }
        self.last_exit = self.last_exit.max(exit);
    }

    /// Whether the call that returned then is one of a crowd, as far as is known.
    pub fn has(&self, exit: i64) -> bool {
        let at = self.spans.partition_point(|(_, until)| *until < exit);
        self.spans.get(at).is_some_and(|(from, _)| *from < exit)
    }

    /// Nothing that returned before is asked for again.
    pub fn forget(&mut self, before: i64) {
        while self.spans.front().is_some_and(|(_, until)| *until < before) {
            self.spans.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_call_is_in_a_crowd_where_it_overlaps_another(
            calls in proptest::collection::vec((0..60i64, 1..12i64), 1..12),
        ) {
            let mut calls: Vec<(i64, i64)> = calls.iter().map(|(at, by)| (*at, at + by)).collect();
            calls.sort_by_key(|(_, exit)| *exit);
            calls.dedup_by_key(|(_, exit)| *exit);
            let mut crowds = Crowds::new();
            calls.iter().for_each(|(enter, exit)| crowds.add(*enter, *exit));
            for (at, (enter, exit)) in calls.iter().enumerate() {
                let overlaps = calls.iter().enumerate().any(|(other, (from, until))| {
                    other != at && from < exit && enter < until
                });
                prop_assert_eq!(crowds.has(*exit), overlaps, "{:?} of {:?}", (enter, exit), calls);
            }
        }
    }
}
