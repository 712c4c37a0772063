//! Events executed, committed and undone along the run.

use crate::simulation::{Simulation, SimulationBin};
use document::chart::{Axis, Chart, Curve, Dash, seconds};
use document::{Colour, Section, part, rate, time};

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
        "Events a second. {} of the events executed were undone: work in vain. Commits come in \
        jumps, when GVT advances, so that committed may lie above executed for a moment. Where \
        undone follows executed upwards, nodes run too far ahead.",
        part(wasted)
    )
}

fn chart(bins: &[SimulationBin]) -> Chart {
    let axes = (Axis::time("time since the run began"), Axis::count("events a second").from_0());
    let label = "Events executed, committed and undone a second along the run.".to_owned();
    let mut chart = Chart::new("rates", 320, label, axes);
    let middle = |bin: &SimulationBin| bin.from_ns + (bin.to_ns - bin.from_ns) / 2;
    for (name, class, width, get) in LINES {
        let x = seconds(bins.iter().map(middle));
        let y: Vec<f64> = bins.iter().map(|bin| get(bin).round()).collect();
        let what = name.to_lowercase();
        let tip = |bin: &SimulationBin| {
            format!("{what} {} at {}", rate(get(bin)), time(middle(bin) as f64))
        };
        let dash = if name == "Executed" { Dash::Dot } else { Dash::None };
        let line = Curve::line(x, y, Colour(class), width).dashed(dash);
        chart.draw(line.tips(bins.iter().map(tip).collect()));
    }
    chart
}
