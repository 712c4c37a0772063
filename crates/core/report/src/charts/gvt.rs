//! Global virtual time along the run.

use plotly::layout::{Axis, AxisType};
use stats::analysis::{Simulation, SimulationBin};

use super::Section;
use crate::chart::{Chart, layout, line, seconds, time_axis};
use crate::facts::Facts;
use crate::format::{axis_seconds, six_figures};
use crate::simulation;

pub(super) fn section(run: &str, facts: &Facts, simulation: &Simulation) -> Option<Section> {
    let points: Vec<(&SimulationBin, f64)> =
        simulation.series.iter().filter_map(|bin| Some((bin, bin.gvt?))).collect();
    let difference = simulation::difference(facts, simulation);
    if points.is_empty() && difference.is_none() {
        return None;
    }
    let mut section = Section::new(run, "gvt", "Simulation", sentence(&points));
    if !points.is_empty() {
        section.charts.push(chart(run, &points));
    }
    section.below = difference.map_or_else(String::new, |text| {
        format!("<p class=note>{}</p>", crate::escape::html(&text))
    });
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

fn chart(run: &str, points: &[(&SimulationBin, f64)]) -> Chart {
    let axes = layout().x_axis(time_axis("time since the run began", AxisType::Linear)).y_axis(
        Axis::new()
            .title("global virtual time")
            .type_(AxisType::Linear)
            .n_ticks(7)
            .zero_line(false),
    );
    let label = "Global virtual time against wall time.".to_owned();
    let mut chart = Chart::new(format!("{run}-gvt"), 320, label, axes);
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
