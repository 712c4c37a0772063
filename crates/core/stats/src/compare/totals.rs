//! Sums that a product has of each run, such as the time that ranks were blocked: one value a run,
//! compared by the rules of the quantiles. A sum can be 0, which has no logarithm; such a one is
//! compared as it is, and has no ratio.

use serde::{Deserialize, Serialize};

use super::contrast::{Contrast, Side};
use super::differences::{Difference, Measurement, difference};
use super::level::mean;
use super::{CompareOptions, Outcome, holm};
use crate::launches::Reason;

/// What is compared: its name, and its value in each run of A and of B, ns.
#[derive(Clone, Debug, PartialEq)]
pub struct Total {
    pub name: String,
    pub values_ns: [Vec<f64>; 2],
}

/// The difference of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TotalDifference {
    pub name: String,
    /// Of A and of B, ns: geometric means of the runs; arithmetic ones where a run has 0.
    pub values_ns: (f64, f64),
    /// B's over A's; `None` where a run has 0.
    pub ratio: Option<f64>,
    /// Its interval, as of [`Difference`].
    pub interval: Option<(f64, f64)>,
    /// See [`Difference`]; corrected for all sums that were compared.
    pub chance: Option<f64>,
    pub outcome: Outcome,
    pub reason: Option<Reason>,
    pub launches_needed: Option<u32>,
}

/// Compare them; those that are 0 in every run are left out.
pub fn totals(all: &[Total], options: &CompareOptions) -> Vec<TotalDifference> {
    let known: Vec<&Total> = all.iter().filter(|total| total.is_something()).collect();
    let measured: Vec<(bool, Measurement)> = known.iter().map(|total| total.measured()).collect();
    let chance = |m: &(bool, Measurement)| m.1.contrast.as_ref().map_or(1.0, Contrast::chance);
    let chances = holm::corrected(&measured.iter().map(chance).collect::<Vec<_>>());
    let count = measured.len();
    known
        .into_iter()
        .zip(measured.iter().zip(chances))
        .map(|(total, ((is_ratio, m), chance))| match is_ratio {
            true => of_ratio(total, difference(0.5, m, chance, count, options)),
            false => as_it_is(total, m, chance, options),
        })
        .collect()
}

impl Total {
    fn is_something(&self) -> bool {
        let [a, b] = &self.values_ns;
        !a.is_empty() && !b.is_empty() && a.iter().chain(b).any(|ns| *ns > 0.0)
    }

    /// Whether of the logarithms, and what.
    fn measured(&self) -> (bool, Measurement) {
        let is_ratio = self.values_ns.iter().flatten().all(|ns| *ns > 0.0);
        let scaled = self.values_ns.clone().map(|values| match is_ratio {
            true => values.into_iter().map(f64::ln).collect(),
            false => values,
        });
        let sides = scaled.each_ref().map(|values| Side::of(values, 0.0));
        let contrast = match &sides {
            [Some(a), Some(b)] => Some(Contrast::between(a, b)),
            _ => None,
        };
        (is_ratio, Measurement { means: (mean(&scaled[0]), mean(&scaled[1])), contrast })
    }
}

fn of_ratio(total: &Total, found: Difference) -> TotalDifference {
    TotalDifference {
        name: total.name.clone(),
        values_ns: found.values_ns,
        ratio: Some(found.ratio),
        interval: found.interval,
        chance: found.chance,
        outcome: found.outcome,
        reason: found.reason,
        launches_needed: found.launches_needed,
    }
}

fn as_it_is(
    total: &Total,
    m: &Measurement,
    chance: f64,
    options: &CompareOptions,
) -> TotalDifference {
    let (level, least) = (1.0 - options.confidence, options.least * m.means.0);
    let outcome = m.contrast.map_or(Outcome::Undecided, |contrast| {
        if chance < level && contrast.estimate >= least {
            Outcome::Slower
        } else if contrast.chance() < level && contrast.estimate <= -least {
            Outcome::Faster
        } else if contrast.chance_below(least) < level {
            Outcome::NotSlower
        } else {
            Outcome::Undecided
        }
    });
    let reason = (outcome == Outcome::Undecided).then(|| match m.contrast {
        None => Reason::TooFewLaunches,
        Some(_) if chance < level => Reason::CloseToLeast,
        Some(contrast) if contrast.chance() < level => Reason::OneOfSeveral,
        Some(_) => Reason::SpreadTooWide,
    });
    TotalDifference {
        name: total.name.clone(),
        values_ns: m.means,
        ratio: None,
        interval: None,
        chance: m.contrast.map(|_| chance),
        outcome,
        reason,
        launches_needed: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(a: &[f64], b: &[f64]) -> Total {
        Total { name: "x".to_owned(), values_ns: [a.to_vec(), b.to_vec()] }
    }

    fn one(a: &[f64], b: &[f64]) -> TotalDifference {
        totals(&[total(a, b)], &CompareOptions::default()).remove(0)
    }

    #[test]
    fn three_runs_a_side_decide_and_one_does_not() {
        let longer = one(&[100.0, 101.0, 99.0], &[200.0, 203.0, 198.0]);
        assert_eq!(longer.outcome, Outcome::Slower);
        assert!((longer.ratio.unwrap() - 2.0).abs() < 0.02, "{longer:?}");
        assert!(longer.interval.is_some_and(|(low, high)| low < 2.0 && high > 2.0), "{longer:?}");
        let single = one(&[100.0], &[200.0]);
        assert_eq!(single.outcome, Outcome::Undecided);
        assert_eq!((single.reason, single.interval), (Some(Reason::TooFewLaunches), None));
        let same = one(&[100.0, 101.0, 99.0], &[100.1, 99.0, 101.0]);
        assert!(matches!(same.outcome, Outcome::NotSlower | Outcome::Undecided), "{same:?}");
    }

    #[test]
    fn a_sum_of_nothing_has_no_ratio() {
        let new = one(&[0.0, 0.0, 0.0], &[50.0, 51.0, 49.0]);
        assert_eq!((new.ratio, new.outcome), (None, Outcome::Slower));
        assert_eq!(one(&[50.0, 51.0, 49.0], &[0.0, 0.0, 0.0]).outcome, Outcome::Faster);
        assert!(totals(&[total(&[0.0], &[0.0])], &CompareOptions::default()).is_empty());
        assert!(totals(&[total(&[], &[1.0])], &CompareOptions::default()).is_empty());
    }
}
