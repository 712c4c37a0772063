//! Matched peaks in words. Each difference is that of the figures that stand beside it.

use stats::compare::{PeakChange, PeakDifference, PeakMatch, PeakSide};

use crate::peaks::mass;
use crate::ratios::{range, reason_text};
use document::ratio;
use document::{NONE, time};

/// What became of a peak, as the cells of a row: A's, B's, what.
pub(super) fn row(found: &PeakMatch) -> [String; 3] {
    let side = |side: Option<PeakSide>| side.map_or_else(|| NONE.to_owned(), |peak| cell(&peak));
    [side(found.a), side(found.b), what(found)]
}

/// Where it is, and how much of the messages it has.
pub(super) fn cell(peak: &PeakSide) -> String {
    format!("{} ({} of messages)", time(peak.place_ns), mass(peak.mass))
}

/// What became of it.
pub(super) fn what(found: &PeakMatch) -> String {
    let within = found.within_ns.map_or_else(String::new, time);
    match found.change {
        PeakChange::New => format!("new: {}", in_its_region(found, 'A')),
        PeakChange::Gone => format!("gone: {}", in_its_region(found, 'B')),
        PeakChange::Split => format!("split: A has one peak there, at {within}"),
        PeakChange::Merged => format!("merged: B has one peak there, at {within}"),
        _ if found.a.is_some() && found.b.is_some() => {
            format!("{}; {}", place(found), share(&found.mass))
        }
        _ => {
            let other = if found.a.is_some() { 'B' } else { 'A' };
            match found.mass.reason {
                Some(why) => format!("undecided whether {other} has it: {}", reason_text(why)),
                None => format!("no peak in {other}, which has the same share of messages there"),
            }
        }
    }
}

/// The messages of the run that does not have the peak, where the other has it.
fn in_its_region(found: &PeakMatch, other: char) -> String {
    let (has, by) = match (found.a, found.b) {
        (Some(a), _) => (a.mass, found.mass.by),
        (_, Some(b)) => (b.mass, -found.mass.by),
        _ => (0.0, 0.0),
    };
    format!("{other} has {} of its messages there", mass((has + by).clamp(0.0, 1.0)))
}

fn place(found: &PeakMatch) -> String {
    let Some(place) = found.place else {
        return "place undecided: a time that is not above 0 has no ratio".to_owned();
    };
    let by = with_interval(ratio(place.by), place.interval.map(range));
    match place.differs {
        Some(true) => format!("moved, {by}"),
        Some(false) => format!("same place, {by}"),
        None => format!("place undecided{}, {by}", why(&place)),
    }
}

fn share(difference: &PeakDifference) -> String {
    let interval = difference.interval.map(|(low, high)| {
        let low = points(low);
        format!("{} to {}", low.trim_end_matches("\u{a0}points"), points(high))
    });
    let by = with_interval(points(difference.by), interval);
    match difference.differs {
        Some(true) => format!("share {by}"),
        Some(false) => format!("same share, {by}"),
        None => format!("share undecided{}, {by}", why(difference)),
    }
}

fn why(difference: &PeakDifference) -> String {
    difference.reason.map_or_else(String::new, |reason| format!(" ({})", reason_text(reason)))
}

fn with_interval(by: String, interval: Option<String>) -> String {
    interval.map_or_else(|| by.clone(), |interval| format!("{by} ({interval})"))
}

/// A difference of shares, in percentage points.
pub(super) fn points(by: f64) -> String {
    let points = by.abs() * 100.0;
    let decimals = match points {
        p if p == 0.0 || p >= 0.095 => 1,
        p => ((-p.log10()).ceil() as usize + 1).min(9),
    };
    let number = format!("{points:.decimals$}");
    let sign = match by {
        by if number.bytes().all(|digit| digit == b'0' || digit == b'.') || by == 0.0 => "±",
        by if by < 0.0 => "−",
        _ => "+",
    };
    format!("{sign}{number}\u{a0}points")
}
