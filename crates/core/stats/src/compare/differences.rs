//! Quantile by quantile: how much B differs from A, and what may be said of it.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

use super::contrast::Contrast;
use super::launch::Launch;
use super::level::Level;
use super::{CompareOptions, Figure, holm};
use crate::launches::Reason;

/// The quantiles that a verdict is about.
const QUANTILES: [f64; 5] = [0.1, 0.5, 0.9, 0.99, 0.999];

/// The difference at one quantile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Which, 0 to 1.
    pub p: f64,
    /// Of A and of B, ns: the geometric means of their launches' quantiles.
    pub values_ns: (f64, f64),
    /// B's over A's.
    pub ratio: f64,
    /// Its interval, by itself (not corrected for the other quantiles); `None` below three launches
    /// of either, and where it is so wide that it says nothing.
    pub interval: Option<(f64, f64)>,
    /// How likely a ratio as far from 1 as this between equals, corrected for all quantiles that
    /// were looked at; `None` below three launches of either.
    pub chance: Option<f64>,
    /// What may be said.
    pub outcome: Outcome,
    /// Why nothing is decided, where nothing is.
    pub reason: Option<Reason>,
    /// Where the launches vary too much: about so many a side, as much alike as these, would decide
    /// it; `None` beyond a hundred.
    pub launches_needed: Option<u32>,
}

impl Difference {
    /// Whether B is faster here even as one quantile among several.
    pub fn is_surely_faster(&self, level: f64) -> bool {
        self.outcome == Outcome::Faster && self.chance.is_some_and(|chance| chance < level)
    }
}

/// What may be said of a quantile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// B is slower, by as much as matters.
    Slower,
    /// B is faster, by as much as matters. This quantile taken alone: a verdict asks for the
    /// corrected chance, too, as it does of [`Outcome::Slower`] here.
    Faster,
    /// B is not slower by as much as matters.
    NotSlower,
    /// None of these is sure.
    Undecided,
}

/// Every quantile that all launches have messages for and whose values are above 0 (only such have
/// a ratio).
pub(super) fn quantiles(sides: &[Vec<Launch>; 2], options: &CompareOptions) -> Vec<Difference> {
    let figures = QUANTILES.map(Figure::Quantile);
    let measured: Vec<(f64, Measurement)> = QUANTILES
        .into_iter()
        .zip(figures)
        .filter_map(|(p, figure)| Some((p, logarithms(sides, figure, options)?)))
        .collect();
    let chance = |m: &(f64, Measurement)| m.1.contrast.as_ref().map_or(1.0, Contrast::chance);
    let chances = holm::corrected(&measured.iter().map(chance).collect::<Vec<_>>());
    let count = measured.len();
    measured
        .into_iter()
        .zip(chances)
        .map(|((p, m), chance)| difference(p, &m, chance, count, options))
        .collect()
}

/// Of one figure, on some scale: the means over the launches, and their contrast where there are
/// launches enough.
pub(super) struct Measurement {
    pub means: (f64, f64),
    pub contrast: Option<Contrast>,
}

/// Of the figure's logarithms; `None` where a launch has too few messages or a value not above 0.
pub(super) fn logarithms(
    sides: &[Vec<Launch>; 2],
    figure: Figure,
    options: &CompareOptions,
) -> Option<Measurement> {
    measured(sides, figure, f64::ln, options)
}

/// Of the figure itself.
pub(super) fn plain(
    sides: &[Vec<Launch>; 2],
    figure: Figure,
    options: &CompareOptions,
) -> Option<Measurement> {
    measured(sides, figure, |value| value, options)
}

fn measured(
    sides: &[Vec<Launch>; 2],
    figure: Figure,
    scale: fn(f64) -> f64,
    options: &CompareOptions,
) -> Option<Measurement> {
    let mut random = Pcg64Mcg::seed_from_u64(options.seed);
    let a = Level::of(&sides[0], figure, scale, &mut random)?;
    let b = Level::of(&sides[1], figure, scale, &mut random)?;
    let contrast = if let (Some(a), Some(b)) = (a.side(), b.side()) {
        Some(Contrast::between(&a, &b))
    } else {
        None
    };
    Some(Measurement { means: (a.mean, b.mean), contrast })
}

pub(super) fn difference(
    p: f64,
    m: &Measurement,
    chance: f64,
    count: usize,
    options: &CompareOptions,
) -> Difference {
    let outside = 1.0 - options.confidence;
    let outcome =
        m.contrast.map_or(Outcome::Undecided, |contrast| outcome(&contrast, chance, options));
    let undecided = outcome == Outcome::Undecided;
    Difference {
        p,
        values_ns: (m.means.0.exp(), m.means.1.exp()),
        ratio: (m.means.1 - m.means.0).exp(),
        interval: m.contrast.and_then(|contrast| contrast.ratio_interval(outside).ok()),
        chance: m.contrast.map(|_| chance),
        outcome,
        reason: undecided.then_some(match m.contrast {
            None => Reason::TooFewLaunches,
            Some(_) if chance < outside => Reason::CloseToLeast,
            Some(contrast) if contrast.chance() < outside => Reason::OneOfSeveral,
            Some(_) => Reason::SpreadTooWide,
        }),
        launches_needed: m
            .contrast
            .filter(|_| undecided)
            .and_then(|contrast| launches_needed(&contrast, outside, count, options)),
    }
}

/// Were what was seen the truth: a difference that matters must differ from none at the corrected
/// level, a smaller one must surely be less than the least that matters.
fn launches_needed(
    contrast: &Contrast,
    outside: f64,
    count: usize,
    options: &CompareOptions,
) -> Option<u32> {
    let least = options.least.ln_1p();
    match contrast.estimate {
        seen if seen.abs() >= least => contrast.launches_for(seen.abs(), outside / count as f64),
        seen => contrast.launches_for(least - seen, 2.0 * outside),
    }
}

fn outcome(contrast: &Contrast, chance: f64, options: &CompareOptions) -> Outcome {
    let (level, least) = (1.0 - options.confidence, options.least.ln_1p());
    let differs = chance < level;
    if differs && contrast.estimate >= least {
        Outcome::Slower
    } else if contrast.chance() < level && contrast.estimate <= -least {
        Outcome::Faster
    } else if contrast.chance_below(least) < level {
        Outcome::NotSlower
    } else {
        Outcome::Undecided
    }
}

#[cfg(test)]
mod tests {
    use super::super::contrast::Side;
    use super::*;

    /// Of logarithms: what is seen of three launches each, corrected for five quantiles.
    fn seen(b: [f64; 3]) -> Difference {
        let side = |values: &[f64]| Side::of(values, 0.0).expect("three launches");
        let contrast = Contrast::between(&side(&[0.0, 0.1, -0.1]), &side(&b));
        let m = Measurement { means: (0.0, contrast.estimate), contrast: Some(contrast) };
        let chance = 5.0 * contrast.chance();
        let options = CompareOptions { confidence: 0.95, least: 0.02, ..CompareOptions::default() };
        difference(0.5, &m, chance, 5, &options)
    }

    /// The word and the interval beside it never say different things.
    #[test]
    fn a_quantile_is_what_its_own_interval_says() {
        let faster = seen([-0.68, -0.5, -0.32]);
        assert!(faster.interval.is_some_and(|(_, high)| high < 0.98), "{faster:?}");
        assert!(faster.chance.is_some_and(|chance| chance > 0.05), "{faster:?}");
        assert_eq!(faster.outcome, Outcome::Faster);
        assert!(!faster.is_surely_faster(0.05));
        let slower = seen([0.68, 0.5, 0.32]);
        let (outcome, why) = (slower.outcome, slower.reason);
        assert_eq!((outcome, why), (Outcome::Undecided, Some(Reason::OneOfSeveral)));
        assert_eq!(seen([0.9, 1.0, 1.1]).outcome, Outcome::Slower);
        assert!(seen([-1.1, -1.0, -0.9]).is_surely_faster(0.05));
    }
}
