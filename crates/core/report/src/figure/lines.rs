//! The series of a figure: each group of each run, with its name and colour.

use document::{Colour, ordered};
use record::Kind;
use stats::figure::{FigureGroup, GroupKey};

use super::{By, Figure, FigureRun};
use crate::palette;

/// Series drawn; groups with fewer messages are one.
const SERIES_MOST: usize = 12;

/// A few series beside each other: hues that differ in lightness, too.
const HUES: [Colour; 6] =
    [Colour("b"), Colour("c"), Colour("d"), Colour("cycle"), Colour("a"), Colour("mark")];

/// One series.
pub(super) struct Line {
    pub name: String,
    /// Which of the runs.
    pub run: usize,
    pub colour: Colour,
    pub group: FigureGroup,
}

/// The series, in their order.
pub(super) fn lines(figure: &Figure, runs: &[FigureRun]) -> Vec<Line> {
    let several = runs.len() > 1;
    let mut lines: Vec<Line> = Vec::new();
    for (run, of) in runs.iter().enumerate() {
        let groups = groups(figure, of, SERIES_MOST / runs.len().min(SERIES_MOST));
        for (name, group) in groups {
            let name = match (several, name) {
                (false, Some(name)) => name,
                (false, None) | (true, None) => of.name.clone(),
                (true, Some(name)) => format!("{}: {name}", of.name),
            };
            lines.push(Line { name, run, colour: Colour("a"), group });
        }
    }
    let all = lines.len();
    for (at, line) in lines.iter_mut().enumerate() {
        line.colour = colour(figure, at, all);
    }
    lines
}

fn colour(figure: &Figure, at: usize, all: usize) -> Colour {
    match figure.what.stage() {
        Some(stage) if all == 1 => palette::measured(stage),
        _ if all == 1 => Colour("a"),
        _ if all <= HUES.len() => HUES[at],
        _ => ordered(at, all),
    }
}

fn by(figure: &Figure) -> Option<By> {
    figure.by.filter(|by| *by != By::Run)
}

/// The groups of a run by name, at most so many of them; without groups one that has no name.
fn groups(figure: &Figure, run: &FigureRun, most: usize) -> Vec<(Option<String>, FigureGroup)> {
    let (groups, others) = run.gathered.groups();
    let Some(by) = by(figure) else {
        return groups.values().map(|group| (None, group.clone())).collect();
    };
    let mut counts: Vec<u64> = groups.values().map(|group| group.taken).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let room = if counts.len() > most.max(1) { most.max(2) - 1 } else { counts.len() };
    let least = counts.get(room.wrapping_sub(1)).copied().unwrap_or(0);
    let mut left = (0, others.clone());
    let mut shown: Vec<(Option<String>, FigureGroup)> = Vec::new();
    for (key, group) in groups {
        if shown.len() < room && group.taken >= least {
            shown.push((Some(label(by, *key)), group.clone()));
        } else {
            left.0 += 1;
            left.1.merge(group.clone());
        }
    }
    if left.1.taken > 0 {
        shown.push((Some(format!("{} others", left.0.max(1))), left.1));
    }
    shown
}

fn label(by: By, (one, other): GroupKey) -> String {
    let noun = |singular: &str| match one {
        1 => format!("1 {singular}"),
        _ => format!("{one} {singular}s"),
    };
    match by {
        By::Hops => noun("hop"),
        By::Packets => noun("packet"),
        By::Bytes => document::size(one.max(0).unsigned_abs()),
        By::Pair => format!("{one} → {other}"),
        By::Kind => u8::try_from(one)
            .ok()
            .and_then(Kind::from_code)
            .map_or_else(|| format!("kind {one}"), |kind| kind.name().to_owned()),
        By::Launch => format!("launch {one}"),
        By::Run => String::new(),
    }
}
