//! The verdict as a sentence, and the words of the tables.

use stats::compare::{Answer, Checked, Comparison, Difference, Limit, Measured, Outcome, Verdict};

use crate::format::{quantile_name, time};

/// A change, `+9.8 %`.
pub(super) fn change(part: f64) -> String {
    let percent = part * 100.0;
    let decimals = usize::from(percent.abs() < 99.95);
    let number = format!("{:.decimals$}", percent.abs());
    let sign = match number.bytes().all(|digit| digit == b'0' || digit == b'.') {
        true => "±",
        false if percent < 0.0 => "−",
        false => "+",
    };
    format!("{sign}{number}\u{a0}%")
}

/// An interval of changes, `+7.1 to +12.6 %`.
pub(super) fn range((low, high): (f64, f64)) -> String {
    let low = change(low);
    format!("{} to {}", low.trim_end_matches("\u{a0}%"), change(high))
}

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

pub(super) fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Slower => "slower",
        Outcome::Faster => "faster",
        Outcome::NotSlower => "not slower",
        Outcome::Inconclusive => "inconclusive",
    }
}

/// The answer in one sentence or two.
pub(super) fn verdict(comparison: &Comparison) -> String {
    let what = match comparison.stage {
        Measured::EndToEnd => String::new(),
        other => format!(" ({})", stage_name(other)),
    };
    let found = match comparison.verdict {
        Verdict::Slower => format!("B is slower{what}: {}", by(comparison, Outcome::Slower)),
        Verdict::Faster => format!("B is faster{what}: {}", by(comparison, Outcome::Faster)),
        Verdict::NotSlower => format!(
            "B is not slower{what}: at no quantile from {} to {} by {} or more",
            comparison.quantiles.first().map_or_else(String::new, |q| quantile_name(q.p)),
            comparison.quantiles.last().map_or_else(String::new, |q| quantile_name(q.p)),
            plain_part(comparison.least)
        ),
        Verdict::Inconclusive => return inconclusive(comparison, &what),
    };
    let mut rest = Vec::new();
    let faster = named(comparison, Outcome::Faster);
    if comparison.verdict == Verdict::Slower && !faster.is_empty() {
        rest.push(format!("faster at {faster}"));
    }
    let open = named(comparison, Outcome::Inconclusive);
    if !open.is_empty() {
        rest.push(format!("{open} cannot be told"));
    }
    let rest: String = rest.iter().map(|text| format!("; {text}")).collect();
    format!("{found}{rest}.")
}

fn by(comparison: &Comparison, wanted: Outcome) -> String {
    let of = |difference: &Difference| {
        let interval = difference.interval.map_or_else(String::new, |i| format!(" ({})", range(i)));
        format!("{} by {}{interval}", quantile_name(difference.p), change(difference.change))
    };
    let found = comparison.quantiles.iter().filter(|difference| difference.outcome == wanted);
    found.map(of).collect::<Vec<_>>().join(", ")
}

/// `p50, p90 and p99`.
fn named(comparison: &Comparison, wanted: Outcome) -> String {
    let found = comparison.quantiles.iter().filter(|difference| difference.outcome == wanted);
    let names: Vec<String> = found.map(|difference| quantile_name(difference.p)).collect();
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

fn inconclusive(comparison: &Comparison, what: &str) -> String {
    let (a, b) = comparison.launches;
    if a.min(b) < 2 {
        return format!(
            "Inconclusive{what}: A has {}, B {}, and one launch says nothing of how launches differ; measure five or more of each (bench --launches 5, or several runs of each as --a and --b).",
            launches(a),
            launches(b),
        );
    }
    if comparison.quantiles.is_empty() {
        return format!(
            "Inconclusive{what}: the launches have too few messages, or times of 0; measure more messages a launch."
        );
    }
    let settled = named(comparison, Outcome::NotSlower);
    let open = named(comparison, Outcome::Inconclusive);
    let settled = if settled.is_empty() {
        String::new()
    } else {
        format!(" {settled}: not slower by {} or more.", plain_part(comparison.least))
    };
    let open_ones = comparison.quantiles.iter().filter(|q| q.outcome == Outcome::Inconclusive);
    let needed: Vec<Option<u32>> = open_ones.map(|q| q.launches_needed).collect();
    let least = needed.iter().flatten().min();
    let vary = if needed.len() == 1 { "varies" } else { "vary" };
    let advice = match (least, needed.len()) {
        (Some(launches), 1) => format!("about {launches} launches of each would tell"),
        (Some(launches), _) => format!("about {launches} launches of each would tell the first of them"),
        (None, _) => "more than 1000 launches of each would be needed".to_owned(),
    };
    format!(
        "Inconclusive{what}: {open} {vary} too much between launches ({a} of A, {b} of B) to tell; {advice}.{settled}"
    )
}

/// `1 launch`, `5 launches`.
pub(super) fn launches(count: usize) -> String {
    format!("{count} launch{}", if count == 1 { "" } else { "es" })
}

/// A limit without its sign, `2 %`.
pub(super) fn plain_part(part: f64) -> String {
    let percent = part * 100.0;
    format!("{}\u{a0}%", (percent * 1e6).round() / 1e6)
}

/// What became of a condition.
pub(super) fn condition(checked: &Checked) -> String {
    let answer = match checked.answer {
        Answer::Holds => "holds",
        Answer::DoesNotHold => "does not hold",
        Answer::Undecided => "undecided",
    };
    let shown = |value: f64| match checked.condition.limit {
        Limit::Part(_) => change(value),
        Limit::Time(_) if value < 0.0 => time(value),
        Limit::Time(_) => format!("+{}", time(value)),
    };
    let seen = match (checked.change, checked.values_ns) {
        (Some((by, (low, high))), _) => format!("{} ({} to {})", shown(by), shown(low), shown(high)),
        (None, Some(_)) => "one launch says nothing of how launches differ".to_owned(),
        (None, None) => "the launches have too few messages for it".to_owned(),
    };
    format!("{}: {answer}; {seen}", checked.condition.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(p: f64, change: f64, outcome: Outcome) -> Difference {
        Difference {
            p,
            values_ns: (100.0, 100.0 * (1.0 + change)),
            change,
            interval: Some((change - 0.02, change + 0.02)),
            chance: 0.01,
            outcome,
            launches_needed: Some(12),
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

    #[test]
    fn verdicts_are_sentences() {
        let slower = comparison(
            Verdict::Slower,
            vec![
                difference(0.1, -0.05, Outcome::Faster),
                difference(0.5, 0.098, Outcome::Slower),
                difference(0.999, 0.5, Outcome::Inconclusive),
            ],
        );
        assert_eq!(
            crate::format::plain(&verdict(&slower)),
            "B is slower: p50 by +9.8 % (+7.8 to +11.8 %); faster at p10; p99.9 cannot be told."
        );
        let open = comparison(
            Verdict::Inconclusive,
            vec![difference(0.5, 0.0, Outcome::NotSlower), difference(0.99, 0.1, Outcome::Inconclusive)],
        );
        let said = crate::format::plain(&verdict(&open));
        assert!(said.contains("p99 varies too much"), "{said}");
        assert!(said.contains("about 12 launches") && said.contains("p50: not slower by 2 %"), "{said}");
        let single = Comparison { launches: (1, 5), ..open };
        assert!(verdict(&single).contains("one launch says nothing"), "{}", verdict(&single));
    }

    #[test]
    fn changes_have_their_sign() {
        assert_eq!(change(0.098), "+9.8\u{a0}%");
        assert_eq!(change(-0.0004), "±0.0\u{a0}%");
        assert_eq!(change(2.5), "+250\u{a0}%");
        assert_eq!(range((-0.01, 0.02)), "−1.0 to +2.0\u{a0}%");
        assert_eq!((plain_part(0.02), plain_part(0.005)), ("2\u{a0}%".to_owned(), "0.5\u{a0}%".to_owned()));
    }
}
