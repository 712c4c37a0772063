//! What a trend says of made-up series of which the truth is known. `examples/trends.rs` counts the
//! same over thousands.

use crate::series::{PLAIN, SERIES, SeriesKind, looked_at, rates, series};
use fourstamp_stats::compare::{
    Answer, CompareOptions, Condition, Figure, Measured, Sample, Standing, TrendOptions, trend,
};
use fourstamp_stats::launches::Reason;

const SERIES_EACH: u64 = 60;

/// At 5 % of sixty there are three; more than eight come one time in two hundred.
#[test]
fn level_series_give_a_false_alarm_less_than_one_time_in_twenty() {
    for kind in &SERIES {
        let found = rates(kind, SERIES_EACH, &|_| 1.0, (0, 1.0));
        assert!(found.changed < 0.14, "{}: {found:?}", kind.name);
        assert!(found.newest < 0.14, "{}: {found:?}", kind.name);
    }
}

#[test]
fn a_planted_step_is_found_placed_and_sized() {
    let kind = SeriesKind { runs: 16, ..PLAIN };
    let step = |at: usize| if at < 9 { 1.0 } else { 1.15 };
    let found = rates(&kind, SERIES_EACH, &step, (9, 1.15));
    assert!(found.steps > 0.9 && found.misnamed < 0.05, "{found:?}");
    assert!(found.placed > 0.85 && found.sized > 0.85, "{found:?}");
    let faster = rates(&kind, 20, &|at| 1.0 / step(at), (9, 1.0 / 1.15));
    assert!(faster.steps > 0.85 && faster.sized > 0.8, "{faster:?}");
}

#[test]
fn a_planted_drift_is_called_one() {
    let kind = SeriesKind { runs: 24, ..PLAIN };
    let drift = |at: usize| (0.01 * at as f64).exp();
    let found = rates(&kind, 40, &drift, (0, 0.23_f64.exp()));
    assert!(found.changed > 0.95 && found.drifts > 0.85, "{found:?}");
    assert!(found.misnamed < 0.05, "{found:?}");
}

#[test]
fn the_newest_run_is_held_against_how_runs_differ() {
    let slow = |runs: usize| move |at: usize| if at + 1 == runs { 1.25 } else { 1.0 };
    let found = rates(&PLAIN, 40, &slow(12), (0, 1.0));
    assert!(found.newest > 0.9, "{found:?}");
    assert!(found.changed < 0.15, "one run does not last: {found:?}");
}

/// Launches of one run agree far better than runs do. A test that took launches for the unit would
/// alarm most of the time.
#[test]
fn runs_that_differ_more_than_their_launches_are_no_change() {
    let mut kind = SeriesKind { runs: 12, between: 0.1, ..PLAIN };
    kind.kind.spread = crate::launches::Spread::Normal(0.005);
    kind.kind.follows = 0.0;
    let found = rates(&kind, 40, &|_| 1.0, (0, 1.0));
    assert!(found.changed <= 0.15 && found.newest <= 0.15, "{found:?}");
    let mut pairs_apart = 0;
    for seed in 0..10 {
        let runs = series(&kind, seed, &|_| 1.0);
        let found = looked_at(&runs, &CompareOptions::default());
        let differ = |point: &Option<fourstamp_stats::compare::TrendPoint>| {
            let between = point.as_ref().and_then(|point| point.since_before);
            between.is_some_and(|one| matches!(one.standing, Standing::Slower | Standing::Faster))
        };
        pairs_apart += usize::from(found.courses[0].points.iter().any(differ));
    }
    assert!(pairs_apart >= 8, "their launches do differ from run to run: {pairs_apart} of 10");
}

fn conditions(texts: &[&str]) -> CompareOptions {
    let conditions =
        texts.iter().map(|text| Condition::parse(text).expect("well formed")).collect();
    CompareOptions { conditions, ..CompareOptions::default() }
}

#[test]
fn conditions_are_about_the_newest_run() {
    let slow = |at: usize| if at == 11 { 1.5 } else { 1.0 };
    let options = conditions(&["p50 > +5%", "p50 > +90%", "mean > +1us", "p99.9 > +5%"]);
    let found = looked_at(&series(&PLAIN, 1, &slow), &options);
    let answers: Vec<Answer> = found.newest.conditions.iter().map(|one| one.answer).collect();
    use Answer::{DoesNotHold, Holds, Undecided};
    assert_eq!(answers, [Holds, DoesNotHold, Holds, Undecided]);
    assert_eq!(found.newest.conditions[3].reason, Some(Reason::TooFewMessages));
    assert_eq!(found.newest.against, 10);
}

#[test]
fn two_earlier_runs_say_nothing_of_how_runs_differ() {
    let kind = SeriesKind { runs: 3, ..PLAIN };
    let found = looked_at(&series(&kind, 1, &|at| 1.0 + at as f64), &conditions(&["p50 > +5%"]));
    assert_eq!(found.newest.conditions[0].answer, Answer::Undecided);
    assert_eq!(found.newest.conditions[0].reason, Some(Reason::TooFewRuns));
    assert_eq!(found.newest.seen[0].1.reason, Some(Reason::TooFewRuns));
    assert!(!found.has_earlier() && found.courses[0].changes.is_empty());
    // From run to run the launches say it.
    let points = found.courses[0].points.iter().flatten();
    let words: Vec<Standing> =
        points.filter_map(|point| Some(point.since_before?.standing)).collect();
    assert_eq!(words, [Standing::Slower, Standing::Slower]);
}

/// A run whose launches are too short for a figure is passed over, and the others keep their
/// numbers.
#[test]
fn runs_without_the_figure_are_passed_over() {
    let mut runs = series(&SeriesKind { runs: 14, ..PLAIN }, 3, &|at| {
        if at < 6 { 1.0 } else { 1.5 }
    });
    let few = crate::launches::Kind { messages: 12, ..PLAIN.kind };
    let mut random = rand::SeedableRng::seed_from_u64(1);
    runs.insert(3, crate::launches::sample(&crate::launches::run(&few, 3, 1.0, &mut random)));
    let found = looked_at(&runs, &CompareOptions::default());
    assert!(found.courses[0].points[3].is_none());
    assert_eq!(found.courses[0].changes.first().map(|change| change.first()), Some(7));
}

#[test]
fn the_same_seed_gives_the_same_answer() {
    let runs = series(&PLAIN, 5, &|at| if at < 5 { 1.0 } else { 1.05 });
    let of = || looked_at(&runs, &CompareOptions::default());
    assert_eq!(of(), of());
    let samples: Vec<&Sample> = runs.iter().collect();
    let asked = TrendOptions { figure: Figure::Mean, last: 3, reference: 2 };
    let found = trend(&samples, Measured::EndToEnd, asked, &CompareOptions::default());
    assert_eq!((found.newest.against, found.courses[0].figure), (3, Figure::Mean));
    assert!(found.courses[0].points[2].as_ref().is_some_and(|at| at.since_reference.is_none()));
}
