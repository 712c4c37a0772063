//! From the values of launches to a verdict.
//!
//! What launches measured has an interval of 99 % (Student's t between launches): a statement holds
//! when the whole interval meets it and does not hold when none of it does, and else it is
//! undecided. So a verdict that is not "undecided" is the same on another day, but for one in a
//! hundred. What is counted, or simulated under a seed, is the same every time and needs no
//! interval.

use crate::card::{Check, CheckKind, CheckUnit, Holds};
use crate::query::Answer;
use stats::launches::LAUNCHES_LEAST;
use stats::means::of_launches;
use stats::speedup::Estimate;

/// How likely a truth lies outside its interval.
const OUTSIDE: f64 = 0.01;
/// Three figures show no difference smaller than that.
const FINE: f64 = 0.005;

/// What is to be said of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nothing must hold: the value is only shown.
    Shown,
    /// The figure shows the part of the messages that the document's does; no more is said.
    Drawn,
    /// It holds.
    Holds,
    /// It cannot be tried here.
    NotPossible,
    /// The document's own figures say otherwise.
    Contradiction,
    /// The launches do not decide it.
    Undecided,
    /// It does not hold.
    DoesNotHold,
}

/// A value, how certain it is, and the verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Over launches; `None` where there is none.
    pub value: Option<f64>,
    /// The ends of its interval.
    pub interval: Option<(f64, f64)>,
    /// Launches that gave it.
    pub launches: usize,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it is no other, where that needs saying.
    pub why: String,
}

/// How the values came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Measured: another launch gives something else.
    Measured,
    /// Simulated under a seed: another launch gives the same.
    Simulated,
    /// From the document's own figures.
    Document,
}

impl Judged {
    /// Nothing was to be had, for this reason.
    pub fn not_possible(why: impl Into<String>) -> Judged {
        Judged {
            value: None,
            interval: None,
            launches: 0,
            verdict: Verdict::NotPossible,
            why: why.into(),
        }
    }

    /// What these values, one a launch, say of the check.
    pub fn of(check: &Check, answers: &[Answer], basis: Basis) -> Judged {
        let values: Vec<f64> = answers.iter().filter_map(Answer::number).collect();
        if values.is_empty() {
            return Judged::not_possible(nothing(answers));
        }
        let found = of_launches(&values, has_factors(check, &values), OUTSIDE);
        let Some(Estimate { value, interval }) = found else {
            return Judged::not_possible("a value is no finite number");
        };
        // Launches agree on an order or a shape, or they do not: there is nothing between.
        let is_whole =
            matches!(check.kind, CheckKind::Order | CheckKind::Shape | CheckKind::Example);
        let interval = interval.ok().filter(|_| !is_whole && check.unit != CheckUnit::Truth);
        let (verdict, why) = match check.holds {
            None => (Verdict::Shown, String::new()),
            Some(holds) => decide(check, holds, &values, interval, basis),
        };
        Judged { value: Some(value), interval, launches: values.len(), verdict, why }
    }
}

/// Why there is no value.
fn nothing(answers: &[Answer]) -> String {
    match answers.iter().find(|answer| **answer != Answer::Nothing) {
        Some(Answer::Other(text)) => {
            let short: String = text.chars().take(60).collect();
            format!("the value is no number: {short}")
        }
        _ => "the runs have no such value".into(),
    }
}

/// Whether what disturbs the values multiplies them.
fn has_factors(check: &Check, values: &[f64]) -> bool {
    !matches!(check.unit, CheckUnit::Part | CheckUnit::Truth | CheckUnit::Count)
        && values.iter().all(|value| *value > 0.0)
}

fn decide(
    check: &Check,
    holds: Holds,
    values: &[f64],
    interval: Option<(f64, f64)>,
    basis: Basis,
) -> (Verdict, String) {
    let met = values.iter().filter(|value| holds.is_met(**value)).count();
    if check.kind == CheckKind::Example {
        let verdict = if met > 0 { Verdict::Holds } else { Verdict::Undecided };
        return (verdict, met_by(met, values.len()));
    }
    let certain = basis != Basis::Measured || check.kind == CheckKind::Count;
    if certain {
        let verdict = match (met == values.len(), basis) {
            (true, _) => Verdict::Holds,
            (false, Basis::Document) => Verdict::Contradiction,
            (false, _) => Verdict::DoesNotHold,
        };
        let part = met > 0 && met < values.len();
        let why = if part { met_by(met, values.len()) } else { String::new() };
        return (verdict, why);
    }
    if values.len() < LAUNCHES_LEAST {
        return (Verdict::Undecided, format!("it takes {LAUNCHES_LEAST} launches"));
    }
    // An order or a shape has no interval: every launch has to say the same.
    if matches!(check.kind, CheckKind::Order | CheckKind::Shape) || holds.is_truth() {
        return match met {
            met if met == values.len() => (Verdict::Holds, String::new()),
            0 => (Verdict::DoesNotHold, String::new()),
            met => (Verdict::Undecided, met_by(met, values.len())),
        };
    }
    match interval {
        Some((low, high)) => by_interval(holds, low, high),
        None => (Verdict::Undecided, "the launches differ too much".into()),
    }
}

fn met_by(met: usize, all: usize) -> String {
    format!("true of {met} of {all} launches")
}

fn by_interval(holds: Holds, low: f64, high: f64) -> (Verdict, String) {
    let [from, to] = holds.bounds();
    if from <= low && high <= to {
        (Verdict::Holds, String::new())
    } else if high < from || to < low {
        (Verdict::DoesNotHold, String::new())
    } else {
        (Verdict::Undecided, "its interval lies on both sides of the bound".into())
    }
}

impl Holds {
    /// Whether it holds of a value.
    pub fn is_met(self, value: f64) -> bool {
        let [from, to] = self.bounds();
        match self {
            Holds::Above(bound) => value > bound,
            Holds::Below(bound) => value < bound,
            _ => from <= value && value <= to,
        }
    }

    /// The values of which it holds.
    pub fn bounds(self) -> [f64; 2] {
        match self {
            Holds::Above(bound) => [bound, f64::INFINITY],
            Holds::Below(bound) => [f64::NEG_INFINITY, bound],
            Holds::Within(bounds) => bounds,
            Holds::About([value, part]) => {
                let off = (value * part).abs();
                [value - off, value + off]
            }
            Holds::Equals(value) => [value, value],
            Holds::True(truth) => [f64::from(u8::from(truth)); 2],
        }
    }

    /// Whether it is about truth.
    fn is_truth(self) -> bool {
        matches!(self, Holds::True(_))
    }

    /// Whether its bounds are closer together than the figures that are usually shown.
    pub fn is_fine(self) -> bool {
        matches!(self, Holds::About([_, part]) if part < FINE)
    }

    /// In words, in the check's unit.
    pub fn words(self, unit: CheckUnit) -> String {
        let show = |value| unit.show(value, self.is_fine());
        match self {
            Holds::Above(bound) => format!("above {}", show(bound)),
            Holds::Below(bound) => format!("below {}", show(bound)),
            Holds::Within([from, to]) => format!("{} to {}", show(from), show(to)),
            Holds::About([value, part]) => {
                format!("{} ± {}", show(value), document::part(part))
            }
            Holds::Equals(value) => format!("exactly {}", show(value)),
            Holds::True(true) => "true".into(),
            Holds::True(false) => "false".into(),
        }
    }
}

impl Verdict {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Shown => "shown",
            Verdict::Drawn => "drawn",
            Verdict::Holds => "holds",
            Verdict::NotPossible => "not possible here",
            Verdict::Contradiction => "the document contradicts itself",
            Verdict::Undecided => "undecided",
            Verdict::DoesNotHold => "does not hold",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: &str, unit: &str, holds: &str) -> Check {
        let text = format!(
            "says = 'x'\nviews = ['a']\ntake = '.a'\n\
             kind = '{kind}'\nunit = '{unit}'\nholds = {holds}"
        );
        toml::from_str(&text).expect("a check")
    }

    fn judged(check: &Check, values: &[f64], basis: Basis) -> Judged {
        let answers: Vec<Answer> = values.iter().map(|value| Answer::Number(*value)).collect();
        Judged::of(check, &answers, basis)
    }

    #[test]
    fn an_interval_on_one_side_of_the_bound_decides() {
        let more = check("ratio", "times", "{ above = 20 }");
        let verdict = |values: &[f64]| judged(&more, values, Basis::Measured).verdict;
        assert_eq!(verdict(&[30.0, 31.0, 29.5]), Verdict::Holds);
        assert_eq!(verdict(&[3.0, 3.1, 2.95]), Verdict::DoesNotHold);
        assert_eq!(verdict(&[19.0, 21.0, 20.5]), Verdict::Undecided);
        assert_eq!(verdict(&[30.0, 31.0]), Verdict::Undecided);
        assert_eq!(judged(&more, &[30.0], Basis::Simulated).verdict, Verdict::Holds);
    }

    #[test]
    fn counts_are_exact_and_documents_may_contradict_themselves() {
        let count = check("count", "count", "{ equals = 5452 }");
        assert_eq!(judged(&count, &[5452.0, 5452.0], Basis::Measured).verdict, Verdict::Holds);
        let off = judged(&count, &[5452.0, 5453.0], Basis::Measured);
        assert_eq!(
            (off.verdict, off.why.as_str()),
            (Verdict::DoesNotHold, "true of 1 of 2 launches")
        );
        assert_eq!(judged(&count, &[5453.0], Basis::Document).verdict, Verdict::Contradiction);
    }

    #[test]
    fn fine_bounds_are_shown_with_the_figures_that_they_are_about() {
        let words = |holds: &str| {
            let check = check("count", "seconds", holds);
            let holds = check.holds.expect("it must hold");
            (holds.words(check.unit), check.unit.show(83.459, holds.is_fine()))
        };
        let (must, value) = words("{ about = [83.459, 1e-5] }");
        assert_eq!(
            (must.as_str(), value.as_str()),
            ("83.459\u{a0}s ± 0.0010\u{a0}%", "83.459\u{a0}s")
        );
        let (must, value) = words("{ about = [83.459, 0.1] }");
        assert_eq!((must.as_str(), value.as_str()), ("83.5\u{a0}s ± 10\u{a0}%", "83.5\u{a0}s"));
    }

    #[test]
    fn truth_takes_launches_that_agree() {
        let order = check("order", "truth", "{ true = true }");
        let of = |truths: &[bool]| {
            let answers: Vec<Answer> = truths.iter().map(|truth| Answer::Truth(*truth)).collect();
            Judged::of(&order, &answers, Basis::Measured).verdict
        };
        assert_eq!(of(&[true, true, true]), Verdict::Holds);
        assert_eq!(of(&[false, false, false]), Verdict::DoesNotHold);
        assert_eq!(of(&[true, true, false]), Verdict::Undecided);
        assert_eq!(of(&[true]), Verdict::Undecided);
        let none = Judged::of(&order, &[Answer::Nothing], Basis::Measured);
        assert_eq!((none.verdict, none.value), (Verdict::NotPossible, None));
    }

    #[test]
    fn one_launch_is_an_example_and_none_proves_nothing() {
        let example = check("example", "truth", "{ true = true }");
        let of = |values: &[f64]| judged(&example, values, Basis::Measured);
        let found = of(&[0.0, 1.0, 0.0]);
        assert_eq!(
            (found.verdict, found.why.as_str()),
            (Verdict::Holds, "true of 1 of 3 launches")
        );
        assert_eq!(of(&[0.0, 0.0, 0.0, 0.0]).verdict, Verdict::Undecided);
    }

    #[test]
    fn bounds_are_said_in_the_unit_of_the_value() {
        assert_eq!(Holds::Above(0.5).words(CheckUnit::Part), "above 50\u{a0}%");
        assert_eq!(Holds::About([83.459, 0.05]).bounds(), [79.28605, 87.63195]);
        assert!(!Holds::Above(20.0).is_met(20.0) && Holds::Within([1.0, 2.0]).is_met(2.0));
    }
}
