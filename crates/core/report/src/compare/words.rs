//! The verdict as a sentence, and the words of the tables.

use stats::compare::{Comparison, Difference, Figure, Measured, Outcome, Standing, Verdict};
use stats::launches::{LAUNCHES_LEAST, Reason};

use crate::ratios::{outcome, range, reason_text};
use document::ratio;
use document::{Colour, quantile_name};

/// How likely by chance alone.
pub(super) fn chance(chance: f64) -> String {
    if chance < 0.001 { "<\u{a0}0.001".to_owned() } else { format!("{chance:.3}") }
}

pub(super) fn stage_name(stage: Measured) -> &'static str {
    match stage {
        Measured::EndToEnd => "end to end",
        Measured::SendWait => "send wait",
        Measured::Transit => "transit",
        Measured::ReceiveWait => "receive wait",
        Measured::Cycle => "whole cycle",
    }
}

/// An outcome's colour; `None` where nothing is to be seen.
pub(super) fn outcome_colour(outcome: Outcome) -> Option<Colour> {
    match outcome {
        Outcome::Slower => Some(Colour("mark")),
        Outcome::Faster => Some(Colour("d")),
        Outcome::NotSlower | Outcome::Undecided => None,
    }
}

/// Faster by its own interval only, not as one quantile among several.
fn is_faster_alone(difference: &Difference, level: f64) -> bool {
    difference.outcome == Outcome::Faster && !difference.is_surely_faster(level)
}

/// What B is at a quantile, with the reason where nothing is decided.
pub(super) fn outcome_words(difference: &Difference, level: f64) -> String {
    let alone = if is_faster_alone(difference, level) { ", taken alone" } else { "" };
    let why = difference.reason.map_or_else(String::new, |why| format!(": {}", reason_text(why)));
    format!("{}{alone}{why}", outcome(difference.outcome))
}

/// The answer in one sentence or two.
pub(super) fn verdict(comparison: &Comparison, simulated: bool) -> String {
    let what = of_stage(comparison.stage);
    let level = 1.0 - comparison.confidence;
    let slower = |q: &Difference| q.outcome == Outcome::Slower;
    let surely = |q: &Difference| q.is_surely_faster(level);
    let found = match comparison.verdict {
        Verdict::Slower => format!("B is slower{what}: {}", by(comparison, &slower, "slower")),
        Verdict::Faster => {
            format!("B is faster{what}: {}", by(comparison, &surely, "faster"))
        }
        Verdict::NotSlower => format!(
            "B is not slower{what}: at no quantile from {} to {} by {} or more",
            comparison.quantiles.first().map_or_else(String::new, |q| quantile_name(q.p)),
            comparison.quantiles.last().map_or_else(String::new, |q| quantile_name(q.p)),
            plain_part(comparison.least)
        ),
        Verdict::Undecided => return undecided(comparison, &what, simulated),
    };
    let mut rest = Vec::new();
    let also = |q: &Difference| comparison.verdict != Verdict::Faster && surely(q);
    rest.extend(joined(&names(comparison, &also)).map(|names| format!("faster at {names}")));
    let alone = |q: &Difference| is_faster_alone(q, level);
    rest.extend(
        joined(&names(comparison, &alone)).map(|names| format!("faster at {names}, taken alone")),
    );
    for (open, reason) in open(comparison) {
        let verb = if open.len() == 1 { "is" } else { "are" };
        let all = joined(&open).unwrap_or_default();
        rest.push(format!("{all} {verb} undecided ({})", reason_text(reason)));
    }
    let rest: String = rest.iter().map(|text| format!("; {text}")).collect();
    format!("{found}{rest}.")
}

/// The first quantile of these with its figure, the median before all others, then the others'
/// names: the table has their figures.
fn by(comparison: &Comparison, wanted: &dyn Fn(&Difference) -> bool, word: &str) -> String {
    let of = |difference: &Difference| {
        let interval = difference.interval.map_or_else(String::new, |i| format!(" ({})", range(i)));
        format!(
            "{} is {} that of A{interval}",
            quantile_name(difference.p),
            ratio(difference.ratio)
        )
    };
    let all = || comparison.quantiles.iter().filter(|difference| wanted(difference));
    let Some(first) = all().find(|q| q.p == 0.5).or_else(|| all().next()) else {
        return String::new();
    };
    let others: Vec<String> =
        all().filter(|q| q.p != first.p).map(|q| quantile_name(q.p)).collect();
    match joined(&others) {
        None => of(first),
        Some(_) if others.len() + 1 == comparison.quantiles.len() => {
            format!("{}; {word} at all other quantiles, too", of(first))
        }
        Some(others) => format!("{}; {word} at {others}, too", of(first)),
    }
}

fn names(comparison: &Comparison, wanted: &dyn Fn(&Difference) -> bool) -> Vec<String> {
    let found = comparison.quantiles.iter().filter(|difference| wanted(difference));
    found.map(|difference| quantile_name(difference.p)).collect()
}

/// The quantiles that are undecided, by reason.
fn open(comparison: &Comparison) -> Vec<(Vec<String>, Reason)> {
    let mut open: Vec<(Vec<String>, Reason)> = Vec::new();
    let all = comparison.quantiles.iter().filter_map(|q| Some((quantile_name(q.p), q.reason?)));
    for (name, reason) in all {
        match open.iter_mut().find(|(_, known)| *known == reason) {
            Some((names, _)) => names.push(name),
            None => open.push((vec![name], reason)),
        }
    }
    open
}

/// `p50, p90 and p99`.
pub(super) fn joined(names: &[String]) -> Option<String> {
    Some(match names.split_last()? {
        (last, []) => last.clone(),
        (last, others) => format!("{} and {last}", others.join(", ")),
    })
}

fn undecided(comparison: &Comparison, what: &str, simulated: bool) -> String {
    let (a, b) = comparison.launches;
    if simulated && a.min(b) < LAUNCHES_LEAST {
        return format!(
            "Undecided{what}: a simulated run has one launch, as each would be the same, so \
            launches do not decide. Simulated figures are exact for their program, seed and \
            machine."
        );
    }
    if a.min(b) < LAUNCHES_LEAST {
        return format!(
            "Undecided{what}: too few launches ({} of A, {b} of B). Below {LAUNCHES_LEAST} of each \
            nothing is known of how \
             launches differ; measure 5 or more of each (bench --launches 5, or several runs of \
             each as --a and --b).",
            launches(a),
        );
    }
    if comparison.quantiles.is_empty() {
        return format!(
            "Undecided{what}: too few messages in a launch, or times of 0; measure more messages \
            per launch."
        );
    }
    let said = |(open, reason): (Vec<String>, Reason)| {
        format!("{}, {}", joined(&open).unwrap_or_default(), reason_text(reason))
    };
    let open = open(comparison).into_iter().map(said).collect::<Vec<_>>().join("; ");
    let settled = joined(&names(comparison, &|q| q.outcome == Outcome::NotSlower))
        .map_or_else(String::new, |settled| {
            format!(" Not slower by {} or more: {settled}.", plain_part(comparison.least))
        });
    format!(
        "Undecided{what}: {open} ({} of A, {b} of B). {}{settled}",
        launches(a),
        advice(comparison),
    )
}

/// How many launches are needed, where that can be estimated.
fn advice(comparison: &Comparison) -> String {
    let needed = comparison.quantiles.iter().filter_map(|q| Some((q.launches_needed?, q.p)));
    match needed.min_by(|x, y| x.0.cmp(&y.0).then(x.1.total_cmp(&y.1))) {
        Some((launches, p)) => format!(
            "About {launches} launches of each are needed to decide {}, if they vary as these do.",
            quantile_name(p)
        ),
        None => {
            "Even 100 launches of each would not decide it, if they vary as these do.".to_owned()
        }
    }
}

/// `1 launch`, `5 launches`.
pub(super) fn launches(count: usize) -> String {
    format!("{count} launch{}", if count == 1 { "" } else { "es" })
}

/// `p50`, `mean`.
pub(super) fn figure_name(figure: Figure) -> String {
    match figure {
        Figure::Quantile(p) => quantile_name(p),
        Figure::Mean => "mean".to_owned(),
    }
}

/// What a figure's column is called in CSV; `other` where it is none of the usual.
pub(super) fn figure_key(figure: Figure, other: &'static str) -> &'static str {
    match figure {
        Figure::Quantile(0.5) => "p50",
        Figure::Quantile(0.99) => "p99",
        Figure::Mean => "mean",
        Figure::Quantile(_) => other,
    }
}

/// ` (transit)`; nothing where end-to-end times are compared, as mostly.
pub(super) fn of_stage(stage: Measured) -> String {
    match stage {
        Measured::EndToEnd => String::new(),
        other => format!(" ({})", stage_name(other)),
    }
}

/// How one run stands to another, in a word.
pub(super) fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Slower => "slower",
        Standing::Faster => "faster",
        Standing::Same => "same",
        Standing::Undecided => "undecided",
    }
}

/// A standing's colour; `None` where nothing is to be seen.
pub(super) fn standing_colour(standing: Standing) -> Option<Colour> {
    match standing {
        Standing::Slower => Some(Colour("mark")),
        Standing::Faster => Some(Colour("d")),
        Standing::Same | Standing::Undecided => None,
    }
}

/// A limit without its sign, `2 %`.
pub(super) fn plain_part(part: f64) -> String {
    let percent = part * 100.0;
    format!("{}\u{a0}%", (percent * 1e6).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(p: f64, ratio: f64, outcome: Outcome) -> Difference {
        let undecided = outcome == Outcome::Undecided;
        Difference {
            p,
            values_ns: (100.0, 100.0 * ratio),
            ratio,
            interval: Some((ratio - 0.02, ratio + 0.02)),
            chance: Some(0.01),
            outcome,
            reason: undecided.then_some(Reason::SpreadTooWide),
            launches_needed: undecided.then_some(12),
        }
    }

    fn comparison(verdict: Verdict, quantiles: Vec<Difference>) -> Comparison {
        Comparison {
            verdict,
            stage: Measured::EndToEnd,
            confidence: 0.95,
            least: 0.02,
            launches: (5, 5),
            messages: (1000, 1000),
            quantiles,
            elsewhere: Vec::new(),
            peaks: Vec::new(),
            conditions: Vec::new(),
            shape: Vec::new(),
        }
    }

    fn said(comparison: &Comparison) -> String {
        document::plain(&verdict(comparison, false))
    }

    #[test]
    fn verdicts_are_sentences() {
        let slower = comparison(
            Verdict::Slower,
            vec![
                difference(0.1, 0.95, Outcome::Faster),
                difference(0.5, 1.098, Outcome::Slower),
                difference(0.99, 1.5, Outcome::Undecided),
                difference(0.999, 1.5, Outcome::Undecided),
            ],
        );
        assert_eq!(
            said(&slower),
            "B is slower: p50 is 1.098× that of A (1.078× to 1.118×); faster at p10; p99 and p99.9 \
            are undecided \
             (spread too wide)."
        );
    }

    #[test]
    fn the_median_stands_for_quantiles_that_agree() {
        let slower = [0.1, 0.5, 0.9].map(|p| difference(p, 1.0 + p, Outcome::Slower));
        let said_of =
            |quantiles: &[Difference]| said(&comparison(Verdict::Slower, quantiles.to_vec()));
        assert_eq!(
            said_of(&slower),
            "B is slower: p50 is 1.500× that of A (1.480× to 1.520×); slower at all other \
             quantiles, too."
        );
        let mixed = [slower.to_vec(), vec![difference(0.99, 1.0, Outcome::NotSlower)]].concat();
        assert!(said_of(&mixed).ends_with("; slower at p10 and p90, too."), "{}", said_of(&mixed));
    }

    /// An interval that lies below A is not called *not slower* beside it; a verdict asks for more.
    #[test]
    fn what_is_faster_taken_alone_is_said_so() {
        let mut alone = difference(0.5, 0.43, Outcome::Faster);
        alone.chance = Some(0.09);
        let others = difference(0.9, 1.0, Outcome::NotSlower);
        let text = said(&comparison(Verdict::NotSlower, vec![alone, others]));
        assert!(text.starts_with("B is not slower: at no quantile"), "{text}");
        assert!(text.ends_with("; faster at p50, taken alone."), "{text}");
    }

    /// Two quantiles of the same chance are not told apart by leaving the words out.
    #[test]
    fn beside_what_is_slower_too() {
        let mut alone = difference(0.999, 0.5, Outcome::Faster);
        alone.chance = Some(0.105);
        let quantiles = vec![
            difference(0.1, 0.9, Outcome::Faster),
            difference(0.99, 8.5, Outcome::Slower),
            alone.clone(),
        ];
        let cells = quantiles.iter().map(|q| outcome_words(q, 0.05)).collect::<Vec<_>>();
        assert_eq!(cells, ["faster", "slower", "faster, taken alone"]);
        let text = said(&comparison(Verdict::Slower, quantiles));
        assert!(text.ends_with("; faster at p10; faster at p99.9, taken alone."), "{text}");
    }

    #[test]
    fn what_is_undecided_has_its_reason() {
        let mut open = comparison(
            Verdict::Undecided,
            vec![
                difference(0.5, 1.0, Outcome::NotSlower),
                difference(0.99, 1.1, Outcome::Undecided),
            ],
        );
        assert_eq!(
            said(&open),
            "Undecided: p99, spread too wide (5 launches of A, 5 of B). About 12 launches of each \
            are needed to decide p99, \
             if they vary as these do. Not slower by 2 % or more: p50."
        );
        open.quantiles[1].launches_needed = None;
        assert!(
            said(&open).contains("Even 100 launches of each would not decide it"),
            "{}",
            said(&open)
        );
        for launches in [(1, 5), (5, 2)] {
            open.launches = launches;
            assert!(said(&open).starts_with("Undecided: too few launches ("), "{}", said(&open));
            assert!(!said(&open).contains("are needed"), "{}", said(&open));
        }
        open.launches = (3, 3);
        open.quantiles.clear();
        assert!(said(&open).starts_with("Undecided: too few messages"), "{}", said(&open));
    }

    #[test]
    fn parts_have_no_idle_zeros() {
        assert_eq!(
            (plain_part(0.02), plain_part(0.005)),
            ("2\u{a0}%".to_owned(), "0.5\u{a0}%".to_owned())
        );
    }
}
