//! Planted truth: runs whose slow messages have a known cause, or none.

use super::*;
use crate::accumulator::Position;
use crate::analysis::{By, Explained, Explanation, Known, Reason, Stage, Trait, What, Who};
use crate::columns::Columns;
use crate::filter::Filter;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use record::{Cause, CauseSpan, Field, Kind, NodeCauses, Values};

/// Messages of 2 µs from 0 to 1, one every 100 µs for 20 s.
const EVERY_NS: i64 = 100_000;
const MESSAGES: i64 = 200_000;
const USUAL_NS: i64 = 2_000;
const WINDOW_NS: i64 = 10_000_000;

/// A run in which some messages' receive waits are longer.
struct Planted {
    random: Pcg64Mcg,
    late: Vec<i64>,
    queue: Vec<i64>,
    causes: NodeCauses,
}

impl Planted {
    /// A clean run that was watched; other things than the planted happen at random.
    fn new(seed: u64) -> Planted {
        let mut planted = Planted {
            random: Pcg64Mcg::seed_from_u64(seed),
            late: vec![0; MESSAGES as usize],
            queue: vec![0; MESSAGES as usize],
            causes: NodeCauses { launch: 0, node: 1, spans: Vec::new() },
        };
        for window in 0..MESSAGES * EVERY_NS / WINDOW_NS {
            planted.window(window, Cause::Watched, 0);
            for (cause, often) in
                [(Cause::Interrupts, 0.3), (Cause::Preempted, 0.05), (Cause::SoftNet, 0.6)]
            {
                if planted.random.random_bool(often) {
                    planted.window(window, cause, 3);
                }
            }
        }
        planted
    }

    fn window(&mut self, window: i64, cause: Cause, amount: i64) {
        let from_ns = window * WINDOW_NS;
        self.causes.spans.push(CauseSpan { cause, from_ns, to_ns: from_ns + WINDOW_NS, amount });
    }

    /// From `at` on nothing is taken for `length_ns`.
    fn stand_still(&mut self, at_ns: i64, length_ns: i64) {
        let first = at_ns / EVERY_NS + 1;
        let held = (first..MESSAGES).take_while(|m| m * EVERY_NS < at_ns + length_ns);
        for (place, message) in (0..).zip(held) {
            self.late[message as usize] = at_ns + length_ns - message * EVERY_NS;
            self.queue[message as usize] = place;
        }
    }

    fn stand_still_at_random(&mut self, times: usize, length_ns: i64) {
        for _ in 0..times {
            let at = self.random_moment();
            self.stand_still(at, length_ns);
        }
    }

    fn random_moment(&mut self) -> i64 {
        self.random.random_range(WINDOW_NS..(MESSAGES - 1000) * EVERY_NS)
    }

    /// What is said of messages whose receive wait is between these.
    fn explain(self, range_ns: (i64, i64)) -> Explained {
        self.explanation(range_ns).groups.remove(0)
    }

    /// The same with the episodes that are explained by themselves.
    fn explanation(self, range_ns: (i64, i64)) -> Explanation {
        let ready: Vec<i64> = (0..MESSAGES).map(|m| m * EVERY_NS).collect();
        let arrived: Vec<i64> = ready.iter().map(|ready| ready + USUAL_NS).collect();
        let taken: Vec<i64> =
            arrived.iter().zip(&self.late).map(|(arrived, late)| arrived + 100 + late).collect();
        let seq: Vec<i64> = (0..MESSAGES).collect();
        let columns = Columns::new(MESSAGES as usize)
            .with(Field::Seq, Values::Each(&seq))
            .with(Field::Src, Values::Constant(0))
            .with(Field::Dst, Values::Constant(1))
            .with(Field::Kind, Values::Constant(Kind::Data as i64))
            .with(Field::Bytes, Values::Constant(8))
            .with(Field::ReadyNs, Values::Each(&ready))
            .with(Field::SentNs, Values::Each(&ready))
            .with(Field::ArrivedNs, Values::Each(&arrived))
            .with(Field::TakenNs, Values::Each(&taken))
            .with(Field::QueueLength, Values::Each(&self.queue));
        let question =
            Question { stage: Stage::ReceiveWait, who: Who::Slowest, range_ns, median_ns: 100 };
        let lateness = Lateness { median_ns: USUAL_NS + 100, total_ns: self.total_ns() };
        let mut gatherer = Gatherer::new(vec![question], Filter::all(), lateness);
        // In two parts and the wrong order, as threads do.
        let mut other = gatherer.clone();
        let half = MESSAGES as usize / 2;
        let at = Position { launch: 0, node: 1, first_row: 0 };
        other.add_columns(&columns.part(0..half), at);
        gatherer.add_columns(&columns.part(half..MESSAGES as usize), at);
        gatherer.merge(other);
        gatherer.explain(&[self.causes], 2)
    }

    /// All messages' time.
    fn total_ns(&self) -> f64 {
        self.late.iter().map(|late| (USUAL_NS + 100 + late) as f64).sum()
    }
}

#[test]
fn a_thread_that_waits_for_its_core_is_found_and_covers_the_delay() {
    let mut found = 0;
    for seed in 0..40 {
        let mut run = Planted::new(seed);
        for _ in 0..12 {
            let (at, length) = (run.random_moment(), run.random.random_range(1_000_000..4_000_000));
            run.stand_still(at, length);
            // The kernel counts a wait when it is over.
            run.window((at + length) / WINDOW_NS, Cause::RunQueue, length);
        }
        let explained = run.explain((800_000, i64::MAX));
        assert!(explained.episodes <= 12 && explained.count > 12, "{explained:?}");
        let Some(Reason::Beside { what, covers: Some(covers), with, of, .. }) =
            explained.reasons.first()
        else {
            continue;
        };
        assert!(*covers > 0.9 && with == of, "seed {seed}: {explained:?}");
        found += usize::from(*what == What::Cause(Cause::RunQueue));
    }
    assert!(found >= 39, "found in {found} of 40 runs");
}

#[test]
fn delays_that_nothing_goes_with_are_given_no_cause_more_often_than_stated() {
    let mut accused = 0;
    for seed in 0..200 {
        let mut run = Planted::new(seed);
        run.stand_still_at_random(20, 2_000_000);
        let reasons = run.explain((800_000, i64::MAX)).reasons;
        accused +=
            usize::from(reasons.iter().any(|reason| matches!(reason, Reason::Beside { .. })));
    }
    // The corrected level allows one run in a hundred.
    assert!(accused <= 5, "{accused} of 200 clean runs");
}

#[test]
fn a_period_is_found_and_random_times_have_none() {
    let mut periodic = Planted::new(1);
    for _ in 0..100 {
        let tick = periodic.random.random_range(1..4_900);
        periodic.stand_still(tick * Known::Tick250.ns() + 1_234_567, 1_000_000);
    }
    let reasons = periodic.explain((500_000, i64::MAX)).reasons;
    let ticks = |r: &Reason| match r {
        Reason::Phase { known, strength, .. } => *known == Known::Tick250 && *strength > 0.9,
        _ => false,
    };
    assert!(reasons.iter().any(ticks), "{reasons:?}");
    let mut wrong = 0;
    for seed in 0..100 {
        let mut run = Planted::new(seed);
        run.stand_still_at_random(40, 1_000_000);
        let reasons = run.explain((500_000, i64::MAX)).reasons;
        wrong += usize::from(
            reasons.iter().any(|r| matches!(r, Reason::Phase { .. } | Reason::Regular { .. })),
        );
    }
    assert!(wrong <= 2, "{wrong} of 100 runs without a period");
}

#[test]
fn messages_that_come_at_regular_intervals_say_so() {
    let mut run = Planted::new(5);
    (1..60).for_each(|tick| run.stand_still(tick * 313_000_000, 2_000_000));
    let reasons = run.explain((1_900_000, i64::MAX)).reasons;
    let near = |period: i64| (period - 313_000_000).abs() < 200_000;
    let regular = |r: &Reason| match r {
        Reason::Regular { period_ns, share } => near(*period_ns) && *share > 0.9,
        _ => false,
    };
    assert!(reasons.iter().any(regular), "{reasons:?}");
}

#[test]
fn messages_that_queued_are_alike_in_that() {
    let mut run = Planted::new(9);
    run.stand_still_at_random(30, 3_000_000);
    let reasons = run.explain((200_000, 2_700_000)).reasons;
    let queued =
        |r: &Reason| matches!(r, Reason::Alike { by: Trait::Queued, share, .. } if *share > 0.9);
    assert!(reasons.iter().any(queued), "{reasons:?}");
    let pair = |r: &Reason| matches!(r, Reason::Alike { by: Trait::Column(By::Pair), .. });
    assert!(!reasons.iter().any(pair), "a run with one pair has no pair to blame");
}

#[test]
fn idle_cores_are_held_against_what_is_slow() {
    let mut run = Planted::new(3);
    [100, 300, 500].iter().for_each(|ms| run.stand_still(ms * 1_000_000, 2_000_000));
    let before = |cause, from_ns, to_ns, amount| CauseSpan { cause, from_ns, to_ns, amount };
    run.causes.spans.push(before(Cause::IdleSpin, -200_000_000, -100_000_000, 2_100_000));
    run.causes.spans.push(before(Cause::IdleGap, -150_000_000, -147_900_000, 0));
    let noise = run.explain((1_900_000, i64::MAX)).noise.unwrap();
    assert!((noise.idle_per_s - 10.0).abs() < 1e-6, "{noise:?}");
    assert!((noise.seen_per_s - 3.0 / 20.0).abs() < 1e-3, "{noise:?}");
}
