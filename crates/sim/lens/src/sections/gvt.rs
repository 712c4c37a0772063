//! Global virtual time along the run.

use crate::outcome::Outcome;
use crate::simulation::{Simulation, SimulationBin};
use crate::words;
use document::chart::{Axis, Chart, Curve, Quantity, seconds};
use document::{Block, Colour, Section, axis_seconds, six_figures, time};

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
    let axes = (
        Axis::time("time since the run began"),
        Axis::new(Quantity::Number, "global virtual time"),
    );
    let label = "Global virtual time against wall time.".to_owned();
    let mut chart = Chart::new("gvt", 320, label, axes);
    let middle = |bin: &SimulationBin| bin.from_ns + (bin.to_ns - bin.from_ns) / 2;
    let x = match points {
        // A line needs two points.
        [(bin, _)] => [bin.from_ns, bin.to_ns].map(|ns| axis_seconds(ns as f64)).to_vec(),
        several => seconds(several.iter().map(|(bin, _)| middle(bin))),
    };
    let y: Vec<f64> = points.iter().map(|(_, gvt)| *gvt).cycle().take(x.len()).collect();
    let tip = |(bin, gvt): &(&SimulationBin, f64)| {
        format!("GVT {} at {}", six_figures(*gvt), time(middle(bin) as f64))
    };
    let tips = points.iter().map(tip).collect();
    chart.draw(Curve::line(x, y, Colour("work"), 2.2).tips(tips));
    chart
}
