//! Matched peaks, a line each, and in words. Each difference is that of the figures beside it.

use stats::compare::{PeakChange, PeakDifference, PeakMatch, PeakSide};

use crate::ratios::{range, reason_text};
use document::{Cell, Column, Row, Table, Unit, part, points, ratio, time};

/// A line a peak.
pub(super) fn table(peaks: &[PeakMatch]) -> Table {
    let columns = [
        Column::text("peak", "Peak"),
        Column::time("a", "A"),
        Column::share("a_share", "of A"),
        Column::time("b", "B"),
        Column::share("b_share", "of B"),
        Column::new("place", "B/A", Unit::Ratio).with_interval(),
        Column::new("share", "Share", Unit::Points).with_interval(),
        Column::text("what", "From A to B"),
        Column::text("detail", "Detail").wide(),
    ];
    Table::new("matched-peaks", columns).with(peaks.iter().enumerate().map(row))
}

fn row((number, found): (usize, &PeakMatch)) -> Row {
    let at = |side: Option<PeakSide>| Cell::from(side.map(|peak| peak.place_ns));
    let share = |side: Option<PeakSide>| {
        side.map_or_else(Cell::default, |peak| Cell::new(peak.mass).shown(part(peak.mass)))
    };
    let difference = |of: Option<PeakDifference>| {
        of.map_or_else(Cell::default, |of| Cell::new(of.by).between(of.interval))
    };
    Row::from(vec![
        Cell::new(number + 1),
        at(found.a),
        share(found.a),
        at(found.b),
        share(found.b),
        difference(found.place),
        difference(Some(found.mass)),
        brief(found).into(),
        detail(found).into(),
    ])
}

/// What became of it, as far as it is sure, beside its figures.
fn brief(found: &PeakMatch) -> String {
    match found.change {
        PeakChange::New => "new".to_owned(),
        PeakChange::Gone => "gone".to_owned(),
        PeakChange::Split => "split".to_owned(),
        PeakChange::Merged => "merged".to_owned(),
        _ if found.a.is_some() && found.b.is_some() => both(found),
        _ if found.mass.reason.is_some() => "undecided".to_owned(),
        _ => format!("no peak in {}", if found.a.is_some() { 'B' } else { 'A' }),
    }
}

/// Of a peak that both have. What is undecided is left out.
fn both(found: &PeakMatch) -> String {
    let place = match found.place.and_then(|place| place.differs) {
        Some(true) => Some("moved"),
        Some(false) => Some("same place"),
        None => None,
    };
    let share = match (found.mass.differs, found.mass.by > 0.0) {
        (Some(true), true) => Some("grew"),
        (Some(true), false) => Some("shrank"),
        (Some(false), _) => Some("same share"),
        (None, _) => None,
    };
    let sure: Vec<&str> = place.into_iter().chain(share).collect();
    if sure.is_empty() { "undecided".to_owned() } else { sure.join(", ") }
}

/// Why something is undecided, or of which peak this one is a part.
fn detail(found: &PeakMatch) -> String {
    let why = |of: &str, difference: Option<PeakDifference>| {
        let reason = difference.and_then(|difference| difference.reason)?;
        Some(format!("{of}: {}", reason_text(reason)))
    };
    let within = found.within_ns.map_or_else(String::new, time);
    match found.change {
        PeakChange::Split => format!("of A's peak at {within}"),
        PeakChange::Merged => format!("into B's peak at {within}"),
        _ => {
            let both = [why("place", found.place), why("share", Some(found.mass))];
            both.into_iter().flatten().collect::<Vec<_>>().join("; ")
        }
    }
}

/// Where it is, and how much of the messages it has.
pub(super) fn cell(peak: &PeakSide) -> String {
    format!("{} ({} of messages)", time(peak.place_ns), part(peak.mass))
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
    format!("{other} has {} of its messages there", part((has + by).clamp(0.0, 1.0)))
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
    let interval =
        difference.interval.map(|(low, high)| format!("{} to {}", points(low), in_points(high)));
    let by = with_interval(in_points(difference.by), interval);
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

/// A difference of shares, with its unit.
fn in_points(by: f64) -> String {
    format!("{}\u{a0}points", points(by))
}
