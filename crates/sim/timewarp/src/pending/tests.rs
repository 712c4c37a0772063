//! The pending set against a sorted one.

use super::{Entry, Pending};
use crate::{ObjectId, Random, VirtualTime};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn entry(simtime: f64, seq: u32, object: u32, slot: u32) -> Entry {
    Entry { time: VirtualTime::new(simtime, seq, 0), object: ObjectId(object), slot }
}

/// Do the same to both; every answer must be the same.
struct Twins {
    pending: Pending,
    sorted: BTreeSet<Entry>,
}

impl Twins {
    fn new() -> Twins {
        Twins { pending: Pending::new(), sorted: BTreeSet::new() }
    }

    fn push(&mut self, entry: Entry) {
        if self.sorted.insert(entry) {
            self.pending.push(entry);
        }
    }

    fn pop(&mut self) -> Option<Entry> {
        assert_eq!(self.pending.peek(), self.sorted.first().copied());
        assert_eq!(self.pending.pop(), self.sorted.first().copied());
        assert_eq!(self.pending.len() + 1, self.sorted.len().max(1));
        self.sorted.pop_first()
    }

    fn drain(&mut self) {
        while self.pop().is_some() {}
        assert_eq!(self.pending.len(), 0);
    }
}

proptest! {
    #[test]
    fn any_additions_and_removals_come_out_in_order(
        steps in prop::collection::vec(
            (prop::bool::weighted(0.6), -5i32..2000, 0u32..3, 0u32..4), 1..3000),
        scale in prop::sample::select(vec![1.0, 1e-12, 1e5, 0.1]),
    ) {
        let mut twins = Twins::new();
        for (slot, (push, time, seq, object)) in (0..).zip(steps) {
            if push {
                twins.push(entry(f64::from(time) * scale, seq, object, slot));
            } else {
                twins.pop();
            }
        }
        twins.drain();
    }
}

#[test]
fn a_large_set_that_lives_on_comes_out_in_order() {
    let mut random = Random::new(7, 0);
    let mut twins = Twins::new();
    for slot in 0..20_000 {
        twins.push(entry(random.exponential(1.0), 0, slot % 100, slot));
    }
    for slot in 20_000..120_000 {
        let now = twins.pop().unwrap().time;
        // Now and then a rollback: something goes back a little.
        let delay = if slot % 50 == 0 { -random.uniform() } else { random.exponential(1.0) };
        twins.push(entry(now.simtime() + delay, 0, slot % 100, slot));
    }
    twins.drain();
}

#[test]
fn extreme_times_come_out_in_order() {
    let mut twins = Twins::new();
    let times =
        [-999_999_999.0, 999_999_999.0, 0.0, 1e-300, 5e-324, -1e-300, 1.0, f64::MIN_POSITIVE];
    for (slot, time) in (0..400).zip(times.iter().cycle()) {
        twins.push(entry(*time, slot % 3, slot % 7, slot));
    }
    twins.drain();
    for slot in 0..1000 {
        twins.push(entry(5.0, 0, slot % 10, slot));
    }
    twins.drain();
}
