//! A comparison's verdicts on made-up runs of which the truth is known. `examples/alarms.rs` counts
//! the same over thousands.

use crate::launches::{KINDS, Kind, ORDINARY, Spread, compared, run, sample, verdicts};
use fourstamp_stats::compare::{
    Answer, CompareError, CompareOptions, Condition, Difference, Measured, Outcome, Sample,
    Verdict, compare,
};
use fourstamp_stats::launches::{LAUNCHES_LEAST, Reason};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

const COMPARISONS: u64 = 80;

#[test]
fn equal_runs_give_a_false_alarm_less_than_one_time_in_twenty() {
    for kind in &KINDS {
        let [slower, faster, ..] = verdicts(kind, 1.0, COMPARISONS);
        // Of 80 comparisons 0.05 is 4; 9 and more come one time in fifty at that rate.
        assert!(slower + faster < 0.11, "{}: {slower} slower, {faster} faster", kind.name);
    }
}

#[test]
fn ten_percent_are_found_with_five_ordinary_launches() {
    let [slower, ..] = verdicts(&ORDINARY, 1.1, COMPARISONS);
    assert!(slower > 0.95, "found in {slower}");
    let [_, faster, ..] = verdicts(&ORDINARY, 1.0 / 1.1, COMPARISONS);
    assert!(faster > 0.95, "found in {faster}");
}

#[test]
fn equal_runs_of_many_launches_are_not_slower() {
    let kind = Kind { launches: (20, 20), spread: Spread::Normal(0.005), ..ORDINARY };
    let [.., not_slower, _] = verdicts(&kind, 1.0, 40);
    assert!(not_slower > 0.6, "{not_slower}");
}

/// Why a quantile of equals is undecided: the spread, or that it is one of several.
fn why(q: &Difference) -> Reason {
    match q.interval {
        Some((low, _)) if low > 1.0 => Reason::OneOfSeveral,
        _ => Reason::SpreadTooWide,
    }
}

#[test]
fn three_launches_of_two_kinds_are_undecided_and_never_ask_for_hundreds() {
    let kind = KINDS.iter().find(|kind| kind.name == "3 launches of two kinds").unwrap();
    let open: Vec<_> = (0..40).map(|seed| compared(kind, 1.1, seed)).collect();
    let open: Vec<_> = open.iter().filter(|found| found.verdict == Verdict::Undecided).collect();
    assert!(open.len() > 30, "{}", open.len());
    assert!(open.iter().flat_map(|found| &found.quantiles).all(|q| {
        let undecided = q.outcome == Outcome::Undecided;
        q.reason == undecided.then_some(why(q))
            && q.launches_needed.is_none_or(|launches| undecided && (4..=100).contains(&launches))
    }));
}

/// The canary, and the reason for Student's t: the percentile bootstrap over three launches.
#[test]
fn the_percentile_bootstrap_over_launches_alarms_far_too_often() {
    let kind = Kind { launches: (3, 3), messages: 200, ..ORDINARY };
    let mut random = Pcg64Mcg::seed_from_u64(5);
    let medians = |random: &mut Pcg64Mcg| -> Vec<f64> {
        let launches = run(&kind, 3, 1.0, random);
        launches
            .into_iter()
            .map(|mut times| {
                times.sort_unstable();
                (times[100] as f64).ln()
            })
            .collect()
    };
    let mut alarms = 0;
    for _ in 0..400 {
        let (a, b) = (medians(&mut random), medians(&mut random));
        let mut mean =
            |of: &[f64]| (0..3).map(|_| of[random.random_range(0..3)]).sum::<f64>() / 3.0;
        let mut drawn: Vec<f64> = (0..200).map(|_| mean(&b) - mean(&a)).collect();
        drawn.sort_unstable_by(f64::total_cmp);
        alarms += u32::from(drawn[5] > 0.0 || drawn[194] < 0.0);
    }
    assert!(alarms > 48, "{alarms} of 400: no more than one in eight");
}

#[test]
fn intervals_hold_the_truth() {
    let mut held = [0.0; 2];
    for seed in 0..COMPARISONS {
        for (held, difference) in
            held.iter_mut().zip(&compared(&ORDINARY, 1.1, seed).quantiles[1..3])
        {
            let (low, high) = difference.interval.unwrap();
            *held += f64::from(u8::from((low..=high).contains(&1.1))) / COMPARISONS as f64;
        }
    }
    assert!(held.iter().all(|rate| (0.89..=1.0).contains(rate)), "p50, p90: {held:?}");
}

fn checked(a: &Sample, b: &Sample, conditions: &[&str]) -> Vec<Answer> {
    let conditions =
        conditions.iter().map(|text| Condition::parse(text).expect("well formed")).collect();
    let options = CompareOptions { conditions, ..CompareOptions::default() };
    compare(a, b, [&[], &[]], &options)
        .expect("comparable")
        .conditions
        .iter()
        .map(|checked| checked.answer)
        .collect()
}

#[test]
fn conditions_hold_or_not_or_cannot_be_told() {
    use Answer::{DoesNotHold, Holds, Undecided};
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let kind = Kind { spread: Spread::Normal(0.01), ..ORDINARY };
    let (a, b) =
        (sample(&run(&kind, 16, 1.0, &mut random)), sample(&run(&kind, 16, 1.1, &mut random)));
    let conditions =
        ["p50 > +5%", "p50 > +20%", "mean > +200ns", "p50 < -5%", "mean > +3us", "p99.9 > +5%"];
    assert_eq!(
        checked(&a, &b, &conditions),
        [Holds, DoesNotHold, Holds, DoesNotHold, DoesNotHold, Undecided],
        "2,000 messages a launch are too few for p99.9"
    );
    assert_eq!(checked(&a, &b, &["p50 > +10%"]), [Undecided]);
    assert_eq!(checked(&b, &a, &["p50 < -5%", "p50 > +1%"]), [Holds, DoesNotHold]);
}

/// Of a limit that is just met, no more than one time in twenty is it said to be passed.
#[test]
fn a_condition_at_its_limit_seldom_holds() {
    let mut alarms = 0;
    for seed in 0..100 {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let (a, b) = (
            sample(&run(&ORDINARY, 5, 1.0, &mut random)),
            sample(&run(&ORDINARY, 5, 1.05, &mut random)),
        );
        alarms += checked(&a, &b, &["p50 > +5%", "p90 > +5%"]).contains(&Answer::Holds) as u32;
    }
    assert!(alarms <= 10, "{alarms} of 100");
}

/// Planted truth with 1, 2, 3 and 5 launches: below three nothing is decided, and no interval is
/// given.
#[test]
fn below_three_launches_nothing_is_decided_whatever_they_show() {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    for (of_a, of_b) in [(1, 1), (1, 5), (2, 2), (2, 5), (5, 2), (3, 3), (5, 5)] {
        let mut side = |launches, slower| sample(&run(&ORDINARY, launches, slower, &mut random));
        let (a, b) = (side(of_a, 1.0), side(of_b, 8.3));
        let conditions =
            ["p50 > +5%", "mean > +3us"].map(|text| Condition::parse(text).unwrap()).into();
        let options = CompareOptions { conditions, ..CompareOptions::default() };
        let found = compare(&a, &b, [&[], &[]], &options).unwrap();
        let enough = of_a.min(of_b) >= LAUNCHES_LEAST;
        assert_eq!(found.verdict, if enough { Verdict::Slower } else { Verdict::Undecided });
        for q in &found.quantiles {
            assert!((7.0..9.8).contains(&q.ratio), "{q:?}");
            assert_eq!((q.interval.is_some(), q.chance.is_some()), (enough, enough), "{q:?}");
            assert_eq!(q.reason, (!enough).then_some(Reason::TooFewLaunches), "{q:?}");
            assert!(
                q.launches_needed.is_none()
                    && q.interval.is_none_or(|(low, high)| 1.0 < low && low < high)
            );
        }
        for checked in &found.conditions {
            assert_eq!(checked.answer, if enough { Answer::Holds } else { Answer::Undecided });
            assert!(
                checked.interval.is_some() == enough && checked.change.is_some(),
                "{checked:?}"
            );
        }
    }
}

#[test]
fn what_was_not_measured_cannot_be_compared() {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let (a, none) = (sample(&run(&ORDINARY, 2, 1.0, &mut random)), Sample::default());
    let options = |stage| CompareOptions { stage, ..CompareOptions::default() };
    let error = compare(&a, &none, [&[], &[]], &options(None)).unwrap_err();
    assert!(matches!(error, CompareError::NothingInCommon { .. }), "{error}");
    let error = compare(&a, &a, [&[], &[]], &options(Some(Measured::Transit))).unwrap_err();
    assert!(error.to_string().contains("A has no transit: it has end-to-end"), "{error}");
}

#[test]
fn the_same_seed_gives_the_same_answer() {
    assert_eq!(compared(&ORDINARY, 1.05, 3), compared(&ORDINARY, 1.05, 3));
    let found = compared(&ORDINARY, 1.05, 3);
    let parts: (f64, f64) =
        found.shape.iter().fold((0.0, 0.0), |sum, bin| (sum.0 + bin.a, sum.1 + bin.b));
    assert!((parts.0 - 1.0).abs() < 1e-9 && (parts.1 - 1.0).abs() < 1e-9, "{parts:?}");
}

#[test]
fn a_tail_alone_is_found_and_named() {
    let slow_tail = |launches: Vec<Vec<i64>>| -> Vec<Vec<i64>> {
        let later = |(at, time): (usize, i64)| if at % 50 == 0 { time * 4 } else { time };
        launches
            .into_iter()
            .map(|times| times.into_iter().enumerate().map(later).collect())
            .collect()
    };
    let mut random = Pcg64Mcg::seed_from_u64(2);
    let kind = Kind { launches: (8, 8), spread: Spread::Normal(0.01), ..ORDINARY };
    let a = sample(&run(&kind, 8, 1.0, &mut random));
    let b = sample(&slow_tail(run(&kind, 8, 1.0, &mut random)));
    let found = compare(&a, &b, [&[], &[]], &CompareOptions::default()).unwrap();
    let slower = |p: f64| found.quantiles.iter().any(|q| q.p == p && q.outcome == Outcome::Slower);
    assert!(
        found.verdict == Verdict::Slower && slower(0.99) && !slower(0.1) && !slower(0.5),
        "{found:?}"
    );
}
