//! Peaks of A and of B, matched by place: a peak that moved is another finding than one that grew.
//!
//! Matching keeps the order of places and finds the cheapest alignment (the dynamic programme of Needleman & Wunsch 1970): leaving a
//! peak alone costs 1, matching two what they differ in place and mass. What changed is then judged between launches, as everything is.

use serde::{Deserialize, Serialize};

use crate::analysis::Peak;

use super::contrast::{Contrast, Side};
use super::launch::Launch;
use super::{CompareOptions, holm};

/// A peak of one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeakSide {
    /// Where it is highest, ns.
    pub place_ns: f64,
    /// Its part of the messages, 0 to 1.
    pub mass: f64,
    /// Its part of all time in the stage, 0 to 1.
    pub time_share: f64,
    /// The valleys on either side, ns.
    pub region_ns: (f64, f64),
}

/// What became of a peak from A to B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PeakChange {
    /// Neither its place nor its mass changed by as much as matters and can be told.
    Same,
    /// It is elsewhere.
    Moved,
    /// It has more or fewer of the messages.
    MassChanged,
    /// Both.
    MovedAndMassChanged,
    /// Only B has it, and more messages there than A.
    New,
    /// Only A has it, and more messages there than B.
    Gone,
    /// Only one has it, but these launches cannot tell how many messages lie there apart from those of the other.
    Unclear,
}

/// A peak of A and one of B that are the same, or one that only one of them has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeakMatch {
    /// A's.
    pub a: Option<PeakSide>,
    /// B's.
    pub b: Option<PeakSide>,
    /// What became of it.
    pub change: PeakChange,
    /// By how much its middle moved (the median of the messages in both peaks' regions), as a part of A's, and the interval; where both
    /// have it, in two launches each.
    pub place_change: Option<(f64, (f64, f64))>,
    /// B's part of the messages in these regions minus A's, and the interval; with two launches of each.
    pub mass_change: Option<(f64, (f64, f64))>,
}

/// A factor between places that costs as much as leaving one peak alone.
const FACTOR_OF_PLACE: f64 = 2.0;
/// The same between masses, which often change while the peak stays where it is.
const FACTOR_OF_MASS: f64 = 1000.0;

/// The peaks of two runs, by place.
pub(super) fn matched(
    sides: &[Vec<Launch>; 2],
    peaks: [&[Peak]; 2],
    options: &CompareOptions,
) -> Vec<PeakMatch> {
    let [a, b] = peaks.map(|peaks| {
        let mut peaks: Vec<PeakSide> = peaks.iter().map(side).collect();
        peaks.sort_by(|one, other| one.place_ns.total_cmp(&other.place_ns));
        peaks
    });
    let pairs = aligned(&a, &b);
    let contrasts: Vec<Contrasts> = pairs.iter().map(|pair| Contrasts::of(sides, *pair)).collect();
    let chances: Vec<f64> = contrasts.iter().flat_map(Contrasts::chances).collect();
    let mut chances = holm::corrected(&chances).into_iter();
    let mut judge = |(pair, contrasts): ((Option<PeakSide>, Option<PeakSide>), Contrasts)| {
        let corrected: Vec<f64> = chances.by_ref().take(contrasts.chances().count()).collect();
        judged(pair, &contrasts, &corrected, options)
    };
    pairs.into_iter().zip(contrasts).map(&mut judge).collect()
}

fn side(peak: &Peak) -> PeakSide {
    PeakSide {
        place_ns: peak.place_ns,
        mass: peak.mass,
        time_share: peak.time_share,
        region_ns: (peak.from_ns, peak.to_ns),
    }
}

/// The cheapest alignment of two ascending lists.
fn aligned(a: &[PeakSide], b: &[PeakSide]) -> Vec<(Option<PeakSide>, Option<PeakSide>)> {
    let width = b.len() + 1;
    let mut cost = vec![0.0_f64; (a.len() + 1) * width];
    for at in (0..=a.len()).rev() {
        for bt in (0..=b.len()).rev() {
            cost[at * width + bt] = match (a.get(at), b.get(bt)) {
                (None, None) => 0.0,
                (Some(_), None) => 1.0 + cost[(at + 1) * width + bt],
                (None, Some(_)) => 1.0 + cost[at * width + bt + 1],
                (Some(one), Some(other)) => {
                    let alone = 1.0 + cost[(at + 1) * width + bt].min(cost[at * width + bt + 1]);
                    alone.min(apart(one, other) + cost[(at + 1) * width + bt + 1])
                }
            };
        }
    }
    let mut pairs = Vec::new();
    let (mut at, mut bt) = (0, 0);
    while at < a.len() || bt < b.len() {
        let here = cost[at * width + bt];
        let (one, other) = (a.get(at).copied(), b.get(bt).copied());
        let both = one.zip(other).filter(|(x, y)| apart(x, y) + cost[(at + 1) * width + bt + 1] <= here);
        if both.is_some() {
            (at, bt) = (at + 1, bt + 1);
            pairs.push((one, other));
        } else if one.is_some() && 1.0 + cost[(at + 1) * width + bt] <= here {
            at += 1;
            pairs.push((one, None));
        } else {
            bt += 1;
            pairs.push((None, other));
        }
    }
    pairs
}

/// What matching two peaks costs.
fn apart(one: &PeakSide, other: &PeakSide) -> f64 {
    let factor = |x: f64, y: f64| (x.max(f64::MIN_POSITIVE) / y.max(f64::MIN_POSITIVE)).ln().abs();
    factor(one.place_ns, other.place_ns) / FACTOR_OF_PLACE.ln()
        + factor(one.mass, other.mass) / FACTOR_OF_MASS.ln()
}

/// The differences of a pair between launches.
struct Contrasts {
    /// Of the logarithms of places.
    place: Option<Contrast>,
    mass: Option<Contrast>,
}

impl Contrasts {
    /// Both runs are asked about the same region, all of both peaks: valleys lie where noise puts them, and a peak that only
    /// one run shows divided would else seem to have moved in the other.
    fn of(sides: &[Vec<Launch>; 2], (a, b): (Option<PeakSide>, Option<PeakSide>)) -> Contrasts {
        let regions = a.iter().chain(&b).map(|peak| peak.region_ns);
        let union = |x: (f64, f64), y: (f64, f64)| (x.0.min(y.0), x.1.max(y.1));
        let Some(region) = regions.reduce(union) else { return Contrasts { place: None, mass: None } };
        let within = |launches: &[Launch]| -> (Vec<f64>, Vec<f64>) {
            let all: Vec<(f64, Option<f64>)> =
                launches.iter().map(|launch| launch.within(region.0, region.1)).collect();
            let places = all.iter().filter_map(|(_, place)| place.filter(|place| *place > 0.0));
            (all.iter().map(|(mass, _)| *mass).collect(), places.map(f64::ln).collect())
        };
        let (mass_a, place_a) = within(&sides[0]);
        let (mass_b, place_b) = within(&sides[1]);
        let contrast = |x: &[f64], y: &[f64]| {
            Side::of(x, 0.0).zip(Side::of(y, 0.0)).map(|(x, y)| Contrast::between(&x, &y))
        };
        let both = a.is_some() && b.is_some();
        let place = if both { contrast(&place_a, &place_b) } else { None };
        Contrasts { place, mass: contrast(&mass_a, &mass_b) }
    }

    fn chances(&self) -> impl Iterator<Item = f64> + '_ {
        [self.place, self.mass].into_iter().flatten().map(|contrast| contrast.chance())
    }
}

fn judged(
    (a, b): (Option<PeakSide>, Option<PeakSide>),
    contrasts: &Contrasts,
    corrected: &[f64],
    options: &CompareOptions,
) -> PeakMatch {
    let outside = 1.0 - options.confidence;
    let mut chances = corrected.iter();
    let mut sure =
        |contrast: Option<Contrast>| contrast.is_some() && chances.next().is_some_and(|c| *c < outside);
    let (place_sure, mass_sure) = (sure(contrasts.place), sure(contrasts.mass));
    let with_interval = |contrast: Contrast, shown: fn(f64) -> f64| {
        let (low, high) = contrast.interval(outside);
        (shown(contrast.estimate), (shown(low), shown(high)))
    };
    let place_change = contrasts.place.map(|contrast| with_interval(contrast, f64::exp_m1));
    let mass_change = contrasts.mass.map(|contrast| with_interval(contrast, |part| part));
    let moved = place_sure && place_change.is_some_and(|(by, _)| by.abs() >= options.least);
    let matters = |by: f64| by.abs() >= options.least * a.or(b).map_or(0.0, |peak| peak.mass);
    let grew = mass_sure && mass_change.is_some_and(|(by, _)| matters(by));
    let sign = mass_change.map_or(0.0, |(by, _)| by);
    let change = match (a.is_some(), b.is_some()) {
        (true, true) => match (moved, grew) {
            (true, true) => PeakChange::MovedAndMassChanged,
            (true, false) => PeakChange::Moved,
            (false, true) => PeakChange::MassChanged,
            (false, false) => PeakChange::Same,
        },
        (false, _) if grew && sign > 0.0 => PeakChange::New,
        (true, _) if grew && sign < 0.0 => PeakChange::Gone,
        _ => PeakChange::Unclear,
    };
    PeakMatch { a, b, change, place_change, mass_change }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::Block;

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

    /// A launch with so many of a thousand messages at each place, spread a little; `own` shifts all of them.
    fn launch(places: &[(f64, usize)], own: f64) -> Launch {
        let mut block = Block::default();
        for (place, count) in places {
            (0..*count).for_each(|at| block[0].add((place * (1.0 + own) * (1.0 + at as f64 / 1e5)) as i64));
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
        use PeakChange::{Gone, MassChanged, Moved, MovedAndMassChanged, New, Same};
        let a = [(1e3, 900), (5e4, 100)];
        assert_eq!(changes(&a, &a), [Same, Same]);
        assert_eq!(changes(&a, &[(1e3, 900), (6e4, 100)]), [Same, Moved]);
        assert_eq!(changes(&a, &[(1e3, 950), (5e4, 50)]), [MassChanged, MassChanged]);
        assert_eq!(changes(&a, &[(1e3, 900), (5e4, 100), (1e6, 50)])[2], New);
        assert_eq!(changes(&[(1e3, 900), (5e4, 50), (1e6, 50)], &[(1e3, 900), (5e4, 50)])[2], Gone);
        assert_eq!(changes(&a, &[(1e3, 800), (7e4, 200)])[1], MovedAndMassChanged);
    }

    #[test]
    fn a_peak_that_only_one_run_resolved_is_unclear() {
        let sides = [launches(&[(1e3, 900), (5e4, 100)]), launches(&[(1e3, 900), (5e4, 100)])];
        let (one, both) = ([peak(1e3, 0.9)], [peak(1e3, 0.9), peak(5e4, 0.1)]);
        let found = matched(&sides, [&one, &both], &CompareOptions::default());
        assert_eq!(found[1].change, PeakChange::Unclear);
        assert!(found[1].a.is_none() && found[1].b.is_some());
    }

    #[test]
    fn valleys_that_noise_moved_change_nothing() {
        let places = [(1e3, 500), (1.2e3, 300), (1.5e3, 200)];
        let sides = [launches(&places), launches(&places)];
        let (broad, narrow) = (peak(1e3, 1.0), peak(1e3, 0.5));
        let broad = Peak { to_ns: 2e3, ..broad };
        let found = matched(&sides, [&[broad], &[narrow]], &CompareOptions::default());
        assert_eq!(found.iter().map(|found| found.change).collect::<Vec<_>>(), [PeakChange::Same]);
    }

    #[test]
    fn a_single_launch_decides_nothing() {
        let sides = [vec![launch(&[(1e3, 1000)], 0.0)], vec![launch(&[(2e3, 1000)], 0.0)]];
        let found = matched(&sides, [&[peak(1e3, 1.0)], &[peak(2e3, 1.0)]], &CompareOptions::default());
        assert!(found.iter().all(|found| found.mass_change.is_none()), "{found:?}");
        assert!(found.iter().all(|found| matches!(found.change, PeakChange::Same | PeakChange::Unclear)));
    }

    #[test]
    fn peaks_in_the_same_order_are_matched_to_the_nearest() {
        let side = |place: f64| side(&peak(place, 0.3));
        let pairs = aligned(&[side(100.0), side(1000.0)], &[side(110.0), side(300.0), side(1100.0)]);
        let places: Vec<(Option<f64>, Option<f64>)> =
            pairs.iter().map(|(a, b)| (a.map(|p| p.place_ns), b.map(|p| p.place_ns))).collect();
        assert_eq!(places, [(Some(100.0), Some(110.0)), (None, Some(300.0)), (Some(1000.0), Some(1100.0))]);
    }
}
