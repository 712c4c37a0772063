//! Global virtual time along the run.

use plotly::layout::{Axis, AxisType};

use crate::outcome::Outcome;
use crate::simulation::{Simulation, SimulationBin};
use crate::words;
use document::chart::{Chart, layout, line, seconds, time_axis};
use document::{Block, Section};
use document::{axis_seconds, six_figures};

pub(super) fn section(outcome: Option<&Outcome>, simulation: &Simulation) -> Option<Section> {
    let points: Vec<(&SimulationBin, f64)> =
        simulation.series.iter().filter_map(|bin| Some((bin, bin.gvt?))).collect();
    let difference = words::difference(outcome, simulation);
    if points.is_empty() && difference.is_none() {
        return None;
    }
    let mut section = Section::new("gvt", "Simulation", sentence(&points));
    if !points.is_empty() {
        section.charts.push(chart(&points));
    }
    section.blocks.extend(difference.map(|text| Block::Note(None, text)));
    Some(section)
}

fn sentence(points: &[(&SimulationBin, f64)]) -> String {
    let Some(((_, first), (_, last))) = points.first().zip(points.last()) else {
        return "No global virtual time was recorded.".to_owned();
    };
    format!(
        "Global virtual time (GVT), before which nothing can be undone any more, rose from {} to \
        {}. An even slope is \
         steady progress; a flat stretch is a time in which nothing was committed.",
        six_figures(*first),
        six_figures(*last)
    )
}

fn chart(points: &[(&SimulationBin, f64)]) -> Chart {
    let axes = layout().x_axis(time_axis("time since the run began", AxisType::Linear)).y_axis(
        Axis::new()
            .title("global virtual time")
            .type_(AxisType::Linear)
            .n_ticks(7)
            .zero_line(false),
    );
    let label = "Global virtual time against wall time.".to_owned();
    let mut chart = Chart::new("gvt", 320, label, axes);
    let x = seconds(points.iter().map(|(bin, _)| bin.from_ns + (bin.to_ns - bin.from_ns) / 2));
    let y = points.iter().map(|(_, gvt)| *gvt).collect();
    chart.data.push(line(x, y, "GVT", "@work", 2.2).hover_template("GVT %{y:.6~g} at %{x:.4~s}s"));
    if let [(bin, gvt)] = points {
        // A line needs two points.
        let x = vec![axis_seconds(bin.from_ns as f64), axis_seconds(bin.to_ns as f64)];
        chart.data = vec![line(x, vec![*gvt; 2], "GVT", "@work", 2.2)];
    }
    chart
}
