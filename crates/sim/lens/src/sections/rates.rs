//! Events executed, committed and undone along the run.

use plotly::common::{DashType, Line};
use plotly::layout::{AxisType, RangeMode};

use crate::simulation::{Simulation, SimulationBin};
use document::chart::{Chart, count_axis, layout, line, seconds, time_axis};
use document::part;
use document::{Colour, Section};

type Rate = fn(&SimulationBin) -> f64;

/// What is drawn, in the order of the lines: name, class, width.
const LINES: [(&str, &str, f64, Rate); 3] = [
    ("Executed", "a", 1.4, |bin| bin.executed_per_s),
    ("Committed", "work", 2.4, |bin| bin.committed_per_s),
    ("Undone", "undo", 1.8, |bin| bin.undone_per_s),
];

pub(super) fn section(simulation: &Simulation) -> Option<Section> {
    if simulation.series.is_empty() || simulation.executed == 0 {
        return None;
    }
    let mut section = Section::new("rates", "Events along the run", sentence(simulation));
    section.legend =
        LINES.iter().map(|(name, class, ..)| ((*name).to_owned(), Colour(class))).collect();
    section.charts.push(chart(&simulation.series));
    Some(section)
}

fn sentence(simulation: &Simulation) -> String {
    let wasted = simulation.undone as f64 / simulation.executed as f64;
    format!(
        "Events a second. The gap between executed and committed is work in vain: {} of the events \
        executed were undone. Where \
         undone follows executed upwards, nodes run too far ahead.",
        part(wasted)
    )
}

fn chart(bins: &[SimulationBin]) -> Chart {
    let axes = layout()
        .x_axis(time_axis("time since the run began", AxisType::Linear))
        .y_axis(count_axis("events a second", AxisType::Linear).range_mode(RangeMode::ToZero));
    let label = "Events executed, committed and undone a second along the run.".to_owned();
    let mut chart = Chart::new("rates", 320, label, axes);
    for (name, class, width, get) in LINES {
        let x = seconds(bins.iter().map(|bin| bin.from_ns + (bin.to_ns - bin.from_ns) / 2));
        let y = bins.iter().map(|bin| get(bin).round()).collect();
        let tip = format!("%{{y:.3~s}} {} a second at %{{x:.4~s}}s", name.to_lowercase());
        let style = Line::new().color(format!("@{class}")).width(width);
        let dash = if name == "Executed" { DashType::Dot } else { DashType::Solid };
        let trace = line(x, y, name, &format!("@{class}"), width).line(style.dash(dash));
        chart.data.push(trace.hover_template(tip));
    }
    chart
}
