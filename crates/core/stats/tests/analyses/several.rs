//! What a comparison of several made-up runs says, of which the truth is known.

use crate::launches::{Kind, ORDINARY, run, sample};
use fourstamp_stats::compare::{
    Answer, CompareError, CompareOptions, Condition, Figure, Measured, Sample, Several,
    SeveralOptions, Standing, common_stage, several,
};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

const SMALL: Kind = Kind { messages: 300, ..ORDINARY };

/// Runs that are so many times as slow.
fn runs(slower: &[f64], seed: u64) -> Vec<Sample> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    slower.iter().map(|by| sample(&run(&SMALL, 5, *by, &mut random))).collect()
}

fn compared(runs: &[Sample], reference: Option<usize>, options: &CompareOptions) -> Several {
    let asked = SeveralOptions { figure: Figure::Quantile(0.5), reference };
    several(&runs.iter().collect::<Vec<_>>(), Measured::EndToEnd, asked, options)
}

fn differ(standing: Standing) -> bool {
    matches!(standing, Standing::Slower | Standing::Faster)
}

/// Six equal runs have fifteen pairs. The canary: each pair by itself alarms far too often.
#[test]
fn equal_runs_give_a_false_alarm_less_than_one_time_in_twenty() {
    let (mut alarms, mut each_alone) = (0, 0);
    for seed in 0..80 {
        let options = CompareOptions { seed, ..CompareOptions::default() };
        let found = compared(&runs(&[1.0; 6], seed), None, &options);
        assert_eq!(found.pairs.len(), 15);
        alarms += usize::from(found.pairs.iter().any(|pair| differ(pair.between.standing)));
        let outside = |ends: (f64, f64)| ends.0 > 1.0 || ends.1 < 1.0;
        let alone = found.pairs.iter().any(|pair| pair.between.interval.is_some_and(outside));
        each_alone += usize::from(alone);
    }
    assert!(alarms <= 9, "{alarms} of 80");
    assert!(each_alone > 16, "{each_alone} of 80: no more than one in five");
}

#[test]
fn the_slow_ones_are_told_apart_in_order() {
    let (mut found_all, mut false_words) = (0, 0);
    for seed in 0..20 {
        let found = compared(&runs(&[1.3, 1.0, 1.0, 2.0], seed), None, &CompareOptions::default());
        let of = |row, column| found.of(row, column).unwrap().standing;
        let slower = [(0, 1), (0, 2), (3, 0), (3, 1), (3, 2)];
        found_all += usize::from(slower.iter().all(|(a, b)| of(*a, *b) == Standing::Slower));
        false_words += usize::from(differ(of(1, 2)));
        assert_eq!(found.order()[2..], [0, 3], "seed {seed}");
        assert_eq!(of(1, 3), Standing::Faster);
        let (one, other) = (found.of(0, 3).unwrap(), found.of(3, 0).unwrap());
        assert!((one.ratio * other.ratio - 1.0).abs() < 1e-9);
        assert_eq!(one.interval.unwrap().0, 1.0 / other.interval.unwrap().1);
    }
    assert!(found_all >= 19 && false_words <= 3, "{found_all}, {false_words}");
}

#[test]
fn a_reference_is_asked_about_alone_and_carries_the_conditions() {
    let conditions = vec![Condition::parse("p50 > +10%").unwrap()];
    let options = CompareOptions { conditions, ..CompareOptions::default() };
    let found = compared(&runs(&[1.0, 1.5, 0.8], 4), Some(0), &options);
    assert_eq!(found.pairs.len(), 2);
    assert!(found.of(1, 2).is_none());
    assert_eq!(found.of(2, 0).map(|between| between.standing), Some(Standing::Faster));
    let answers: Vec<(usize, Answer)> =
        found.conditions.iter().map(|one| (one.run, one.checked.answer)).collect();
    assert_eq!(answers, [(1, Answer::Holds), (2, Answer::DoesNotHold)]);
}

#[test]
fn below_three_launches_nothing_is_decided() {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let all: Vec<Sample> =
        [2, 5, 5].map(|count| sample(&run(&SMALL, count, count as f64, &mut random))).into();
    let found = compared(&all, None, &CompareOptions::default());
    let of = |row, column| found.of(row, column).unwrap();
    assert_eq!(of(1, 0).standing, Standing::Undecided);
    assert!(of(1, 0).interval.is_none() && of(1, 2).interval.is_some());
    assert!(found.runs[0].figures[0].interval_ns.is_none());
}

#[test]
fn what_cannot_be_compared_is_named() {
    let all = [runs(&[1.0], 1), vec![Sample::default()]].concat();
    let names = ["one".to_owned(), "none".to_owned()];
    let of = |wanted| common_stage(&all.iter().collect::<Vec<_>>(), &names, wanted);
    assert_eq!(of(None), Err(CompareError::NoMessages { run: "none".to_owned() }));
    let one = &all[..1];
    let of = |wanted| common_stage(&one.iter().collect::<Vec<_>>(), &names, wanted);
    assert_eq!(of(None), Ok(Measured::EndToEnd));
    let error = of(Some(Measured::Transit)).unwrap_err().to_string();
    assert!(error.starts_with("one has no transit: it has end-to-end"), "{error}");
}
