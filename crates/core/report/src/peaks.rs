//! Peaks in words and as a table.

use document::{Cell, Colour, Column, NONE, Row, Table, Unit, count, counted, part, time};
use stats::analysis::{Analysis, Peak, StageView};

use crate::palette::{CYCLE, colour, name, title};

/// A stage, or whole cycles, with more to tell than one peak.
pub(crate) struct Shown<'a> {
    pub(crate) title: &'static str,
    pub(crate) name: &'static str,
    pub(crate) colour: Colour,
    pub(crate) view: &'a StageView,
    /// Its peaks, but for those that no launch has by itself.
    pub(crate) peaks: Vec<Peak>,
}

/// Those that have more than one peak.
pub(crate) fn shown(analysis: &Analysis) -> Vec<Shown<'_>> {
    let stages = analysis.stages.iter().map(|view| Shown {
        title: title(view.stage),
        name: name(view.stage),
        colour: colour(view.stage),
        peaks: repeated(&view.peaks),
        view,
    });
    let cycles = analysis.cycles.iter();
    let cycles = cycles.map(|view| Shown {
        title: "Whole cycle",
        name: "whole cycle",
        colour: CYCLE,
        peaks: repeated(&view.peaks),
        view,
    });
    stages.chain(cycles).filter(|shown| shown.peaks.len() > 1).collect()
}

/// One that shows in all launches together and in none of them is hardly one.
fn repeated(peaks: &[Peak]) -> Vec<Peak> {
    let in_none = |peak: &&Peak| peak.launches.1 > 0 && peak.launches.0 == 0;
    peaks.iter().filter(|peak| !in_none(peak)).cloned().collect()
}

/// What to see of the peaks: how many there are, and the one that costs far more time than it has
/// messages.
pub(crate) fn sentence(shown: &[Shown]) -> String {
    let most = shown.iter().max_by_key(|stage| stage.peaks.len());
    let Some(most) = most else { return String::new() };
    let dear = |stage: &&Shown| dear(&stage.peaks).map(|peak| peak.time_share - peak.mass);
    let costly = shown.iter().filter(|stage| dear(stage).is_some());
    let costly =
        costly.max_by(|a, b| dear(a).partial_cmp(&dear(b)).unwrap_or(std::cmp::Ordering::Equal));
    let cost = costly.and_then(|stage| Some((stage, dear_of(stage)?))).map_or_else(
        String::new,
        |(stage, peak)| {
            format!(
                " The one of {} at {} has {} of the messages and {} of all {} time.",
                stage.name,
                time(peak.place_ns),
                part(peak.mass),
                part(peak.time_share),
                stage.name
            )
        },
    );
    let with_most = shown.iter().filter(|stage| stage.peaks.len() == most.peaks.len());
    let names: Vec<&str> = with_most.map(|stage| stage.name).collect();
    let who = match &names[..] {
        [first @ .., last] if !first.is_empty() => format!("{} and {last} have", first.join(", ")),
        _ => format!("{} has", most.name),
    };
    let each = if names.len() > 1 { " each" } else { "" };
    format!(
        "Several peaks mean several ways through the machine: {who} {} peaks{each}.{cost}",
        most.peaks.len()
    )
}

fn dear_of<'a>(stage: &'a Shown) -> Option<&'a Peak> {
    dear(&stage.peaks)
}

/// The peak whose share of the time passes that of its messages by most; a twentieth at least.
fn dear(peaks: &[Peak]) -> Option<&Peak> {
    let extra = |peak: &Peak| peak.time_share - peak.mass;
    peaks.iter().filter(|peak| extra(peak) > 0.05).max_by(|a, b| extra(a).total_cmp(&extra(b)))
}

/// Where a peak is found again: blocks and launches, as far as they could show it.
fn found_again(peak: &Peak) -> Cell {
    let of = |(found, able): (u32, u32), noun: &str, nouns: &str| match able {
        0 => None,
        1 => Some(format!("{found} of 1 {noun}")),
        _ => Some(format!("{found} of {able} {nouns}")),
    };
    let blocks = of(peak.blocks, "block", "blocks");
    let launches = of(peak.launches, "launch", "launches");
    match (blocks, launches) {
        (Some(blocks), Some(launches)) => Cell::new(launches).small(blocks),
        (Some(found), None) | (None, Some(found)) => found.into(),
        (None, None) => "all together".into(),
    }
}

/// How surely it is one. The highest of a stage stands over nothing, so it is compared with
/// nothing; where other smoothing shows another as the highest, the one with most messages is.
fn chance(peak: &Peak, peaks: &[Peak]) -> Cell {
    let others = peaks.iter().filter(|other| other.chance == 0.0);
    let most = others.map(|other| other.count).max();
    let words = match peak.chance {
        0.0 if most == Some(peak.count) => "the highest".to_owned(),
        0.0 => NONE.to_owned(),
        chance if chance < 1e-6 => "under 1 in 10\u{2076}".to_owned(),
        chance => format!("1 in {}", count((1.0 / chance).round() as u64)),
    };
    Cell::new(peak.chance).shown(words)
}

/// Every peak of the stages that have several.
pub(crate) fn table(shown: &[Shown]) -> Table {
    let columns = [
        Column::text("peak", "Peak"),
        Column::time("place", "Place").with_interval(),
        Column::time("width", "Width").with_interval().wide(),
        Column::count("messages", "Messages").wide(),
        Column::share("mass", "Part").with_interval(),
        Column::share("time", "Of its stage's time").with_interval(),
        Column::text("found", "Found in"),
        Column::new("chance", "By chance", Unit::Number).wide(),
    ];
    let rows = shown.iter().flat_map(|stage| stage.peaks.iter().map(|peak| row(stage, peak)));
    let mut table = Table::new("peaks-table", columns).with(rows);
    let left_out = |stage: &Shown| (stage.view.peaks.len() - stage.peaks.len()) as u64;
    let left_out: u64 = shown.iter().map(left_out).sum();
    table.note = (left_out > 0).then(|| {
        let peaks = counted(left_out, "peak");
        format!("Not listed: {peaks} of all launches together, which none of them has by itself.")
    });
    table
}

fn row(stage: &Shown, peak: &Peak) -> Row {
    let name = format!("{}{}", stage.title, if peak.tail { " (tail)" } else { "" });
    vec![
        Cell::new(name).coloured(stage.colour),
        Cell::new(peak.place_ns).between(peak.place_interval_ns),
        Cell::new(peak.width_ns).between(peak.width_interval_ns),
        peak.count.into(),
        Cell::new(peak.mass).between(peak.mass_interval),
        Cell::new(peak.time_share).between(peak.time_interval),
        found_again(peak),
        chance(peak, &stage.peaks),
    ]
    .into()
}
