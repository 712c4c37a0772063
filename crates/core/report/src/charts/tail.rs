//! The tail: the part of the messages that took longer than a time, on log scales.

use plotly::Layout;
use plotly::layout::AxisType;
use stats::analysis::{Analysis, StageView};

use crate::palette::{CYCLE, colour, title};
use document::axis_seconds;
use document::chart::{Chart, layout, line, part_axis, time_axis};
use document::{Colour, Section};

pub(super) fn section(analysis: &Analysis) -> Option<Section> {
    let sentence = "The part of the messages that took longer than a given time. A steep fall is a \
    firm bound; a \
                    shelf is a rare event of one fixed length, such as a scheduler tick.";
    let mut section = Section::new("tail", "Tail", sentence.to_owned());
    let mut chart = Chart::new("tail", 340, label(analysis), axes());
    for view in &analysis.stages {
        if curve(&mut chart, view, title(view.stage), colour(view.stage)) {
            section.legend.push((title(view.stage).to_owned(), colour(view.stage)));
        }
    }
    if let Some(view) = &analysis.cycles
        && curve(&mut chart, view, "Cycle", CYCLE)
    {
        section.legend.push(("Cycle".to_owned(), Colour("cycle")));
    }
    let drawn = !chart.data.is_empty();
    section.page_only = true;
    section.charts.push(chart);
    drawn.then_some(section)
}

fn curve(chart: &mut Chart, view: &StageView, name: &str, colour: Colour) -> bool {
    let points: Vec<(f64, f64)> =
        view.tail.iter().copied().filter(|(ns, above)| *ns > 0.0 && *above > 0.0).collect();
    if points.is_empty() {
        return false;
    }
    let x = points.iter().map(|(ns, _)| axis_seconds(*ns)).collect();
    let y = points.iter().map(|(_, above)| *above).collect();
    let width = if colour == Colour("a") { 2.5 } else { 1.8 };
    chart.data.push(
        line(x, y, name, &colour.token(), width)
            .hover_template("%{x:.3~s}s is exceeded by %{y:.3~%}"),
    );
    true
}

fn axes() -> Layout {
    layout()
        .x_axis(time_axis("time (log)", AxisType::Log))
        .y_axis(part_axis("part that took longer (log)", AxisType::Log))
}

fn label(analysis: &Analysis) -> String {
    format!("Tail distribution of {} stages on log scales.", analysis.stages.len())
}
