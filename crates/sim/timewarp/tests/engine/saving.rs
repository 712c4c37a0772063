//! How often states are copied where the engine chooses: by what it measures, or at random. Results
//! do not depend on it.

use crate::equal::{assert_equal, options, seeds, sequential_of};
use crate::models::{Churn, Weighty};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use timewarp::simulated::{self, Simulation};
use timewarp::{Counters, Dealing, History, Kept, Node, Options, Outcome, Placement, Progress};

const CUTOFF: f64 = 60_000.0;

/// Run on two nodes that take long turns, so that each is often too far ahead. If it `looks`, they
/// measure with the model's own clock.
fn measured(model: &Weighty, options: &Options, looks: bool) -> (Outcome, Kept) {
    let placement = Placement::deal(model, 2, Dealing::Blocks).unwrap();
    let make = |id| {
        let mut node = Node::new(model, &placement, id, options, Kept::default()).unwrap();
        if looks {
            let passed_ns = Arc::clone(&model.passed_ns);
            node.time_copies(Box::new(move || passed_ns.load(Relaxed)));
        }
        node
    };
    let mut nodes = [make(0), make(1)];
    let mut finished = [false; 2];
    while finished != [true; 2] {
        for at in [0, 1] {
            finished[at] |= nodes[at].run(12).unwrap() == Progress::Finished;
            nodes[at].ask_for_gvt();
            while let Some((to, parcel, ())) = nodes[at].outgoing() {
                nodes[usize::from(to)].receive(at as u16, parcel).unwrap();
            }
        }
    }
    let (mut outcome, mut kept) = (Outcome::default(), Kept::default());
    for node in nodes {
        let (part, watched) = node.finish();
        outcome.merge(part);
        kept.trace.extend(watched.trace);
    }
    kept.sort();
    outcome.check().unwrap();
    (outcome, kept)
}

fn options_for(memory_bytes: Option<usize>) -> Options {
    Options { cutoff: CUTOFF, undo_check: false, memory_bytes, ..Options::default() }
}

fn weighty(copy_ns: u64, event_ns: u64) -> Weighty {
    Weighty { copy_ns, event_ns, passed_ns: Arc::new(AtomicU64::new(0)) }
}

/// Events for each copy, and whether the result was right.
fn events_per_copy(copy_ns: u64, event_ns: u64, options: &Options, looks: bool) -> f64 {
    let model = weighty(copy_ns, event_ns);
    let right = sequential_of(&model, CUTOFF);
    let ours = measured(&model, options, looks);
    assert_equal(&format!("copies of {copy_ns} ns, events of {event_ns} ns"), &ours, &right);
    let Counters { started, copies, rollbacks, .. } = ours.0.total();
    assert!(rollbacks > 20, "only {rollbacks} rollbacks");
    started as f64 / copies as f64
}

#[test]
fn large_states_of_short_events_are_copied_seldom() {
    let options = options_for(None);
    let each = events_per_copy(5000, 100, &options, true);
    assert!(each > 4.0, "{each} events for each copy");
    let longer = events_per_copy(5000, 2000, &options, true);
    assert!((1.5..each).contains(&longer), "{longer} events for each copy, and {each}");
}

#[test]
fn small_states_and_long_events_have_a_copy_each() {
    assert_eq!(events_per_copy(20, 40, &options_for(None), true), 1.0);
    assert_eq!(events_per_copy(1000, 50_000, &options_for(None), true), 1.0);
}

#[test]
fn without_a_clock_and_with_bounded_memory_every_event_has_its_copy() {
    assert_eq!(events_per_copy(5000, 100, &options_for(None), false), 1.0);
    assert_eq!(events_per_copy(5000, 100, &options_for(Some(1 << 30)), true), 1.0);
}

/// Intervals go up and down while events are executed, undone, committed and moved.
#[test]
fn intervals_that_change_at_random_change_no_result() {
    let model = Churn { objects: 7, seed: 4, history: History::Auto };
    let right = sequential_of(&model, 40.0);
    let (mut copies, mut started, mut coasted) = (0, 0, 0);
    for seed in 0..seeds() {
        let mut options = options(seed * 7919, 40.0);
        // Few at a time leave, or are taken: what forced rollbacks cancel would pile up.
        let slow = options.max_acks.is_some() || options.search != timewarp::Search::All;
        options.migration = true;
        let simulation = Simulation {
            intervals_every: [2, 10, 50][(seed % 3) as usize],
            rollback_every: if slow { 1000 } else { 10 },
            move_every: if slow { 1000 } else { 60 },
            ..Simulation::new(1 + (seed % 4) as u16, seed, options)
        };
        let ours = simulated::run(&model, &simulation)
            .unwrap_or_else(|error| panic!("seed {seed}, {simulation:?}: {error}"));
        assert_equal(&format!("seed {seed}, {simulation:?}"), &ours, &right);
        let total = ours.0.total();
        (copies, started) = (copies + total.copies, started + total.started);
        coasted += ours.0.nodes.iter().map(|(_, node)| node.coasted).sum::<u64>();
    }
    println!("{copies} copies before {started} events, {coasted} of them run again");
    assert!(copies < started * 9 / 10 && coasted > seeds(), "{copies}, {started}, {coasted}");
}

#[test]
fn what_the_model_chooses_is_obeyed() {
    for (history, each) in [(History::Copy, 1.0), (History::Snapshots { every: 3 }, 3.0)] {
        let model = Churn { objects: 4, seed: 1, history };
        let options = Options { cutoff: 60.0, ..Options::default() };
        let simulation = Simulation {
            rollback_every: 0,
            intervals_every: 2,
            gvt_every: 1_000_000,
            ..Simulation::new(1, 1, options)
        };
        let total = simulated::run(&model, &simulation).unwrap().0.total();
        let ours = total.started as f64 / total.copies as f64;
        assert!((ours / each - 1.0).abs() < 0.1, "{history:?}: {ours} events for each copy");
    }
}
