//! How much faster than the sequential run a simulation came forward, and what its critical path
//! allows.

use crate::outcome::{CriticalPath, Outcome, SpeedupPoint};
use document::chart::{Axis, Chart, Curve, Dash, Quantity};
use document::{Colour, Section, count, time};

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
    let ratio = Axis::new(Quantity::Number, "times as fast as the sequential run").from_0();
    let label = "Speed-up against the sequential run, from moment to moment and so far.".to_owned();
    let axes = (Axis::time("time since the run began"), ratio);
    let mut chart = Chart::new("speedup", 320, label, axes);
    chart.draw(curve(points, (Colour("a"), 1.4), "at", |point| point.speedup));
    chart.draw(curve(points, (Colour("work"), 2.4), "until", |point| point.so_far));
    let ends = vec![0.0, points.last().map_or(0.0, |point| point.seconds)];
    chart.draw(Curve::line(ends, vec![1.0; 2], Colour("muted"), 1.0).dashed(Dash::Dash));
    chart
}

fn curve(
    points: &[SpeedupPoint],
    (colour, width): (Colour, f64),
    when: &str,
    of: fn(&SpeedupPoint) -> f64,
) -> Curve {
    let x: Vec<f64> = points.iter().map(|point| point.seconds).collect();
    let y: Vec<f64> = points.iter().map(of).collect();
    let tip = |point: &SpeedupPoint| {
        format!("{:.2} times as fast {when} {}", of(point), time(point.seconds * 1e9))
    };
    Curve::line(x, y, colour, width).tips(points.iter().map(tip).collect())
}
