//! Distributions by pieces: the fastest 95 %, 95 to 99.9 %, the slowest 0.1 %, each at its own
//! scale.

use stats::analysis::{Analysis, Bin, Piece, PieceView, StageView};

use super::bins::{Scale, histogram};
use crate::palette::{CYCLE, colour, title};
use document::chart::{Axis, Chart, Mode, log_counts};
use document::{ChartText, Colour, Section, counted, time};

const HEIGHT: u32 = 210;
/// A bin with this part of a piece's messages makes a linear scale useless.
const SPIKE: f64 = 0.3;

/// Every stage, end to end first.
pub(super) fn stages(analysis: &Analysis) -> Option<Section> {
    let views: Vec<&StageView> =
        analysis.stages.iter().filter(|view| !view.pieces.is_empty()).collect();
    let first = views.first()?;
    let sentence =
        "How long messages took, end to end and in each stage. Each piece has its own scale, so \
        that the \
                    slow few do not flatten the rest; several peaks mean several ways through the \
                    machine."
            .to_owned();
    let mut section = Section::new("distribution", "Distribution by pieces", sentence);
    section.columns = first.pieces.len().clamp(1, 3);
    for view in &views {
        let name = title(view.stage);
        section.charts.extend(panels(
            crate::palette::key(view.stage),
            name,
            colour(view.stage),
            view,
        ));
    }
    section.columns = views.iter().map(|view| view.pieces.len()).max().unwrap_or(1);
    Some(section)
}

/// Whole cycles: round trips, relay rounds.
pub(super) fn cycles(analysis: &Analysis) -> Option<Section> {
    let view = analysis.cycles.as_ref().filter(|view| !view.pieces.is_empty())?;
    let sentence =
        "Whole cycles (round trips, relay rounds), from the node that began them: the figure that \
        tools \
                    without one-way stamps report."
            .to_owned();
    let mut section = Section::new("cycles", "Whole cycles", sentence);
    section.columns = view.pieces.len();
    section.charts = panels("cycle", "Cycle", CYCLE, view);
    Some(section)
}

fn panels(key: &str, name: &str, colour: Colour, view: &StageView) -> Vec<Chart> {
    let mut charts: Vec<Chart> =
        view.pieces.iter().map(|piece| panel(key, name, colour, piece)).collect();
    if let Some(first) = charts.first_mut() {
        first.text = spark(name, &view.log_bins);
    }
    charts
}

/// The whole distribution for a terminal, on a log scale of time.
fn spark(name: &str, bins: &[Bin]) -> Option<ChartText> {
    let (first, last) = bins.first().zip(bins.last()).filter(|_| bins.len() > 1)?;
    Some(ChartText::Spark {
        head: name.to_owned(),
        ends: (time(first.from), time(last.to)),
        counts: bins.iter().map(|bin| bin.count).collect(),
    })
}

fn panel(key: &str, name: &str, colour: Colour, piece: &PieceView) -> Chart {
    let (piece_key, piece_name) = piece_names(piece.piece);
    let axes = (Axis::time(axis_title(key)), Axis::count("messages"));
    let label = format!("Histogram of {name}, {piece_name}: {}.", counted(piece.count, "message"));
    let mut chart = Chart::new(format!("dist-{key}-{piece_key}"), HEIGHT, label, axes)
        .titled(format!("{name}: {piece_name}"));
    chart.draw(histogram(&piece.linear_bins, Scale::Linear, colour));
    chart.draw(histogram(&piece.log_bins, Scale::Log, colour));
    chart.modes = scale_modes(&chart, piece, axis_title(key));
    chart
}

/// The scales of a panel. It begins with that on which most can be seen: linear, unless one bin has
/// so many of the messages that nothing else would be seen.
fn scale_modes(chart: &Chart, piece: &PieceView, title: &str) -> Vec<Mode> {
    let largest = |bins: &[Bin]| bins.iter().map(|bin| bin.count).max().unwrap_or(1);
    let counts = |bins: &[Bin]| log_counts(Axis::count("messages"), largest(bins));
    let linear = |name| chart.mode(name).seeing([true, false]);
    // A piece of zeros has no bins on a log scale.
    let log_log = |name| match piece.log_bins.is_empty() {
        false => chart
            .mode(name)
            .seeing([false, true])
            .x(Axis::time(title).log())
            .y(counts(&piece.log_bins)),
        true => linear(name),
    };
    let first = if is_spike(&piece.linear_bins) { log_log("auto") } else { linear("auto") };
    let semi_log = linear("semi-log").y(counts(&piece.linear_bins));
    vec![first, linear("linear"), semi_log, log_log("log-log")]
}

/// Whether one of many bins has most of the messages.
fn is_spike(bins: &[Bin]) -> bool {
    let all: u64 = bins.iter().map(|bin| bin.count).sum();
    bins.len() >= 10 && bins.iter().any(|bin| bin.count as f64 > SPIKE * all as f64)
}

fn axis_title(key: &str) -> &'static str {
    match key {
        "end-to-end" => "end-to-end time",
        "send-wait" => "send wait",
        "transit" => "transit time",
        "receive-wait" => "receive wait",
        _ => "cycle time",
    }
}

pub(crate) fn piece_names(piece: Piece) -> (&'static str, &'static str) {
    match piece {
        Piece::Fastest95 => ("fastest-95", "fastest 95 %"),
        Piece::Middle => ("middle", "95 to 99.9 %"),
        Piece::Slowest => ("slowest", "slowest 0.1 %"),
    }
}
