//! Peaks in words and tables, for the page and the terminal.

use comfy_table::CellAlignment;
use stats::analysis::{Analysis, Peak, StageView};

use crate::format::{NONE, count, part, plain, time};
use crate::headline::trim_lines;
use crate::palette::{class, name, title};
use crate::tables::wrap;
use crate::terminal::{bare, wrapped};

/// Lines of peaks on a terminal, at most.
const LINES: usize = 16;

/// A stage, or whole cycles, with more to tell than one peak.
pub(crate) struct Shown<'a> {
    pub(crate) title: &'static str,
    pub(crate) name: &'static str,
    /// Class of its colour.
    pub(crate) class: &'static str,
    pub(crate) view: &'a StageView,
}

/// Those that have more than one peak.
pub(crate) fn shown(analysis: &Analysis) -> Vec<Shown<'_>> {
    let stages = analysis.stages.iter().map(|view| Shown {
        title: title(view.stage),
        name: name(view.stage),
        class: class(view.stage),
        view,
    });
    let cycles = analysis.cycles.iter();
    let cycles = cycles.map(|view| Shown {
        title: "Whole cycle",
        name: "whole cycle",
        class: "cycle",
        view,
    });
    stages.chain(cycles).filter(|shown| shown.view.peaks.len() > 1).collect()
}

/// What to see of the peaks: how many there are, and the one that costs far more time than it has
/// messages.
pub(crate) fn sentence(shown: &[Shown]) -> String {
    let most = shown.iter().max_by_key(|stage| stage.view.peaks.len());
    let Some(most) = most else { return String::new() };
    let dear = |stage: &&Shown| dear(&stage.view.peaks).map(|peak| peak.time_share - peak.mass);
    let costly = shown.iter().filter(|stage| dear(stage).is_some());
    let costly =
        costly.max_by(|a, b| dear(a).partial_cmp(&dear(b)).unwrap_or(std::cmp::Ordering::Equal));
    let cost = costly.and_then(|stage| Some((stage, dear_of(stage)?))).map_or_else(
        String::new,
        |(stage, peak)| {
            format!(
                " The one of {} at {} has {} of the messages and {} of the time.",
                stage.name,
                time(peak.place_ns),
                part(peak.mass),
                part(peak.time_share)
            )
        },
    );
    format!(
        "Several peaks mean several ways through the machine: {} has {} peaks.{cost}",
        most.name,
        most.view.peaks.len()
    )
}

fn dear_of<'a>(stage: &'a Shown) -> Option<&'a Peak> {
    dear(&stage.view.peaks)
}

/// The peak whose share of the time passes that of its messages by most; a twentieth at least.
fn dear(peaks: &[Peak]) -> Option<&Peak> {
    let extra = |peak: &Peak| peak.time_share - peak.mass;
    peaks.iter().filter(|peak| extra(peak) > 0.05).max_by(|a, b| extra(a).total_cmp(&extra(b)))
}

/// Where a peak is found again: blocks and, below them, launches, as far as they could show it.
fn found_again(peak: &Peak) -> String {
    let of = |(found, able): (u32, u32), noun: &str, nouns: &str| match able {
        0 => None,
        1 => Some(format!("{found} of 1 {noun}")),
        _ => Some(format!("{found} of {able} {nouns}")),
    };
    let blocks = of(peak.blocks, "block", "blocks");
    let launches = of(peak.launches, "launch", "launches");
    match (blocks, launches) {
        (Some(blocks), Some(launches)) => format!("{blocks}<small>{launches}</small>"),
        (Some(found), None) | (None, Some(found)) => found,
        (None, None) => "all together".to_owned(),
    }
}

/// How surely it is one.
fn chance(peak: &Peak) -> String {
    match peak.chance {
        0.0 => "the highest".to_owned(),
        chance if chance < 1e-6 => "under 1 in 10\u{2076}".to_owned(),
        chance => format!("1 in {}", count((1.0 / chance).round() as u64)),
    }
}

/// The page's table: every peak of the stages that have several.
pub(crate) fn table(shown: &[Shown]) -> String {
    let rows: String = shown
        .iter()
        .flat_map(|stage| stage.view.peaks.iter().map(move |peak| row(stage, peak)))
        .collect();
    wrap(&format!(
        "<table class=figures><thead><tr><th scope=col>Peak<th scope=col>Place<th \
        scope=col>Width<th \
         scope=col>Messages<th scope=col>Part of them<th scope=col>Part of the time<th \
         scope=col>Found in<th \
         scope=col>By chance<tbody>{rows}</table>"
    ))
}

fn row(stage: &Shown, peak: &Peak) -> String {
    let times = |interval: Option<(f64, f64)>| small(interval, time);
    let parts = |interval: Option<(f64, f64)>| small(interval, part);
    format!(
        "<tr><th scope=row><span class=\"swatch \
        {}\"></span>{}{}<td>{}{}<td>{}{}<td>{}<td>{}{}<td>{}{}<td>{}<td>{}",
        stage.class,
        stage.title,
        if peak.tail { " (tail)" } else { "" },
        time(peak.place_ns),
        times(peak.place_interval_ns),
        time(peak.width_ns),
        times(peak.width_interval_ns),
        count(peak.count),
        mass(peak.mass),
        small(peak.mass_interval, mass),
        part(peak.time_share),
        parts(peak.time_interval),
        found_again(peak),
        chance(peak)
    )
}

/// A part of the messages: a peak of a few in a million has one too.
pub(crate) fn mass(of: f64) -> String {
    if of <= 0.0 || of >= 0.001 { part(of) } else { format!("{}\u{a0}%", (of * 1e6).round() / 1e4) }
}

fn small(interval: Option<(f64, f64)>, text: fn(f64) -> String) -> String {
    interval.map_or_else(String::new, |(low, high)| {
        format!("<small>{} to {}</small>", text(low), text(high))
    })
}

/// The terminal's lines; `None` where each stage has one peak.
pub(crate) fn terminal_block(analysis: &Analysis, width: usize) -> Option<String> {
    let shown = shown(analysis);
    if shown.is_empty() {
        return None;
    }
    let mut table = bare();
    table.set_header(["peaks", "place", "width", "messages", "of time", "found in"]);
    let peaks: Vec<(&Shown, &Peak)> = shown
        .iter()
        .flat_map(|stage| stage.view.peaks.iter().map(move |peak| (stage, peak)))
        .collect();
    let mut last = "";
    for (stage, peak) in peaks.iter().take(LINES) {
        let head = if last == stage.name { "" } else { stage.name };
        last = stage.name;
        let found = if peak.launches.1 > 1 {
            format!("{} of {} launches", peak.launches.0, peak.launches.1)
        } else if peak.blocks.1 > 0 {
            format!("{} of {} blocks", peak.blocks.0, peak.blocks.1)
        } else {
            NONE.to_owned()
        };
        let cells = [
            time(peak.place_ns),
            time(peak.width_ns),
            mass(peak.mass),
            part(peak.time_share),
            found,
        ];
        table.add_row(std::iter::once(head.to_owned()).chain(cells.iter().map(|cell| plain(cell))));
    }
    for column in table.column_iter_mut().skip(1).take(4) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut text = trim_lines(&table.to_string());
    if peaks.len() > LINES {
        text.push_str(&format!("  and {} more, in the page\n", peaks.len() - LINES));
    }
    text.push_str(&wrapped(&plain(&sentence(&shown)), width));
    Some(text)
}
