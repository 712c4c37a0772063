//! Whether another interval was worth it: what events take in all, before and after.
//!
//! The formula knows what copies and events cost. It does not know what it costs that records stay
//! in memory until the next copy is committed, which with many objects can be more than the copies
//! that are saved. So each change is tried: it stays only if events become shorter by it.

use super::latest::{KEPT, Latest};

/// Looks at spans before anything is tried: a machine may be slow for one.
const LOOKS_MIN: u32 = 4;
/// An interval that saves less of what events take is not kept.
const WORTH: f64 = 0.95;
/// One that makes them so much longer is given up before it is known for all objects.
const WORSE: f64 = 1.5;

/// How long it takes to execute so many events, with all that goes with them.
#[derive(Default)]
pub(super) struct Spans {
    latest: Latest,
    begun_ns: Option<u64>,
    /// Spans until all objects have come to their new interval, and so many more are known.
    to_pass: u64,
    /// Spans since the last look.
    since: usize,
    /// Looks since what was changed shows in full, and the least that they found.
    looks: u32,
    least_ns: f64,
}

impl Spans {
    /// A span begins now, and the one before is over. Whether it is time for a look.
    pub fn mark(&mut self, now_ns: u64) -> bool {
        if let Some(begun_ns) = self.begun_ns.replace(now_ns) {
            self.latest.add(now_ns.saturating_sub(begun_ns));
        }
        self.to_pass = self.to_pass.saturating_sub(1);
        self.since += 1;
        self.since >= KEPT
    }

    /// What spans take now; `None`: too few are known.
    pub fn look(&mut self) -> Option<f64> {
        self.since = 0;
        let span_ns = self.latest.usual()?;
        if self.are_settled() {
            self.least_ns = if self.looks == 0 { span_ns } else { self.least_ns.min(span_ns) };
            self.looks += 1;
        }
        Some(span_ns)
    }

    /// What spans take at best; `None`: too little is known.
    pub fn least(&self) -> Option<f64> {
        (self.looks >= LOOKS_MIN).then_some(self.least_ns)
    }

    /// Something is changed, which will show in full after so many spans.
    pub fn begin_again(&mut self, after: u64) {
        let to_pass = after + KEPT as u64;
        *self = Spans { begun_ns: self.begun_ns, to_pass, ..Spans::default() };
    }

    /// Whether what was changed shows in full.
    pub fn are_settled(&self) -> bool {
        self.to_pass == 0
    }
}

/// A change whose worth is not known yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Trial {
    /// The group that was changed.
    pub group: usize,
    /// Its interval before.
    pub before: u32,
    /// What spans took with that, at best.
    pub span_ns: f64,
}

impl Trial {
    /// Whether the change stays, now that spans take so long. `None`: they are not `settled`, and
    /// nothing speaks against it so far.
    pub fn was_worth(&self, span_ns: f64, settled: bool) -> Option<bool> {
        if span_ns > self.span_ns * WORSE {
            return Some(false);
        }
        settled.then_some(span_ns < self.span_ns * WORTH)
    }
}

/// How long a group is left alone after trials that were in vain.
pub(super) struct Patience {
    rest: u32,
    next: u32,
}

/// Looks after the first one.
const FIRST: u32 = 32;

impl Patience {
    pub fn new() -> Patience {
        Patience { rest: 0, next: FIRST }
    }

    /// A trial was in vain: twice as long as after the last one.
    pub fn lose(&mut self) {
        self.rest = self.next;
        self.next = self.next.saturating_mul(2);
    }

    /// Whether the group is to be left alone this time.
    pub fn waits(&mut self) -> bool {
        let waits = self.rest > 0;
        self.rest = self.rest.saturating_sub(1);
        waits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_due_after_so_many_spans_and_a_change_shows_in_full_later() {
        let (mut spans, mut now_ns) = (Spans::default(), 0);
        let mut mark = |spans: &mut Spans, ns: u64| {
            now_ns += ns;
            spans.mark(now_ns)
        };
        assert!((1..KEPT).all(|_| !mark(&mut spans, 500)));
        assert!(mark(&mut spans, 500) && spans.are_settled());
        assert_eq!(spans.look(), Some(500.0));
        spans.begin_again(10);
        assert_eq!(spans.look(), None, "what was before counts no more");
        assert!((1..KEPT).all(|_| !mark(&mut spans, 900)));
        assert!(mark(&mut spans, 900) && !spans.are_settled());
        assert_eq!(spans.look(), Some(900.0));
        assert!((1..KEPT).all(|_| !mark(&mut spans, 300)));
        assert!(mark(&mut spans, 300) && spans.are_settled());
        assert_eq!((spans.look(), spans.least()), (Some(300.0), None));
        for ns in [400, 250, 700] {
            (0..KEPT).for_each(|_| _ = mark(&mut spans, ns));
            spans.look();
        }
        assert_eq!(spans.least(), Some(250.0));
    }

    #[test]
    fn a_change_stays_if_events_are_clearly_shorter() {
        let trial = Trial { group: 0, before: 1, span_ns: 1000.0 };
        let judged =
            |settled| [900.0, 960.0, 1499.0, 1501.0].map(|ns| trial.was_worth(ns, settled));
        assert_eq!(judged(true), [true, false, false, false].map(Some));
        assert_eq!(judged(false), [None, None, None, Some(false)]);
    }

    #[test]
    fn each_trial_in_vain_makes_the_next_wait_twice_as_long() {
        let mut patience = Patience::new();
        let mut waits = || {
            patience.lose();
            (0..).take_while(|_| patience.waits()).count()
        };
        assert_eq!([waits(), waits(), waits()], [32, 64, 128]);
    }
}
