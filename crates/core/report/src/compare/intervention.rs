//! What became of each peak when one thing was changed.

use stats::analysis::Stage;
use stats::compare::{Comparison, PeakMatch};
use stats::launches::LAUNCHES_LEAST;

use super::peaks::{cell, what};
use super::words::launches;
use crate::format::plain;
use crate::palette::name;
use crate::terminal::wrapped;

/// The answer on a terminal, A as it was and B with the change: `changed` is what was changed, as
/// `nodes at real-time priority`.
pub fn intervention_terminal(
    changed: &str,
    stages: &[(Stage, Comparison)],
    width: usize,
) -> String {
    let width = width.clamp(80, 120);
    let (a, b) = stages.first().map_or((0, 0), |(_, comparison)| comparison.launches);
    let opening = format!(
        "A: {} as it was. B: {} with {changed}. They were measured in turn.",
        launches(a),
        launches(b)
    );
    let mut text = wrapped(&opening, width);
    for (stage, comparison) in stages {
        for found in &comparison.peaks {
            let line =
                wrapped(&plain(&sentence(*stage, found, is_main(found, comparison))), width - 4);
            let indented: Vec<&str> = line.lines().collect();
            text.push_str(&format!("  - {}\n", indented.join("\n    ")));
        }
    }
    let reading = match a.min(b) < LAUNCHES_LEAST {
        true => format!(
            "Below {LAUNCHES_LEAST} launches of each nothing is decided: give \
        --launches 5."
        ),
        false => {
            "A peak that moved, changed its share or is gone depends on what was changed. For \
        one that is undecided, the interval \
                  says how large an effect these launches leave possible."
                .to_owned()
        }
    };
    text.push_str(&wrapped(&reading, width));
    text
}

fn is_main(found: &PeakMatch, comparison: &Comparison) -> bool {
    let mass = |found: &PeakMatch| found.a.map_or(0.0, |peak| peak.mass);
    found.a.is_some() && comparison.peaks.iter().all(|other| mass(other) <= mass(found))
}

fn sentence(stage: Stage, found: &PeakMatch, is_main: bool) -> String {
    let (stage, changed) = (name(stage), what(found));
    let which = if is_main { "largest peak" } else { "peak" };
    match (found.a, found.b) {
        (Some(a), Some(b)) => {
            format!(
                "The {which} of {stage} is at {} in A and at {} in B: {changed}.",
                cell(&a),
                cell(&b)
            )
        }
        (Some(a), None) => format!("The {which} of {stage} at {} in A: {changed}.", cell(&a)),
        (None, Some(b)) => format!("A peak of {stage} at {} in B: {changed}.", cell(&b)),
        (None, None) => String::new(),
    }
}
