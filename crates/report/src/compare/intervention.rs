//! What became of each peak when one thing was changed.

use stats::analysis::Stage;
use stats::compare::{Comparison, PeakChange, PeakMatch, PeakSide};

use super::peaks;
use crate::format::{part, plain, time};
use crate::palette::name;
use crate::terminal::wrapped;

/// The answer on a terminal: `what` is what was changed, as `nodes at real-time priority`.
pub fn intervention_terminal(what: &str, stages: &[(Stage, Comparison)], width: usize) -> String {
    let width = width.clamp(80, 120);
    let mut text = wrapped(&format!("With {what}, {}:", launches(stages)), width);
    for (stage, comparison) in stages {
        for found in &comparison.peaks {
            let line = wrapped(&plain(&sentence(*stage, found, is_main(found, comparison))), width - 4);
            let indented: Vec<&str> = line.lines().collect();
            text.push_str(&format!("  - {}\n", indented.join("\n    ")));
        }
    }
    text.push_str(&wrapped(
        "A peak that one change moves or removes is confirmed to depend on what was changed. One that stays does not depend on it, as far as \
         these launches tell.",
        width,
    ));
    text
}

fn launches(stages: &[(Stage, Comparison)]) -> String {
    let (a, b) = stages.first().map_or((0, 0), |(_, comparison)| comparison.launches);
    format!("{b} launches beside {a} without, in turn")
}

fn is_main(found: &PeakMatch, comparison: &Comparison) -> bool {
    let mass = |side: &Option<PeakSide>| side.map_or(0.0, |peak| peak.mass);
    comparison.peaks.iter().all(|other| mass(&other.a) <= mass(&found.a))
}

fn sentence(stage: Stage, found: &PeakMatch, is_main: bool) -> String {
    let stage = name(stage);
    let which = if is_main { "largest peak" } else { "peak" };
    let at = |peak: PeakSide| format!("{} ({} of messages)", time(peak.place_ns), part(peak.mass));
    let changed = peaks::what(found);
    match (found.a, found.b, found.change) {
        (Some(a), _, PeakChange::Same) => format!("The {which} of {stage} at {} stays: {changed}.", at(a)),
        (Some(a), _, PeakChange::Gone) => format!("The {which} of {stage} at {} is {changed}.", at(a)),
        (Some(a), Some(b), _) => {
            format!("The {which} of {stage} at {} is at {} now: it {changed}.", at(a), at(b))
        }
        (Some(a), None, _) => format!("The {which} of {stage} at {}: {changed}.", at(a)),
        (None, Some(b), _) => format!("A peak of {stage} at {} is {changed}.", at(b)),
        (None, None, _) => String::new(),
    }
}
