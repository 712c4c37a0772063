//! Whether the conditions hold.

use serde::{Deserialize, Serialize};

use super::contrast::Contrast;
use super::differences::{Measurement, logarithms, plain};
use super::launch::Launch;
use super::{CompareOptions, Condition, Limit, holm};
use crate::launches::Reason;

/// A condition, and what the launches say of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    pub condition: Condition,
    /// What they say.
    pub answer: Answer,
    /// The figure of A and of B, ns; `None` where launches have too few messages for it.
    pub values_ns: Option<(f64, f64)>,
    /// B's figure over A's where the limit is a part, B's minus A's in ns where it is a time;
    /// `None` as `values_ns`.
    pub change: Option<f64>,
    /// Its interval; `None` below three launches of either, and where it is so wide that it says
    /// nothing.
    pub interval: Option<(f64, f64)>,
    /// Why nothing is decided, where nothing is.
    pub reason: Option<Reason>,
}

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// It does, with the confidence asked for (all conditions together).
    Holds,
    /// It does not, with the confidence asked for.
    DoesNotHold,
    /// Neither is sure.
    Undecided,
}

/// Check each condition; Holm-corrected over them.
pub(super) fn check(sides: &[Vec<Launch>; 2], options: &CompareOptions) -> Vec<Checked> {
    let all = options.conditions.iter();
    judged(all.map(|one| (one, measured(sides, one, options))).collect(), options)
}

/// What becomes of these conditions, each with what was measured for it; Holm-corrected over them.
pub(super) fn judged(
    all: Vec<(&Condition, Option<Measurement>)>,
    options: &CompareOptions,
) -> Vec<Checked> {
    let holds = |(condition, measured): &(&Condition, Option<Measurement>)| {
        let contrast = measured.as_ref().and_then(|measured| measured.contrast);
        contrast.map_or(1.0, |contrast| chance(&contrast, condition, condition.above))
    };
    let chances = holm::corrected(&all.iter().map(holds).collect::<Vec<_>>());
    all.into_iter()
        .zip(chances)
        .map(|((condition, measured), chance)| checked(condition, measured, chance, options))
        .collect()
}

fn measured(
    sides: &[Vec<Launch>; 2],
    condition: &Condition,
    options: &CompareOptions,
) -> Option<Measurement> {
    match condition.limit {
        Limit::Part(_) => logarithms(sides, condition.figure, options),
        Limit::Time(_) => plain(sides, condition.figure, options),
    }
}

/// How likely what was seen, or more, if the truth were not above the limit (or not below it).
fn chance(contrast: &Contrast, condition: &Condition, above: bool) -> f64 {
    let limit = match condition.limit {
        Limit::Part(part) => part.ln_1p(),
        Limit::Time(ns) => ns,
    };
    if above { contrast.chance_above(limit) } else { contrast.chance_below(limit) }
}

fn checked(
    condition: &Condition,
    measured: Option<Measurement>,
    chance_holds: f64,
    options: &CompareOptions,
) -> Checked {
    let outside = 1.0 - options.confidence;
    let contrast = measured.as_ref().and_then(|measured| measured.contrast);
    let answer = match contrast {
        None => Answer::Undecided,
        Some(_) if chance_holds < outside => Answer::Holds,
        // All must be free of doubt, so that none needs a correction (an intersection of tests).
        Some(contrast) if chance(&contrast, condition, !condition.above) < outside => {
            Answer::DoesNotHold
        }
        Some(_) => Answer::Undecided,
    };
    let reason = match (&measured, contrast) {
        (None, _) => Reason::TooFewMessages,
        (Some(_), None) => Reason::TooFewLaunches,
        (Some(_), Some(_)) => Reason::SpreadTooWide,
    };
    let of_parts = matches!(condition.limit, Limit::Part(_));
    let shown = |value: f64| if of_parts { value.exp() } else { value };
    let values_ns = measured.map(|measured| (shown(measured.means.0), shown(measured.means.1)));
    Checked {
        condition: condition.clone(),
        answer,
        values_ns,
        change: values_ns.map(|(a, b)| if of_parts { b / a } else { b - a }),
        interval: contrast.zip(values_ns).and_then(|(contrast, (a, _))| match of_parts {
            true => contrast.ratio_interval(outside).ok(),
            false => Some(no_less_than(-a, contrast.interval(outside))),
        }),
        reason: (answer == Answer::Undecided).then_some(reason),
    }
}

/// B is no less than 0, so the difference is no less than what takes all of A away; but where A
/// itself is below 0 (clocks that err), so may B be.
fn no_less_than(least: f64, (low, high): (f64, f64)) -> (f64, f64) {
    if least < 0.0 { (low.max(least), high) } else { (low, high) }
}
