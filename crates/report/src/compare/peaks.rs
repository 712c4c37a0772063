//! Matched peaks in words.

use stats::compare::{PeakChange, PeakMatch, PeakSide};

use super::words::{change, range};
use crate::format::{part, time};

/// What became of a peak, as the cells of a row: where, in A, in B, what.
pub(super) fn row(found: &PeakMatch) -> [String; 4] {
    let side = |side: Option<PeakSide>| side.map_or_else(|| "–".to_owned(), |peak| cell(&peak));
    let place = found.b.or(found.a).map_or_else(String::new, |peak| time(peak.place_ns));
    [place, side(found.a), side(found.b), what(found)]
}

fn cell(peak: &PeakSide) -> String {
    format!("{}, {} of messages", time(peak.place_ns), part(peak.mass))
}

/// What became of it.
pub(super) fn what(found: &PeakMatch) -> String {
    let moved = || {
        found
            .place_change
            .map_or_else(String::new, |(by, i)| format!("moved by {} ({})", change(by), range(i)))
    };
    let grew = || {
        found.mass_change.map_or_else(String::new, |(by, i)| {
            format!("has {} ({}) of all messages", points(by), points_range(i))
        })
    };
    match found.change {
        PeakChange::Same => "the same, as far as these launches tell".to_owned(),
        PeakChange::Moved => moved(),
        PeakChange::MassChanged => grew(),
        PeakChange::MovedAndMassChanged => format!("{}; {}", moved(), grew()),
        PeakChange::New => format!("new: {}", grew()),
        PeakChange::Gone => format!("gone: {}", grew()),
        PeakChange::Unclear => {
            let only = if found.a.is_some() { 'A' } else { 'B' };
            format!("seen only in {only}, but the messages there cannot be told apart from the other's")
        }
    }
}

/// A difference of parts, in percentage points.
fn points(by: f64) -> String {
    change(by).replace('%', "points")
}

fn points_range(interval: (f64, f64)) -> String {
    range(interval).replace('%', "points")
}
