//! How much faster than the sequential run a simulation came forward, and what its critical path
//! allows.

use plotly::common::{DashType, Line};
use plotly::layout::{Axis, AxisType, RangeMode};

use crate::outcome::{CriticalPath, Outcome, SpeedupPoint};
use document::chart::{Chart, layout, line, time_axis};
use document::{Colour, Section};
use document::{count, time};

pub(super) fn section(outcome: &Outcome) -> Option<Section> {
    let (points, path) = (&outcome.speedup, outcome.critical_path.as_ref());
    let sentences: Vec<String> =
        [speedup_sentence(points), path.map(path_sentence)].into_iter().flatten().collect();
    if sentences.is_empty() {
        return None;
    }
    let title = if points.is_empty() { "Critical path" } else { "Speed-up along the run" };
    let mut section = Section::new("speedup", title, sentences.join(" "));
    if !points.is_empty() {
        section.legend =
            vec![("Of the moment".into(), Colour("a")), ("So far".into(), Colour("work"))];
        section.charts.push(chart(points));
    }
    Some(section)
}

fn speedup_sentence(points: &[SpeedupPoint]) -> Option<String> {
    let last = points.last()?;
    let least = points.iter().map(|point| point.speedup).fold(f64::INFINITY, f64::min);
    let most = points.iter().map(|point| point.speedup).fold(0.0, f64::max);
    Some(format!(
        "Time that the sequential run took for a stretch of virtual time over the time that this \
        run took: {:.2} over the \
         whole, between {least:.2} and {most:.2} from moment to moment. Below 1 (the dashed line) \
         one node alone would \
         have come forward faster.",
        last.so_far
    ))
}

fn path_sentence(path: &CriticalPath) -> String {
    format!(
        "The critical path, the longest chain of events of which each had to wait for the one \
        before, took {} in {} \
         events; all {} committed events took {}. So their work allows at most {:.2} times the \
         speed of one node, however \
         many nodes there are; only lazy cancellation, which lets a message leave before all it \
         depends on is known, may \
         do better.",
        time(path.length_ns),
        count(path.steps),
        count(path.events),
        time(path.work_ns),
        path.work_ns / path.length_ns.max(1.0),
    )
}

fn chart(points: &[SpeedupPoint]) -> Chart {
    let axes = layout().x_axis(time_axis("time since the run began", AxisType::Linear)).y_axis(
        Axis::new()
            .title("times as fast as the sequential run")
            .n_ticks(7)
            .range_mode(RangeMode::ToZero),
    );
    let label = "Speed-up against the sequential run, from moment to moment and so far.".to_owned();
    let mut chart = Chart::new("speedup", 320, label, axes);
    let x = || points.iter().map(|point| point.seconds).collect::<Vec<f64>>();
    let y = |of: fn(&SpeedupPoint) -> f64| points.iter().map(of).collect::<Vec<f64>>();
    let moment = line(x(), y(|point| point.speedup), "Of the moment", "@a", 1.4);
    chart.data.push(moment.hover_template("%{y:.2f} times as fast at %{x:.4~s}s"));
    let so_far = line(x(), y(|point| point.so_far), "So far", "@work", 2.4);
    chart.data.push(so_far.hover_template("%{y:.2f} times as fast until %{x:.4~s}s"));
    let ends = vec![0.0, points.last().map_or(0.0, |point| point.seconds)];
    let even = line(ends, vec![1.0; 2], "As fast", "@muted", 1.0);
    chart.data.push(even.line(Line::new().color("@muted").width(1.0).dash(DashType::Dash)));
    chart
}
