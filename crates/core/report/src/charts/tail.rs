//! The tail: the part of the messages that took longer than a time, on log scales.

use stats::analysis::{Analysis, StageView};

use crate::palette::{CYCLE, colour, title};
use document::chart::{Axis, Chart, Curve};
use document::{Colour, Section, axis_seconds, part, time};

pub(super) fn section(analysis: &Analysis) -> Option<Section> {
    let sentence = "The part of the messages that took longer than a given time. A steep fall is a \
    firm bound; a \
                    shelf is a rare event of one fixed length, such as a scheduler tick.";
    let mut section = Section::new("tail", "Tail", sentence.to_owned());
    let label = format!("Tail distribution of {} stages on log scales.", analysis.stages.len());
    let axes = (Axis::time("time").log(), Axis::part("part that took longer").log());
    let mut chart = Chart::new("tail", 340, label, axes);
    for view in &analysis.stages {
        if draw(&mut chart, view, colour(view.stage)) {
            section.legend.push((title(view.stage).to_owned(), colour(view.stage)));
        }
    }
    if let Some(view) = &analysis.cycles
        && draw(&mut chart, view, CYCLE)
    {
        section.legend.push(("Cycle".to_owned(), CYCLE));
    }
    let drawn = !chart.data.is_empty();
    section.page_only = true;
    section.charts.push(chart);
    drawn.then_some(section)
}

fn draw(chart: &mut Chart, view: &StageView, colour: Colour) -> bool {
    let points: Vec<(f64, f64)> =
        view.tail.iter().copied().filter(|(ns, above)| *ns > 0.0 && *above > 0.0).collect();
    if points.is_empty() {
        return false;
    }
    let x: Vec<f64> = points.iter().map(|(ns, _)| axis_seconds(*ns)).collect();
    let y: Vec<f64> = points.iter().map(|(_, above)| *above).collect();
    let width = if colour == Colour("a") { 2.5 } else { 1.8 };
    let tip = |(ns, above): &(f64, f64)| format!("{} is exceeded by {}", time(*ns), part(*above));
    chart.draw(Curve::line(x, y, colour, width).tips(points.iter().map(tip).collect()));
    true
}
