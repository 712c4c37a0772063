//! Whether the conditions hold.

use serde::{Deserialize, Serialize};

use super::contrast::Contrast;
use super::differences::{Measurement, logarithms, plain};
use super::launch::Launch;
use super::{CompareOptions, Condition, Limit, holm};

/// A condition, and what the launches say of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// Which.
    pub condition: Condition,
    /// What they say.
    pub answer: Answer,
    /// The figure of A and of B, ns; `None` where launches have too few messages for it.
    pub values_ns: Option<(f64, f64)>,
    /// The change, in the limit's unit (a part, or ns), and its interval; `None` with a single launch of either.
    pub change: Option<(f64, (f64, f64))>,
}

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// It does, with the confidence asked for (all conditions together).
    Holds,
    /// It does not, with the confidence asked for.
    DoesNotHold,
    /// These launches cannot tell.
    Undecided,
}

/// Check each condition; Holm-corrected over them.
pub(super) fn check(sides: &[Vec<Launch>; 2], options: &CompareOptions) -> Vec<Checked> {
    let measured: Vec<Option<Measurement>> =
        options.conditions.iter().map(|condition| measured(sides, condition, options)).collect();
    let holds = |(condition, measured): (&Condition, &Option<Measurement>)| {
        let contrast = measured.as_ref().and_then(|measured| measured.contrast);
        contrast.map_or(1.0, |contrast| chance(&contrast, condition, condition.above))
    };
    let chances: Vec<f64> = options.conditions.iter().zip(&measured).map(holds).collect();
    let all = options.conditions.iter().zip(measured).zip(holm::corrected(&chances));
    all.map(|((condition, measured), chance)| checked(condition, measured, chance, options)).collect()
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
    let shown: fn(f64) -> f64 =
        if let Limit::Part(_) = condition.limit { f64::exp_m1 } else { |value| value };
    let value: fn(f64) -> f64 = if let Limit::Part(_) = condition.limit { f64::exp } else { |value| value };
    let answer = match contrast {
        None => Answer::Undecided,
        Some(_) if chance_holds < outside => Answer::Holds,
        // All must be free of doubt, so that none needs a correction (an intersection of tests).
        Some(contrast) if chance(&contrast, condition, !condition.above) < outside => Answer::DoesNotHold,
        Some(_) => Answer::Undecided,
    };
    Checked {
        condition: condition.clone(),
        answer,
        values_ns: measured.map(|measured| (value(measured.means.0), value(measured.means.1))),
        change: contrast.map(|contrast| {
            let (low, high) = contrast.interval(outside);
            (shown(contrast.estimate), (shown(low), shown(high)))
        }),
    }
}
