//! PHOLD: what must hold for any parameters, and one run whose digest is kept.

use crate::fnv::{BASIS, fnv};
use crate::watched::{Run, run};
use models::{Phold, PholdOptions, Undoing};

const END: f64 = 200.0;
/// The digests of a run of `small`.
const TRACE: u64 = 0x2bc8_c9cf_a464_e2b6;
const STATES: u64 = 0xfa80_1b13_6165_57ca;

fn phold(options: &PholdOptions) -> Run {
    run(&Phold::new(options).unwrap(), Some(END))
}

fn small() -> PholdOptions {
    PholdOptions { objects: 64, ..Default::default() }
}

#[test]
fn the_population_is_conserved() {
    for start in [1, 4] {
        let options = PholdOptions { start, ..small() };
        let total = phold(&options).outcome.total();
        // Each message handled is replaced by one; at the end all that are left go beyond the
        // cutoff.
        assert_eq!(total.committed_sends, total.messages);
        assert_eq!(total.committed_drops, u64::from(start * options.objects));
    }
}

#[test]
fn the_rate_is_that_of_the_delay() {
    let options = PholdOptions { start: 4, ..small() };
    let events = phold(&options).outcome.total().messages as f64;
    let expected = f64::from(4 * options.objects) * END / (options.lookahead + options.mean);
    assert!((events / expected - 1.0).abs() < 0.02, "{events} against {expected}");
}

#[test]
fn the_remote_fraction_is_the_one_asked_for() {
    for (remote, groups) in [(0.0, 1), (0.25, 1), (1.0, 4)] {
        let run = phold(&PholdOptions { remote, groups, ..small() });
        // With nothing remote an object's messages stay its own, so every object has as many as its
        // own delays give.
        let events: Vec<_> = run.outcome.objects.iter().map(|(_, c)| c.events).collect();
        let mean = events.iter().sum::<u64>() as f64 / events.len() as f64;
        let variance = events.iter().map(|e| (*e as f64 - mean).powi(2)).sum::<f64>()
            / mean
            / events.len() as f64;
        // Renewals: variance / mean is the squared ratio of deviation and mean of the delay, 0.81;
        // mixing adds to it.
        assert!(
            if remote == 0.0 { variance < 1.2 } else { variance > 0.6 },
            "{remote}: {variance}"
        );
    }
}

#[test]
fn a_seed_gives_one_run_and_keeping_the_past_changes_nothing() {
    let digests = |options: &PholdOptions| {
        let outcome = phold(options).outcome;
        (outcome.trace_digest, outcome.state_digest)
    };
    let first = digests(&small());
    assert_eq!(digests(&small()), first);
    assert_ne!(digests(&PholdOptions { seed: 2, ..small() }), first);
    for undo in [Undoing::Copy, Undoing::Records, Undoing::Snapshots { every: 7 }] {
        assert_eq!(digests(&PholdOptions { undo, ..small() }), first);
    }
    assert_eq!(first, (TRACE, STATES), "without bytes to carry nothing has changed");
    let laden = digests(&PholdOptions { state: 100, ..small() });
    assert_eq!(laden.0, first.0, "what a state carries changes no event");
    assert_ne!(laden.1, first.1, "it shows in the state");
    let busy = digests(&PholdOptions { work_steps: 10, ..small() });
    assert_eq!(busy.0, first.0, "work changes no event");
    assert_ne!(busy.1, first.1, "work shows in the state");
}

/// FNV-1a over times and objects of the committed trace.
fn digest(run: &Run) -> u64 {
    run.kept.trace.iter().fold(BASIS, |hash, event| {
        let (time, object) = (event.time.simtime().to_bits(), u64::from(event.object.0));
        fnv(hash, &[time.to_be_bytes(), object.to_be_bytes()].concat())
    })
}

#[test]
fn a_run_is_the_same_on_every_machine_and_in_every_version() {
    let run = phold(&PholdOptions { start: 2, groups: 4, ..small() });
    assert_eq!((run.kept.trace.len(), digest(&run)), (25_613, 3_145_510_400_246_821_401));
}
