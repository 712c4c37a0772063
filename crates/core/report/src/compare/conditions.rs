//! Failure conditions: whether they are met, and a line for each.

use document::{Block, ratio, time};
use stats::compare::{Answer, Checked, Figure, Limit};
use stats::launches::Reason;

use super::words::{figure_name, plain_part};
use crate::ratios::reason_text;

/// Whether failure conditions are met, and a line for each; nothing where none is given.
pub(super) fn gate(all: &[&Checked], lines: Vec<String>, confidence: f64) -> Vec<Block> {
    if all.is_empty() {
        return Vec::new();
    }
    let level = plain_part(confidence);
    vec![
        Block::Lead(passed(all).to_owned()),
        Block::List(lines),
        Block::Note(None, format!("The conditions hold together with {level} confidence.")),
    ]
}

/// What became of a condition on `b` against `a`;
/// `open` is why its figure is undecided where that is asked without a condition.
pub(super) fn condition(checked: &Checked, [a, b]: [&str; 2], open: Option<Reason>) -> String {
    let answer = match (checked.answer, checked.reason) {
        (Answer::Holds, _) => "holds".to_owned(),
        (Answer::DoesNotHold, _) => "does not hold".to_owned(),
        (Answer::Undecided, reason) => reason.map_or_else(
            || "undecided".to_owned(),
            |why| format!("undecided, {}", reason_text(why)),
        ),
    };
    let of_parts = matches!(checked.condition.limit, Limit::Part(_));
    let shown = |value: f64| match of_parts {
        true => ratio(value),
        false if value < 0.0 => time(value),
        false => format!("+{}", time(value)),
    };
    let interval = checked
        .interval
        .map_or_else(String::new, |(low, high)| format!(" ({} to {})", shown(low), shown(high)));
    let name = if of_parts { format!("{b}/{a}") } else { format!("{b} − {a}") };
    let seen =
        checked.change.map_or_else(String::new, |by| format!("; {name} {}{interval}", shown(by)));
    let why = open.filter(|_| seems_at_odds(checked));
    let why = why.map_or_else(String::new, |reason| decided(checked.condition.figure, reason));
    format!("{}: {answer}{seen}{why}", checked.condition.text)
}

/// Whether it says that the figure changed: beyond a limit that lies away from no change.
fn seems_at_odds(checked: &Checked) -> bool {
    let (Limit::Part(limit) | Limit::Time(limit)) = checked.condition.limit;
    let away = if checked.condition.above { limit >= 0.0 } else { limit <= 0.0 };
    checked.answer == Answer::Holds && away
}

/// Why a condition holds on a figure that is undecided elsewhere: it asks less.
fn decided(figure: Figure, reason: Reason) -> String {
    let figure = figure_name(figure);
    let others = match reason {
        Reason::OneOfSeveral => ", and together with others",
        Reason::SpreadTooWide => "",
        _ => return String::new(),
    };
    format!(
        "; it asks in one direction only, and {figure} is undecided where it is asked whether it \
        differs either way{others}"
    )
}

/// What conditions come to, above them.
fn passed(all: &[&Checked]) -> &'static str {
    let any = |answer: Answer| all.iter().any(|checked| checked.answer == answer);
    if any(Answer::Holds) {
        "Fail: a failure condition is met."
    } else if any(Answer::Undecided) {
        "No failure condition is shown to be met; undecided ones pass, unless --strict is given."
    } else {
        "Pass: no failure condition was met."
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::compare::Condition;

    /// A condition asks less than the table beside it; where they seem at odds, the line says so.
    #[test]
    fn a_condition_says_why_it_is_decided_where_its_figure_is_not() {
        let checked = |answer| Checked {
            condition: Condition::parse("p50 > +10%").expect("a condition"),
            answer,
            values_ns: Some((100.0, 391.0)),
            change: Some(3.91),
            interval: Some((1.179, 13.0)),
            reason: (answer == Answer::Undecided).then_some(Reason::SpreadTooWide),
        };
        let said = |answer, open| condition(&checked(answer), ["earlier", "newest"], open);
        let holds = said(Answer::Holds, Some(Reason::OneOfSeveral));
        assert!(
            holds.ends_with(
                "p50 is undecided where it is asked whether it differs either way, \
            and together with others"
            ),
            "{holds}"
        );
        let holds = said(Answer::Holds, Some(Reason::SpreadTooWide));
        assert!(holds.ends_with("whether it differs either way"), "{holds}");
        assert!(!said(Answer::Holds, None).contains("undecided"));
        let not = said(Answer::DoesNotHold, Some(Reason::SpreadTooWide));
        assert!(!not.contains("direction"), "{not}");
        let open = said(Answer::Undecided, Some(Reason::SpreadTooWide));
        assert!(!open.contains("direction"), "{open}");
    }
}
