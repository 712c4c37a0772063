//! Several runs in one line: which is fastest, which are not told apart from it, which are slower.

use document::{ratio, time};
use stats::compare::{Between, Measured, Pair, Several, Standing};
use stats::launches::{LAUNCHES_LEAST, Reason};

use super::ComparedSeveral;
use crate::compare::words::{figure_name, joined, of_stage, plain_part};
use crate::ratios::{range, reason_text};

/// Runs of one kind that the line names; the table has the others.
const NAMED_MOST: usize = 5;

/// Which is fastest, or what the others are held against; then a line for those that are alike, for
/// those that are not told apart, and so on.
pub(super) fn verdict(compared: &ComparedSeveral<'_>) -> (String, Vec<String>) {
    let several = compared.several;
    let figure = format!("{}{}", figure_name(several.figure), of_stage(several.stage));
    let order = several.order();
    let first = several.reference.or(order.first().copied()).unwrap_or(0);
    let name = compared.name(first);
    let Some(value) = several.runs[first].at(several.figure).map(|of| of.value_ns) else {
        return (
            format!(
                "Undecided: {name} has too few messages for {figure}; measure more messages per \
                launch."
            ),
            Vec::new(),
        );
    };
    let value = match several.stage {
        // A round trip would be about twice as long.
        Measured::EndToEnd => format!("{} (end to end, one way)", time(value)),
        _ => time(value),
    };
    let others: Vec<(usize, Between)> = order
        .iter()
        .filter(|at| **at != first)
        .filter_map(|at| Some((*at, several.of(*at, first)?)))
        .collect();
    let all_slower = others.iter().all(|(_, between)| between.standing == Standing::Slower);
    let head = match several.reference {
        Some(_) => format!("Against {name}, whose {figure} is {value}:"),
        None if others.is_empty() => {
            format!("Undecided: only {name} has messages enough for {figure}.")
        }
        None if all_slower => format!("{name} is the fastest: its {figure} is {value}."),
        None => {
            format!("{name} has the lowest {figure}, {value}; not all others are surely slower.")
        }
    };
    (head, groups(compared, &others).into_iter().chain(advice(several)).collect())
}

/// The others by how they stand to the first.
fn groups(compared: &ComparedSeveral<'_>, others: &[(usize, Between)]) -> Vec<String> {
    let least = plain_part(compared.several.least);
    let heads = [
        (Standing::Same, format!("No difference of {least} or more")),
        (Standing::Undecided, "Not told apart".to_owned()),
        (Standing::Faster, "Faster".to_owned()),
        (Standing::Slower, "Slower".to_owned()),
    ];
    let group = |(wanted, head): (Standing, String)| {
        let those: Vec<String> = others
            .iter()
            .filter(|(_, between)| between.standing == wanted)
            .map(|(at, between)| one(compared, *at, between))
            .collect();
        listed(those).map(|names| format!("{head}: {names}."))
    };
    let missing: Vec<String> = (0..compared.runs.len())
        .filter(|at| compared.several.runs[*at].at(compared.several.figure).is_none())
        .map(|at| compared.name(at))
        .collect();
    let missing = listed(missing).map(|names| format!("Too few messages for it: {names}."));
    heads.into_iter().filter_map(group).chain(missing).collect()
}

fn one(compared: &ComparedSeveral<'_>, at: usize, between: &Between) -> String {
    let name = compared.name(at);
    match (between.standing, between.reason) {
        (Standing::Same, _) => name,
        (Standing::Undecided, Some(reason)) => format!("{name}, {}", reason_text(reason)),
        _ => {
            let ends = between.interval.map_or_else(String::new, |i| format!(" ({})", range(i)));
            format!("{name} {}{ends}", ratio(between.ratio))
        }
    }
}

/// `A, x; B, y and 3 more`.
fn listed(mut names: Vec<String>) -> Option<String> {
    let more = names.len().saturating_sub(NAMED_MOST);
    if more > 1 {
        names.truncate(NAMED_MOST);
        return Some(format!("{} and {more} more", names.join("; ")));
    }
    if names.iter().any(|name| name.contains(", ")) {
        return (!names.is_empty()).then(|| names.join("; "));
    }
    joined(&names)
}

/// What to do where launches are too few to decide anything.
fn advice(several: &Several) -> Option<String> {
    let few = |pair: &Pair| pair.between.reason == Some(Reason::TooFewLaunches);
    several.pairs.iter().any(few).then(|| {
        format!(
            "Below {LAUNCHES_LEAST} launches of a run nothing is known of how its launches differ: \
            measure 5 or more of each (bench --launches 5)."
        )
    })
}
