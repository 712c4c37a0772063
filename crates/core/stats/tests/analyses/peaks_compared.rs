//! What a comparison says of peaks, on made-up runs of which the truth is known, with the peaks
//! that the analysis finds.

use crate::launches::{gathered, normal};
use fourstamp_stats::analysis::{Analysis, Stage};
use fourstamp_stats::compare::{CompareOptions, PeakChange, PeakMatch, Sample, compare};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

const MESSAGES: usize = 1500;
/// Where the second peak is in A.
const SECOND_NS: f64 = 60_000.0;

/// How B differs from A.
#[derive(Clone, Copy)]
struct Planted {
    /// B's second peak is at so many times its place.
    place: f64,
    /// Part of B's messages in its second peak.
    mass: f64,
    /// How far launches are apart.
    apart: f64,
}

const ALIKE: Planted = Planted { place: 1.0, mass: 0.2, apart: 0.02 };

/// A launch of two peaks; messages follow each other.
fn launch(planted: &Planted, random: &mut Pcg64Mcg) -> Vec<i64> {
    let own = (planted.apart * normal(random)).exp();
    let mass = (planted.mass + 0.1 * planted.mass * normal(random)).clamp(0.0, 1.0);
    let mut state = normal(random);
    let mut next = || {
        state = 0.8 * state + 0.6 * normal(random);
        let typical =
            if random.random::<f64>() < mass { SECOND_NS * planted.place } else { 8_000.0 };
        (typical * own * (0.1 * state).exp()) as i64
    };
    (0..MESSAGES).map(|_| next()).collect()
}

fn run(planted: &Planted, launches: usize, random: &mut Pcg64Mcg) -> (Sample, Analysis) {
    let launches: Vec<Vec<i64>> = (0..launches).map(|_| launch(planted, random)).collect();
    let accumulator = gathered(&launches, 0);
    (accumulator.sample(), accumulator.finish())
}

fn matched(planted: &Planted, launches: usize, seed: u64) -> Vec<PeakMatch> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let (a, of_a) = run(&Planted { apart: planted.apart, ..ALIKE }, launches, &mut random);
    let (b, of_b) = run(planted, launches, &mut random);
    let peaks = [&of_a, &of_b].map(|of| &of.stage(Stage::EndToEnd).expect("measured").peaks[..]);
    compare(&a, &b, peaks, &CompareOptions::default()).expect("comparable").peaks
}

fn is_claim(change: PeakChange) -> bool {
    !matches!(
        change,
        PeakChange::Same | PeakChange::Undecided | PeakChange::Split | PeakChange::Merged
    )
}

#[test]
fn equal_runs_have_peaks_that_differ_less_than_one_time_in_twenty() {
    for (launches, apart) in [(3, 0.02), (5, 0.002), (5, 0.02), (5, 0.1)] {
        let alarm = |seed: &u64| {
            let found = matched(&Planted { apart, ..ALIKE }, launches, *seed);
            found.iter().any(|found| is_claim(found.change))
        };
        let alarms = (0..40).filter(alarm).count();
        // Of 40 at 0.05, 7 and more come less than one time in thirty.
        println!("{launches} launches, {apart} apart: {alarms} of 40");
        assert!(alarms <= 6, "{launches} launches, {apart} apart: {alarms} of 40");
    }
}

#[test]
fn a_planted_move_is_found_and_its_interval_holds_it() {
    let planted = Planted { place: 1.5, ..ALIKE };
    let (mut found, mut covered) = (0, 0);
    for seed in 0..40 {
        let all = matched(&planted, 5, seed);
        let near = |at: &PeakMatch| at.a.is_some_and(|a| (a.place_ns / SECOND_NS).ln().abs() < 0.3);
        let Some(second) = all.iter().find(|one| near(one)) else { continue };
        let Some(place) = second.place else { continue };
        assert_eq!(place.by, second.b.unwrap().place_ns / second.a.unwrap().place_ns);
        found += usize::from(place.differs == Some(true));
        covered +=
            usize::from(place.interval.is_some_and(|(low, high)| (low..=high).contains(&1.5)));
    }
    assert!(found >= 36 && covered >= 35, "found {found}, covered {covered} of 40");
}

#[test]
fn a_planted_mass_is_found() {
    let planted = Planted { mass: 0.4, ..ALIKE };
    let grown = |seed| {
        let all = matched(&planted, 5, seed);
        let second =
            all.iter().rev().find(|one| one.a.is_some() && one.b.is_some()).expect("a pair");
        second.mass.differs == Some(true) && second.mass.by > 0.0
    };
    let found = (0..40).filter(|seed| grown(*seed)).count();
    assert!(found >= 36, "{found} of 40");
}

#[test]
fn a_peak_that_appears_is_new_and_below_three_launches_nothing_is_said() {
    let without = Planted { mass: 0.0, ..ALIKE };
    let gone = matched(&without, 5, 1);
    assert!(
        gone.iter().any(|found| found.change == PeakChange::Gone && found.b.is_none()),
        "{gone:?}"
    );
    for launches in [1, 2] {
        let found = matched(&without, launches, 1);
        let undecided = |found: &PeakMatch| found.change == PeakChange::Undecided;
        assert!(!found.is_empty() && found.iter().all(undecided), "{found:?}");
        assert!(found.iter().all(|found| found.mass.interval.is_none()), "{found:?}");
    }
}
