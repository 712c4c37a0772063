//! What is seen between two runs at one figure, as one answer among several: the words are
//! corrected for all that is asked beside it.

use serde::{Deserialize, Serialize};

use super::contrast::Contrast;
use super::{CompareOptions, holm};
use crate::launches::Reason;

/// How B stands to A at one figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Between {
    /// B's figure over A's.
    pub ratio: f64,
    /// Its interval, by itself; `None` below three launches of either, and where it is so wide that
    /// it says nothing.
    pub interval: Option<(f64, f64)>,
    /// How likely a ratio as far from 1 as this between equals, corrected for all that are asked
    /// together; `None` as the interval below three launches.
    pub chance: Option<f64>,
    /// What may be said.
    pub standing: Standing,
    /// Why nothing is decided, where nothing is.
    pub reason: Option<Reason>,
}

/// What may be said of B against A, all such answers together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// B is slower, by as much as matters.
    Slower,
    /// B is faster, by as much as matters.
    Faster,
    /// They differ by less than matters, either way.
    Same,
    /// None of these is sure.
    Undecided,
}

impl Standing {
    /// That of A against B.
    pub fn turned(self) -> Standing {
        match self {
            Standing::Slower => Standing::Faster,
            Standing::Faster => Standing::Slower,
            other => other,
        }
    }
}

/// A question: the logarithm of the ratio, and how sure it is where that is known.
pub(super) type Asked = (f64, Option<Contrast>);

/// The answers to all questions together. Two families are corrected by Holm, each for itself: that
/// some differ, and that some differ by less than matters (two one-sided tests each).
pub(super) fn answered(asked: &[Asked], options: &CompareOptions) -> Vec<Between> {
    let least = options.least.ln_1p();
    let known: Vec<Contrast> = asked.iter().filter_map(|(_, contrast)| *contrast).collect();
    let corrected = |chance: &dyn Fn(&Contrast) -> f64| {
        holm::corrected(&known.iter().map(chance).collect::<Vec<_>>()).into_iter()
    };
    let mut differ = corrected(&Contrast::chance);
    let mut same = corrected(&|one| one.chance_below(least).max(one.chance_above(-least)));
    let mut next = || Some((differ.next()?, same.next()?));
    asked
        .iter()
        .map(|(log, contrast)| match contrast {
            None => unknown(*log),
            Some(contrast) => answer(contrast, next().unwrap_or((1.0, 1.0)), options),
        })
        .collect()
}

fn unknown(log: f64) -> Between {
    Between {
        ratio: log.exp(),
        interval: None,
        chance: None,
        standing: Standing::Undecided,
        reason: Some(Reason::TooFewLaunches),
    }
}

fn answer(contrast: &Contrast, (differ, same): (f64, f64), options: &CompareOptions) -> Between {
    let (level, least) = (1.0 - options.confidence, options.least.ln_1p());
    let standing = match contrast.estimate {
        by if differ < level && by >= least => Standing::Slower,
        by if differ < level && by <= -least => Standing::Faster,
        _ if same < level => Standing::Same,
        _ => Standing::Undecided,
    };
    let why = match contrast {
        _ if differ < level => Reason::CloseToLeast,
        contrast if contrast.chance() < level => Reason::OneOfSeveral,
        _ => Reason::SpreadTooWide,
    };
    Between {
        ratio: contrast.estimate.exp(),
        interval: contrast.ratio_interval(level).ok(),
        chance: Some(differ),
        standing,
        reason: (standing == Standing::Undecided).then_some(why),
    }
}

#[cfg(test)]
mod tests {
    use super::super::contrast::Side;
    use super::*;

    fn asked(by: f64, deviation: f64) -> Asked {
        let side = |mean| Side { mean, variance: deviation * deviation, launches: 5 };
        (by, Some(Contrast::between(&side(0.0), &side(by))))
    }

    /// One that would be told alone is not told among ten.
    #[test]
    fn what_is_asked_beside_it_counts() {
        let options = CompareOptions::default();
        let alone = answered(&[asked(0.05, 0.03)], &options);
        assert_eq!((alone[0].standing, alone[0].reason), (Standing::Slower, None));
        let others = std::iter::repeat_n(asked(0.0, 0.03), 9);
        let ten: Vec<Asked> = std::iter::once(asked(0.05, 0.03)).chain(others).collect();
        let first = answered(&ten, &options)[0];
        assert_eq!(first.standing, Standing::Undecided);
        assert_eq!(first.reason, Some(Reason::OneOfSeveral));
        assert_eq!(first.interval, alone[0].interval, "intervals stand each by itself");
    }

    #[test]
    fn same_is_only_what_is_surely_within_the_least_either_way() {
        let options = CompareOptions::default();
        let of = |by, deviation| answered(&[asked(by, deviation)], &options)[0].standing;
        assert_eq!(of(0.0, 0.005), Standing::Same);
        assert_eq!(of(0.01, 0.002), Standing::Same, "it differs, by less than matters");
        assert_eq!(of(0.0, 0.05), Standing::Undecided);
        assert_eq!(of(-0.2, 0.01), Standing::Faster);
        assert_eq!(Standing::Faster.turned(), Standing::Slower);
    }

    #[test]
    fn without_launches_nothing_is_decided_and_nothing_counted() {
        let found = answered(&[(0.5, None), asked(0.05, 0.03)], &CompareOptions::default());
        assert_eq!(found[0].reason, Some(Reason::TooFewLaunches));
        assert!(found[0].interval.is_none() && found[0].chance.is_none());
        assert_eq!(found[1].standing, Standing::Slower, "a question that cannot be answered");
    }
}
