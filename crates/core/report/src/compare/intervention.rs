//! What became of each peak when one thing was changed.

use stats::analysis::Stage;
use stats::compare::{Comparison, PeakMatch};
use stats::launches::LAUNCHES_LEAST;

use super::peaks::{cell, what};
use super::words::launches;
use crate::palette::name;
use document::{Block, Document};

/// The answer, A as it was and B with the change: `changed` is what was changed, as `nodes at
/// real-time priority`.
pub fn intervention(changed: &str, stages: &[(Stage, Comparison)]) -> Document {
    let (a, b) = stages.first().map_or((0, 0), |(_, comparison)| comparison.launches);
    let opening = format!(
        "A: {} as it was. B: {} with {changed}. They were measured in turn.",
        launches(a),
        launches(b)
    );
    let said = stages.iter().flat_map(|(stage, comparison)| {
        let peaks = comparison.peaks.iter();
        peaks.map(|found| sentence(*stage, found, is_main(found, comparison)))
    });
    let reading = if a.min(b) < LAUNCHES_LEAST {
        format!("Below {LAUNCHES_LEAST} launches of each nothing is decided: give --launches 5.")
    } else {
        "A peak that moved, changed its share or is gone depends on what was changed. For one that \
        is undecided, the interval says how large an effect these launches leave possible."
            .to_owned()
    };
    Document {
        title: format!("With {changed} · Fourstamp"),
        opening: vec![
            Block::Lead(opening),
            Block::List(said.collect()),
            Block::Note(None, reading),
        ],
        ..Document::default()
    }
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
