//! What is said of matched peaks.

use super::*;
use crate::blocks::Block;
use crate::launches::LAUNCHES_LEAST;
use proptest::prelude::*;

fn peak(place: f64, mass: f64) -> Peak {
    Peak {
        place_ns: place,
        place_interval_ns: None,
        from_ns: place * 0.8,
        to_ns: place * 1.2,
        width_ns: place * 0.1,
        width_interval_ns: None,
        count: 0,
        mass,
        mass_interval: None,
        time_share: mass,
        time_interval: None,
        blocks: (0, 0),
        launches: (0, 0),
        chance: 0.0,
        tail: false,
    }
}

/// A launch with so many of a thousand messages at each place, spread a little; `own` shifts all of
/// them.
fn launch(places: &[(f64, usize)], own: f64) -> Launch {
    let mut block = Block::default();
    for (place, count) in places {
        (0..*count)
            .for_each(|at| block[0].add((place * (1.0 + own) * (1.0 + at as f64 / 1e5)) as i64));
    }
    Launch::of(&[block], 0)
}

fn launches(places: &[(f64, usize)]) -> Vec<Launch> {
    [-0.002, 0.001, 0.0, 0.002, -0.001].map(|own| launch(places, own)).into()
}

fn changes(a: &[(f64, usize)], b: &[(f64, usize)]) -> Vec<PeakChange> {
    let peaks = |places: &[(f64, usize)]| -> Vec<Peak> {
        places.iter().map(|(place, count)| peak(*place, *count as f64 / 1000.0)).collect()
    };
    let sides = [launches(a), launches(b)];
    let found = matched(&sides, [&peaks(a), &peaks(b)], &CompareOptions::default());
    found.iter().map(|found| found.change).collect()
}

#[test]
fn what_became_of_each_peak_is_told() {
    use PeakChange::{Gone, MassChanged, Moved, MovedAndMassChanged, New, Same, Undecided};
    let a = [(1e3, 900), (5e4, 100)];
    // A thousand messages tell a tenth of them to no better than a few hundredths of it.
    assert_eq!(changes(&a, &a), [Same, Undecided]);
    assert_eq!(changes(&a, &[(1e3, 900), (6e4, 100)]), [Same, Moved]);
    assert_eq!(changes(&a, &[(1e3, 950), (5e4, 50)]), [MassChanged, MassChanged]);
    assert_eq!(changes(&a, &[(1e3, 900), (5e4, 100), (1e6, 50)])[2], New);
    assert_eq!(changes(&[(1e3, 900), (5e4, 50), (1e6, 50)], &[(1e3, 900), (5e4, 50)])[2], Gone);
    assert_eq!(changes(&a, &[(1e3, 800), (7e4, 200)])[1], MovedAndMassChanged);
}

#[test]
fn a_peak_that_only_one_run_resolved_is_undecided() {
    let sides = [launches(&[(1e3, 900), (5e4, 100)]), launches(&[(1e3, 900), (5e4, 100)])];
    let (one, both) = ([peak(1e3, 0.9)], [peak(1e3, 0.9), peak(5e4, 0.1)]);
    let found = matched(&sides, [&one, &both], &CompareOptions::default());
    assert_eq!((found[1].change, found[1].within_ns), (PeakChange::Undecided, None));
    assert!(found[1].a.is_none() && found[1].b.is_some());
}

#[test]
fn a_peak_that_was_divided_is_split_and_one_of_two_is_merged() {
    let sides = [launches(&[(1e3, 500), (1.5e3, 500)]), launches(&[(1e3, 500), (1.5e3, 500)])];
    let broad = Peak { to_ns: 2e3, ..peak(1e3, 1.0) };
    let two = [peak(1e3, 0.5), peak(1.5e3, 0.5)];
    let found = matched(&sides, [std::slice::from_ref(&broad), &two], &CompareOptions::default());
    assert_eq!((found[1].change, found[1].within_ns), (PeakChange::Split, Some(1e3)));
    let found = matched(&sides, [&two, &[broad]], &CompareOptions::default());
    assert_eq!((found[1].change, found[1].within_ns), (PeakChange::Merged, Some(1e3)));
}

#[test]
fn valleys_that_noise_moved_change_nothing() {
    let places = [(1e3, 500), (1.2e3, 300), (1.5e3, 200)];
    let sides = [launches(&places), launches(&places)];
    let (broad, narrow) = (peak(1e3, 1.0), peak(1e3, 0.5));
    let broad = Peak { to_ns: 2e3, ..broad };
    let found = matched(&sides, [&[broad], &[narrow]], &CompareOptions::default());
    // The masses that are shown differ, but not the messages in both regions.
    assert_eq!((found[0].change, found[0].mass.by), (PeakChange::Undecided, -0.5));
    assert_eq!((found[0].place.unwrap().by, found[0].place.unwrap().differs), (1.0, Some(false)));
}

/// Seen: "the peak at 11.6 µs is at 19.4 µs now: it moved by −95.2 %", measured over both peaks'
/// regions together.
#[test]
fn a_pair_differs_by_what_its_figures_differ_by() {
    let places = [(11.6e3, 600), (300e3, 400)];
    let after = [(19.4e3, 600), (20.5e3, 400)];
    let wide = Peak { from_ns: 1e3, to_ns: 1e6, ..peak(11.6e3, 0.6) };
    let sides = [launches(&places), launches(&after)];
    let found = matched(&sides, [&[wide], &[peak(19.4e3, 0.6)]], &CompareOptions::default());
    let place = found[0].place.unwrap();
    assert_eq!((place.by, found[0].mass.by), (19.4 / 11.6, 0.0));
    let (low, high) = place.interval.unwrap();
    assert!(1.0 < low && low < place.by && place.by < high && found[0].change == PeakChange::Moved);
}

proptest! {
    /// Whatever two peaks are, and whatever the launches hold.
    #[test]
    fn differences_are_those_of_the_figures_shown(
        a in (1.0..1e7_f64, 0.0..1.0_f64, 0.1..2.0_f64),
        b in (1.0..1e7_f64, 0.0..1.0_f64, 0.1..2.0_f64),
        launches in 1..5_usize,
        own in prop::collection::vec(0.5..2.0_f64, 10),
    ) {
        let made = |at: usize| -> Vec<Launch> {
            let own = &own[at * 5..at * 5 + launches];
            own.iter()
                .map(|own| launch(&[(a.0 * own, 300), (b.0 * own, 200), (5e3, 100)], 0.0))
                .collect()
        };
        let of = |(place, mass, reach): (f64, f64, f64)| Peak {
            from_ns: place / (1.0 + reach),
            to_ns: place * (1.0 + reach),
            ..peak(place, mass)
        };
        let found = matched(&[made(0), made(1)], [&[of(a)], &[of(b)]], &CompareOptions::default());
        for found in &found {
            let few = launches < LAUNCHES_LEAST;
            prop_assert!(
                !few || found.mass.interval.is_none()
                    && found.mass.reason == Some(Reason::TooFewLaunches)
            );
            if let Some((low, high)) = found.mass.interval {
                prop_assert!(
                    -1.0 <= low && low <= found.mass.by && found.mass.by <= high && high <= 1.0
                );
            }
            let (Some(a), Some(b)) = (found.a, found.b) else { continue };
            let place = found.place.unwrap();
            prop_assert_eq!(place.by, b.place_ns / a.place_ns);
            prop_assert_eq!(found.mass.by, b.mass - a.mass);
            prop_assert!(!few || place.interval.is_none() && place.differs.is_none());
            if let Some((low, high)) = place.interval {
                prop_assert!(0.0 < low && low <= place.by && place.by <= high);
            }
        }
    }
}

#[test]
fn a_single_launch_decides_nothing() {
    let sides = [vec![launch(&[(1e3, 1000)], 0.0)], vec![launch(&[(2e3, 1000)], 0.0)]];
    let found = matched(&sides, [&[peak(1e3, 1.0)], &[peak(2e3, 1.0)]], &CompareOptions::default());
    assert!(found.iter().all(|found| found.mass.interval.is_none()), "{found:?}");
    assert!(found.iter().all(|found| found.change == PeakChange::Undecided));
}

#[test]
fn peaks_in_the_same_order_are_matched_to_the_nearest() {
    let side = |place: f64| side(&peak(place, 0.3));
    let pairs = aligned(&[side(100.0), side(1000.0)], &[side(110.0), side(300.0), side(1100.0)]);
    let places: Vec<(Option<f64>, Option<f64>)> =
        pairs.iter().map(|(a, b)| (a.map(|p| p.place_ns), b.map(|p| p.place_ns))).collect();
    assert_eq!(
        places,
        [(Some(100.0), Some(110.0)), (None, Some(300.0)), (Some(1000.0), Some(1100.0))]
    );
}
