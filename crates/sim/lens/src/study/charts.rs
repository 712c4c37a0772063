//! The four charts of a speed-up study, each with the sentence that says what to see.

use plotly::Layout;
use plotly::layout::{Axis, AxisType, RangeMode};
use serde_json::{Value, json};
use stats::launches::LAUNCHES_LEAST;
use stats::speedup::Estimate;

use super::{SpeedupRow, SpeedupStudy, efficiency as efficiency_text, limit};
use document::chart::{Chart, Raw, layout, time_axis};
use document::{Colour, Section, ordered, time};
use report::build::{MARK, ratio};

/// Height of each.
const HEIGHT: u32 = 340;

pub(super) fn sections(study: &SpeedupStudy) -> Vec<Section> {
    vec![run_time(study), speedup(study), time_of_day(study), efficiency(study)]
}

fn run_time(study: &SpeedupStudy) -> Section {
    let mut section = Section::new("time", "Run time against nodes", run_time_sentence(study));
    section.legend = legend(study, "In order, divided by nodes");
    section.legend.push(("In order".into(), Colour("cycle")));
    let axes = layout()
        .x_axis(nodes_axis(study, AxisType::Log))
        .y_axis(time_axis("run time (log)", AxisType::Log));
    let mut chart =
        chart("time-chart", "Run time against the number of nodes, both on log scales.", axes);
    let all = study.rows.iter().map(|row| row.seconds.value);
    let (low, high) = all.fold((f64::INFINITY, 0.0f64), |(low, high), s| (low.min(s), high.max(s)));
    if let Some(base) = study.rows.iter().find(|row| row.setup.nodes.is_none()) {
        let ends = [1.0, most_nodes(study)];
        let ideal = ends.map(|nodes| base.seconds.value / nodes);
        chart.data.push(Box::new(straight(
            "In order, divided by nodes",
            ends,
            ideal,
            "@faint",
            "dot",
        )));
        chart.data.push(Box::new(straight(
            "In order",
            ends,
            [base.seconds.value; 2],
            "@cycle",
            "dash",
        )));
    }
    chart.data.extend(cores(study, [low / 2.0, high * 1.5]).map(boxed));
    chart.data.extend(curves(study, "run time %{y:.3~s}s", |row| Some(row.seconds)));
    section.charts.push(chart);
    section
}

fn run_time_sentence(study: &SpeedupStudy) -> String {
    let base = study.rows.iter().find(|row| row.setup.nodes.is_none());
    let best = study.rows.iter().filter(|row| row.setup.nodes.is_some());
    let best = best.min_by(|a, b| a.seconds.value.total_cmp(&b.seconds.value));
    let seen = match (base, best) {
        (Some(base), Some(best)) => format!(
            "In order the run takes {}; the least on nodes is {} ({}).",
            time(base.seconds.value * 1e9),
            time(best.seconds.value * 1e9),
            best.name()
        ),
        (Some(base), None) => format!("In order the run takes {}.", time(base.seconds.value * 1e9)),
        _ => "The run was not measured in order.".to_owned(),
    };
    format!(
        "{seen} On the dotted line n nodes would take an n-th of the time in order. {}",
        limit(study.cores)
    )
}

fn speedup(study: &SpeedupStudy) -> Section {
    let best = study.rows.iter().filter_map(|row| Some((row, row.speedup?)));
    let best = best.max_by(|a, b| a.1.value.total_cmp(&b.1.value));
    let seen = best.map_or_else(String::new, |(row, of)| {
        format!("The largest speed-up is {} ({}). ", ratio(of.value), row.name())
    });
    let sentence = format!(
        "{seen}Speed-up is the run time in order divided by that on nodes. Bars are 95 % \
        intervals; below {LAUNCHES_LEAST} launches \
         there are none. {}",
        limit(study.cores)
    );
    let mut section = Section::new("speedup", "Speed-up against nodes", sentence);
    section.legend = legend(study, "As many times as nodes");
    let axes =
        layout().x_axis(nodes_axis(study, AxisType::Linear)).y_axis(ratio_axis("speed-up (times)"));
    let mut chart = chart("speedup-chart", "Speed-up against the number of nodes.", axes);
    let ends = [1.0, most_nodes(study)];
    chart.data.push(Box::new(straight("As many times as nodes", ends, ends, "@faint", "dot")));
    let top =
        best.map_or(1.0, |(_, of)| of.value).max(f64::from(study.cores).min(most_nodes(study)));
    chart.data.extend(cores(study, [0.0, top]).map(boxed));
    chart.data.extend(curves(study, "%{y:.3~g} times as fast as in order", |row| row.speedup));
    section.charts.push(chart);
    section
}

fn time_of_day(study: &SpeedupStudy) -> Section {
    let widest =
        study.rows.iter().filter(|row| row.launches.len() > 1).map(|row| (row, spread(row)));
    let widest = widest.max_by(|a, b| a.1.total_cmp(&b.1));
    let seen = widest.map_or_else(
        || "One launch of each does not show how launches vary.".to_owned(),
        |(row, spread)| {
            format!(
                "Launches vary most {}: the slowest takes {} as long as the fastest.",
                of(row),
                ratio(spread)
            )
        },
    );
    let sentence = format!(
        "{seen} Each point is a launch, at the time at which it began: if all launches of one time \
        are slow, something else was running."
    );
    let mut section = Section::new("day", "Run time against time of day", sentence);
    let x = Axis::new().title("time of day (UTC)").type_(AxisType::Date);
    let axes = layout()
        .x_axis(x)
        .y_axis(time_axis("run time", AxisType::Linear).range_mode(RangeMode::ToZero));
    let mut chart =
        chart("day-chart", "Run time of each launch against the moment at which it began.", axes);
    for (at, row) in study.rows.iter().enumerate() {
        let colour = ordered(at, study.rows.len());
        section.legend.push((row.name(), colour));
        let x: Vec<f64> =
            row.launches.iter().map(|launch| (launch.begun.as_secs_f64() * 1e3).round()).collect();
        let y: Vec<f64> = row.launches.iter().map(|launch| launch.outcome.seconds).collect();
        chart.data.push(Box::new(Raw(json!({
            "type": "scatter", "mode": "markers", "name": row.name(), "x": x, "y": y,
            "marker": {"color": colour.token(), "size": 8},
            "hovertemplate": format!("{}: %{{y:.4~s}}s<extra></extra>", row.name()),
        }))));
    }
    section.charts.push(chart);
    section
}

fn of(row: &SpeedupRow) -> String {
    if row.setup.nodes.is_none() { row.name() } else { format!("on {}", row.name()) }
}

/// How many times as long the slowest takes as the fastest.
fn spread(row: &SpeedupRow) -> f64 {
    let seconds = row.launches.iter().map(|launch| launch.outcome.seconds);
    let (low, high) =
        seconds.fold((f64::INFINITY, 0.0f64), |(low, high), s| (low.min(s), high.max(s)));
    high / low.max(f64::MIN_POSITIVE)
}

fn efficiency(study: &SpeedupStudy) -> Section {
    let last = study.rows.iter().rev().find_map(|row| Some((row, row.efficiency()?)));
    let seen = last.map_or_else(String::new, |(row, it)| {
        let each = if row.setup.nodes == Some(1) { "the node" } else { "each node" };
        format!(
            "On {} {each} does {} of what the machine does in order. ",
            row.name(),
            efficiency_text(it.value)
        )
    });
    let sentence = format!(
        "{seen}Efficiency is speed-up by nodes; dashed is the part of executed events that came \
        true, which says how much of the loss is work undone. {}",
        limit(study.cores)
    );
    let mut section = Section::new("efficiency", "Efficiency against nodes", sentence);
    section.legend = legend(study, "Events that came true");
    let y = ratio_axis("efficiency (part of 1)");
    let axes = layout().x_axis(nodes_axis(study, AxisType::Linear)).y_axis(y);
    let mut chart = chart("efficiency-chart", "Efficiency against the number of nodes.", axes);
    for (_, rows) in study.lines() {
        let x: Vec<f64> = rows.iter().filter_map(|row| row.setup.nodes.map(f64::from)).collect();
        let y: Vec<f64> = rows.iter().map(|row| row.event_efficiency).collect();
        chart.data.push(Box::new(Raw(json!({
            "type": "scatter", "mode": "lines+markers", "name": "Events that came true",
            "x": x, "y": y, "line": {"color": "@faint", "width": 1.4, "dash": "dash"},
            "marker": {"color": "@faint", "size": 5},
            "hovertemplate": "%{y:.1%} of the events executed on %{x} nodes came \
            true<extra></extra>",
        }))));
    }
    chart.data.extend(cores(study, [0.0, 1.0]).map(boxed));
    chart.data.extend(curves(study, "efficiency %{y:.1%}", SpeedupRow::efficiency));
    section.charts.push(chart);
    section
}

fn chart(id: &str, label: &str, axes: Layout) -> Chart {
    Chart::new(id, HEIGHT, label, axes)
}

fn boxed(raw: Raw) -> Box<dyn plotly::Trace> {
    Box::new(raw)
}

/// A line for each way to time objects, with intervals.
fn curves(
    study: &SpeedupStudy,
    tip: &str,
    figure: impl Fn(&SpeedupRow) -> Option<Estimate>,
) -> Vec<Box<dyn plotly::Trace>> {
    let lines = study.lines();
    let curve = |(at, (timing, rows)): (usize, &(&str, Vec<&SpeedupRow>))| {
        let points: Vec<(f64, Estimate)> = rows
            .iter()
            .filter_map(|row| Some((f64::from(row.setup.nodes?), figure(row)?)))
            .collect();
        let colour = colour(at, lines.len()).token();
        let name = if timing.is_empty() { "Measured" } else { timing };
        boxed(Raw(json!({
            "type": "scatter", "mode": "lines+markers", "name": name,
            "x": points.iter().map(|(nodes, _)| *nodes).collect::<Vec<f64>>(),
            "y": points.iter().map(|(_, it)| it.value).collect::<Vec<f64>>(),
            "line": {"color": colour, "width": 2.2}, "marker": {"color": colour, "size": 7},
            "error_y": error_bars(&points, &colour),
            "hovertemplate": format!("%{{x}} nodes: {tip}<extra></extra>"),
        })))
    };
    lines.iter().enumerate().map(curve).collect()
}

fn error_bars(points: &[(f64, Estimate)], colour: &str) -> Value {
    let beyond = |end: fn(&Estimate, (f64, f64)) -> f64| -> Vec<f64> {
        points.iter().map(|(_, it)| it.interval.map_or(0.0, |interval| end(it, interval))).collect()
    };
    json!({
        "type": "data", "symmetric": false, "color": colour, "thickness": 1.2, "width": 4,
        "array": beyond(|it, (_, high)| high - it.value),
        "arrayminus": beyond(|it, (low, _)| it.value - low),
    })
}

fn colour(at: usize, of: usize) -> Colour {
    if of <= 1 { Colour("a") } else { ordered(at, of) }
}

fn straight(name: &str, x: [f64; 2], y: [f64; 2], colour: &str, dash: &str) -> Raw {
    Raw(json!({
        "type": "scatter", "mode": "lines", "name": name, "x": x, "y": y, "hoverinfo": "skip",
        "line": {"color": colour, "width": 1.4, "dash": dash},
    }))
}

/// A line at as many nodes as the machine has cores, where the axis reaches so far.
fn cores(study: &SpeedupStudy, y: [f64; 2]) -> Option<Raw> {
    let cores = f64::from(study.cores);
    (cores <= most_nodes(study))
        .then(|| straight("Cores of this machine", [cores; 2], y, MARK, "dash"))
}

fn legend(study: &SpeedupStudy, dotted: &str) -> Vec<(String, Colour)> {
    let lines = study.lines();
    let mut legend: Vec<(String, Colour)> = lines
        .iter()
        .enumerate()
        .map(|(at, (timing, _))| {
            let name =
                if timing.is_empty() { "Measured".into() } else { format!("Timing {timing}") };
            (name, colour(at, lines.len()))
        })
        .collect();
    legend.push((dotted.into(), Colour("faint")));
    if f64::from(study.cores) <= most_nodes(study) {
        legend.push((format!("As many nodes as cores ({})", study.cores), Colour("mark")));
    }
    legend
}

fn most_nodes(study: &SpeedupStudy) -> f64 {
    study.rows.iter().filter_map(|row| row.setup.nodes).max().map_or(1.0, f64::from)
}

/// Ticks at the numbers of nodes measured.
fn nodes_axis(study: &SpeedupStudy, kind: AxisType) -> Axis {
    let mut nodes: Vec<u16> = study.rows.iter().filter_map(|row| row.setup.nodes).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let title = if matches!(kind, AxisType::Log) { "nodes (log)" } else { "nodes" };
    Axis::new()
        .title(title)
        .type_(kind)
        .tick_values(nodes.iter().map(|nodes| f64::from(*nodes)).collect())
        .tick_text(nodes.iter().map(u16::to_string).collect())
        .zero_line(false)
}

fn ratio_axis(title: &str) -> Axis {
    Axis::new().title(title).n_ticks(7).range_mode(RangeMode::ToZero).zero_line(false)
}
