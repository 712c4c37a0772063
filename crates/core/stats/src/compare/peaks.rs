//! Peaks of A and of B, matched by place: a peak that moved is another finding than one that grew.
//!
//! Matching keeps the order of places and finds the cheapest alignment (the dynamic programme of
//! Needleman & Wunsch 1970): leaving a peak alone costs 1, matching two what they differ in place
//! and mass. What is said of a pair is the difference of the figures that are shown, the places and
//! masses of the peaks themselves; launches only say how sure it is.

use serde::{Deserialize, Serialize};

use crate::analysis::Peak;
use crate::launches::{Reason, of_ratio};

use super::contrast::{Contrast, Side};
use super::launch::Launch;
use super::peak_side::PeakSide;
use super::{CompareOptions, holm, place};

/// What became of a peak from A to B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PeakChange {
    /// Both have it, and neither its place nor its mass differs by as much as matters.
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
    /// Only B has it, in the region of a peak of A, and is not shown to have more messages there.
    Split,
    /// Only A has it, in the region of a peak of B, and is not shown to have more messages there.
    Merged,
    /// None of these is sure.
    Undecided,
}

/// How a figure of a peak differs between A and B, and what may be said of that.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeakDifference {
    /// The difference.
    pub by: f64,
    /// Its interval; `None` below three launches of either, and where it is so wide that it says
    /// nothing.
    pub interval: Option<(f64, f64)>,
    /// Whether it surely differs by as much as matters, or surely does not; `None` where neither is
    /// sure.
    pub differs: Option<bool>,
    /// Why neither is sure.
    pub reason: Option<Reason>,
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
    /// B's place over A's, where both have it and both places are above 0.
    pub place: Option<PeakDifference>,
    /// B's mass minus A's. Where only one of them has the peak: of the messages in its region.
    pub mass: PeakDifference,
    /// Of a peak that was split or merged: the place of the other run's peak in whose region it
    /// lies, ns.
    pub within_ns: Option<f64>,
}

/// A factor between places that costs as much as leaving one peak alone.
const FACTOR_OF_PLACE: f64 = 2.0;
/// The same between masses, which often change while the peak stays where it is.
const FACTOR_OF_MASS: f64 = 1000.0;

type Pair = (Option<PeakSide>, Option<PeakSide>);

/// The peaks of two runs, by place.
pub(super) fn matched(
    sides: &[Vec<Launch>; 2],
    peaks: [&[Peak]; 2],
    options: &CompareOptions,
) -> Vec<PeakMatch> {
    let peaks = peaks.map(|peaks| {
        let mut peaks: Vec<PeakSide> = peaks.iter().map(side).collect();
        peaks.sort_by(|one, other| one.place_ns.total_cmp(&other.place_ns));
        peaks
    });
    let pairs = aligned(&peaks[0], &peaks[1]);
    let contrasts: Vec<Contrasts> = pairs.iter().map(|pair| Contrasts::of(sides, *pair)).collect();
    let chances: Vec<f64> = contrasts.iter().flat_map(Contrasts::chances).collect();
    let mut chances = holm::corrected(&chances).into_iter();
    let judge = |(pair, contrasts): (Pair, Contrasts)| {
        let mut next =
            |contrast: Option<Contrast>| contrast.and_then(|_| chances.next()).unwrap_or(1.0);
        let corrected = (next(contrasts.place), next(contrasts.mass));
        judged(pair, &contrasts, corrected, &peaks, options)
    };
    pairs.into_iter().zip(contrasts).map(judge).collect()
}

fn side(peak: &Peak) -> PeakSide {
    PeakSide {
        place_ns: peak.place_ns,
        mass: peak.mass,
        time_share: peak.time_share,
        region_ns: (peak.from_ns, peak.to_ns),
        width_ns: peak.width_ns,
    }
}

/// The cheapest alignment of two ascending lists.
fn aligned(a: &[PeakSide], b: &[PeakSide]) -> Vec<Pair> {
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
        let both =
            one.zip(other).filter(|(x, y)| apart(x, y) + cost[(at + 1) * width + bt + 1] <= here);
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

/// What launches say of a pair.
struct Contrasts {
    /// Of the logarithms of the places.
    place: Option<Contrast>,
    /// Of the masses.
    mass: Option<Contrast>,
    /// Of the messages in both peaks' regions together.
    together: Option<Contrast>,
    /// Parts of the messages, where only one has the peak: in its region.
    masses: (f64, f64),
}

impl Contrasts {
    fn of(sides: &[Vec<Launch>; 2], (a, b): Pair) -> Contrasts {
        let own = [a, b].map(|peak| peak.or(a).or(b).map_or((0.0, 0.0), |peak| peak.region_ns));
        let both = (own[0].0.min(own[1].0), own[0].1.max(own[1].1));
        let shown = |peak: Option<PeakSide>, at: usize| {
            peak.map_or_else(|| part_within(&sides[at], own[at]), |peak| peak.mass)
        };
        let masses = (shown(a, 0), shown(b, 1));
        let of_part =
            |at: usize, region: (f64, f64), shown: f64| mass_side(&sides[at], region, shown);
        let contrast =
            |a: Option<Side>, b: Option<Side>| a.zip(b).map(|(a, b)| Contrast::between(&a, &b));
        let place = a
            .zip(b)
            .and_then(|(a, b)| contrast(place::of(&sides[0], &a), place::of(&sides[1], &b)));
        Contrasts {
            place,
            mass: contrast(of_part(0, own[0], masses.0), of_part(1, own[1], masses.1)),
            together: contrast(
                of_part(0, both, part_within(&sides[0], both)),
                of_part(1, both, part_within(&sides[1], both)),
            ),
            masses,
        }
    }

    /// Those that are corrected for each other, in the order in which they are taken back.
    fn chances(&self) -> impl Iterator<Item = f64> + '_ {
        [self.place, self.mass].into_iter().flatten().map(|contrast| contrast.chance())
    }
}

/// Part of the messages of all launches in a region.
fn part_within(launches: &[Launch], region: (f64, f64)) -> f64 {
    let all: f64 = launches.iter().map(Launch::count).sum();
    let inside: f64 =
        launches.iter().map(|launch| launch.part_within(region.0, region.1) * launch.count()).sum();
    if all > 0.0 { inside / all } else { 0.0 }
}

/// The part that is shown, with the variance of a launch's part: at least what independent messages
/// have.
fn mass_side(launches: &[Launch], region: (f64, f64), shown: f64) -> Option<Side> {
    let parts: Vec<f64> =
        launches.iter().map(|launch| launch.part_within(region.0, region.1)).collect();
    let count = launches.iter().map(Launch::count).sum::<f64>() / launches.len().max(1) as f64;
    let chance = shown * (1.0 - shown) / count.max(1.0);
    Side::of(&parts, chance.max(0.0)).map(|side| Side { mean: shown, ..side })
}

fn judged(
    (a, b): Pair,
    contrasts: &Contrasts,
    corrected: (f64, f64),
    peaks: &[Vec<PeakSide>; 2],
    options: &CompareOptions,
) -> PeakMatch {
    let place =
        a.zip(b).and_then(|(a, b)| place_difference(&a, &b, contrasts, corrected.0, options));
    let moved = place.and_then(|place| place.differs);
    let mut mass = mass_difference(contrasts, corrected.1, options);
    // Valleys lie where noise puts them: if the messages in both regions together are as many as
    // before, the peak has only been divided otherwise from its neighbour.
    let divided = |together: Contrast| {
        let sure = together.chance() < 1.0 - options.confidence;
        !sure || (together.estimate > 0.0) != (mass.by > 0.0)
    };
    if moved != Some(true) && contrasts.together.is_some_and(divided) && mass.differs == Some(true)
    {
        mass = PeakDifference { differs: None, reason: Some(Reason::SpreadTooWide), ..mass };
    }
    let inside = |peak: PeakSide, others: &[PeakSide]| {
        let holds =
            |other: &&PeakSide| (other.region_ns.0..=other.region_ns.1).contains(&peak.place_ns);
        others.iter().find(holds).map(|other| other.place_ns)
    };
    let within_ns = match (a, b) {
        (None, Some(b)) => inside(b, &peaks[0]),
        (Some(a), None) => inside(a, &peaks[1]),
        _ => None,
    };
    let within_ns = within_ns.filter(|_| contrasts.mass.is_some());
    let change = match (a.is_some(), b.is_some()) {
        (true, true) => of_both(moved, mass.differs, place.is_some()),
        (false, _) if mass.differs == Some(true) && mass.by > 0.0 => PeakChange::New,
        (true, _) if mass.differs == Some(true) && mass.by < 0.0 => PeakChange::Gone,
        (false, _) if within_ns.is_some() => PeakChange::Split,
        (true, _) if within_ns.is_some() => PeakChange::Merged,
        _ => PeakChange::Undecided,
    };
    let within_ns = within_ns.filter(|_| matches!(change, PeakChange::Split | PeakChange::Merged));
    PeakMatch { a, b, change, place, mass, within_ns }
}

fn of_both(moved: Option<bool>, grew: Option<bool>, has_ratio: bool) -> PeakChange {
    match (moved, grew) {
        (Some(true), Some(true)) => PeakChange::MovedAndMassChanged,
        (Some(true), _) => PeakChange::Moved,
        (_, Some(true)) => PeakChange::MassChanged,
        (Some(false), Some(false)) if has_ratio => PeakChange::Same,
        _ => PeakChange::Undecided,
    }
}

fn place_difference(
    a: &PeakSide,
    b: &PeakSide,
    contrasts: &Contrasts,
    chance: f64,
    options: &CompareOptions,
) -> Option<PeakDifference> {
    let contrast = contrasts.place;
    if !(a.place_ns > 0.0 && b.place_ns > 0.0) {
        return None;
    }
    let by = b.place_ns / a.place_ns;
    let (outside, least) = (1.0 - options.confidence, options.least.ln_1p());
    let half = contrast.map(|contrast| contrast.half(outside));
    // About the ratio that is shown.
    let interval = half.and_then(|half| of_ratio(by.ln(), half).ok());
    let differs = contrast.and_then(|_| match by.ln().abs() {
        by if chance < outside && by >= least => Some(true),
        by if half.is_some_and(|half| by + half < least) => Some(false),
        _ => None,
    });
    // Launches there are, but too few of them have messages of this peak.
    let reason = match contrast.is_none() && contrasts.mass.is_some() {
        true => Some(Reason::TooFewMessages),
        false => reason(contrast, chance < outside, differs),
    };
    Some(PeakDifference { by, interval, differs, reason })
}

fn mass_difference(contrasts: &Contrasts, chance: f64, options: &CompareOptions) -> PeakDifference {
    let (a, b) = contrasts.masses;
    let (by, outside, least) = (b - a, 1.0 - options.confidence, options.least * a.max(b));
    let half = contrasts.mass.map(|contrast| contrast.half(outside));
    let differs = half.and_then(|half| match by.abs() {
        by if chance < outside && by >= least => Some(true),
        by if by + half < least => Some(false),
        _ => None,
    });
    // No part is below 0 or above 1.
    let interval = half.map(|half| ((by - half).max(-1.0), (by + half).min(1.0)));
    PeakDifference {
        by,
        interval,
        differs,
        reason: reason(contrasts.mass, chance < outside, differs),
    }
}

/// `sure`: that there is a difference.
fn reason(contrast: Option<Contrast>, sure: bool, differs: Option<bool>) -> Option<Reason> {
    match (contrast, differs) {
        (_, Some(_)) => None,
        (None, None) => Some(Reason::TooFewLaunches),
        (Some(_), None) if sure => Some(Reason::CloseToLeast),
        (Some(_), None) => Some(Reason::SpreadTooWide),
    }
}

#[cfg(test)]
mod tests;
