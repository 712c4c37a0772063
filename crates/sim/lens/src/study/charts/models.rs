//! Several models or builds beside each other, as in figures 1 to 3 of the memo of 1991: run times
//! in order, run times and speed-ups on the most nodes.

use super::{FAINT, HEIGHT, IN_ORDER, chart, dots, most_nodes, ratio_axis, straight};
use crate::study::setup::SYMBOLS;
use crate::study::{SpeedupRow, SpeedupStudy, models};
use document::chart::{Axis, Chart, Curve, Dash, Dots, Quantity, Side};
use document::{Section, counted, time};
use report::build::ratio;
use stats::speedup::Estimate;

/// The part of the room of a model over which its points are spread.
const SPREAD: f64 = 0.7;

/// `None` where there is one model and one build.
pub(super) fn section(study: &SpeedupStudy) -> Option<Section> {
    let varied = study.rows.first()?.style.varied;
    if !varied.models && !varied.builds {
        return None;
    }
    let title = if varied.models { "Model by model" } else { "Build by build" };
    let mut section = Section::new("models", title, sentence(study));
    section.columns = 3;
    section.legend = super::lines(study);
    section.legend.push(("In order".into(), IN_ORDER));
    section.charts.push(in_order(study));
    section.charts.push(on_nodes(study, ("models-time", "Run time"), time_axis(), |row| {
        Some((row.seconds, time(row.seconds.value * 1e9)))
    }));
    let speedups = ratio_axis("speed-up (times)");
    section.charts.push(on_nodes(study, ("models-speedup", "Speed-up"), speedups, |row| {
        Some((row.speedup?, ratio(row.speedup?.value)))
    }));
    Some(section)
}

fn sentence(study: &SpeedupStudy) -> String {
    let mut said = Vec::new();
    let in_order = study.rows.iter().filter(|row| row.setup.nodes.is_none());
    let by_time = |a: &&SpeedupRow, b: &&SpeedupRow| a.seconds.value.total_cmp(&b.seconds.value);
    let ends = (in_order.clone().min_by(by_time), in_order.max_by(by_time));
    if let (Some(least), Some(most)) = ends
        && least.setup != most.setup
    {
        let of = |row: &SpeedupRow| format!("{} ({})", time(row.seconds.value * 1e9), row.name());
        said.push(format!("In order, runs take from {} to {}.", of(least), of(most)));
    }
    let speedups = most(study).filter_map(|row| Some((row, row.speedup?.value)));
    if let Some((row, best)) = speedups.max_by(|a, b| a.1.total_cmp(&b.1)) {
        let name = row.name();
        said.push(format!("The largest speed-up on the most nodes is {} ({name}).", ratio(best)));
    }
    said.push(symbols(study));
    said.push("Upright lines are 95 % intervals.".to_owned());
    said.retain(|words| !words.is_empty());
    said.join(" ")
}

/// Which points are which transport's, where there are several.
fn symbols(study: &SpeedupStudy) -> String {
    let mut seen: Vec<(usize, &str)> = Vec::new();
    for row in study.rows.iter().filter(|row| row.setup.nodes.is_some()) {
        let one = (row.style.transport, row.setup.transport);
        if !seen.contains(&one) {
            seen.push(one);
        }
    }
    let words = |(at, name): &(usize, &str)| format!("{} are {name}", SYMBOLS[at % 4].1);
    match seen.len() {
        0 | 1 => String::new(),
        _ => {
            let said: Vec<String> = seen.iter().map(words).collect();
            format!("In this and the next charts {}.", said.join(", "))
        }
    }
}

/// Run times in order: against the first build's where there are several.
fn in_order(study: &SpeedupStudy) -> Chart {
    let is_relative = study.rows.iter().any(|row| row.style.varied.builds);
    let (title, axis) = match is_relative {
        true => ("In order, against this build", ratio_axis("run time (times this build's)")),
        false => ("In order", time_axis()),
    };
    // This build against itself is a line, and no point.
    let is_shown =
        |row: &&SpeedupRow| row.setup.nodes.is_none() && (!is_relative || row.relative.is_some());
    let rows: Vec<&SpeedupRow> = study.rows.iter().filter(is_shown).collect();
    let key = |row: &SpeedupRow| (row.setup.build.clone(), row.setup.stretch);
    let mut groups = Vec::new();
    for row in &rows {
        if !groups.contains(&key(row)) {
            groups.push(key(row));
        }
    }
    let mut chart = places(study, "models-in-order", title, axis);
    if is_relative {
        let ends = [0.5, models(&study.rows).len() as f64 + 0.5];
        chart.draw(straight(ends, [1.0; 2], FAINT, Dash::Dash));
    }
    for row in rows {
        let of = groups.iter().position(|group| *group == key(row)).unwrap_or(0);
        let x = place(study, row, of, groups.len());
        let (value, words) = match row.relative.filter(|_| is_relative) {
            Some(by_first) => (by_first, ratio(by_first.value)),
            None => (row.seconds, time(row.seconds.value * 1e9)),
        };
        let tip = format!("{}: {words}", row.name());
        let point = point(x, value, Dots::discs(IN_ORDER, 9.0), tip);
        chart.draw(match is_relative {
            true => point.words(vec![(row.setup.build.clone(), Side::Right)]),
            false => point,
        });
    }
    chart
}

/// A figure of the runs on the most nodes.
fn on_nodes(
    study: &SpeedupStudy,
    (id, what): (&str, &str),
    axis: Axis,
    figure: impl Fn(&SpeedupRow) -> Option<(Estimate, String)>,
) -> Chart {
    let nodes = counted(most_nodes(study) as u64, "node");
    let mut chart = places(study, id, &format!("{what} on {nodes}"), axis);
    for row in most(study) {
        let Some((value, words)) = figure(row) else { continue };
        let (line, of) = row.style.line;
        let tip = format!("{}: {words}", row.name());
        chart.draw(point(place(study, row, line, of), value, dots(row, 9.0), tip));
    }
    chart
}

fn most(study: &SpeedupStudy) -> impl Iterator<Item = &SpeedupRow> {
    let most = study.rows.iter().filter_map(|row| row.setup.nodes).max();
    study.rows.iter().filter(move |row| row.setup.nodes.is_some() && row.setup.nodes == most)
}

fn point(x: f64, of: Estimate, dots: Dots, tip: String) -> Curve {
    let interval = of.interval.unwrap_or((of.value, of.value));
    // A line of one point is not seen: its colour is that of the interval.
    let line = Curve::line(vec![x], vec![of.value], dots.paint, 2.0).dots(dots);
    line.intervals(vec![interval]).tips(vec![tip])
}

/// A chart with a place for each model.
fn places(study: &SpeedupStudy, id: &str, title: &str, y: Axis) -> Chart {
    let models = models(&study.rows);
    let ticks = (1..).zip(&models).map(|(at, model)| (f64::from(at), (*model).to_owned()));
    let x = Axis::new(Quantity::Number, "").ticks(ticks.collect());
    let x = x.range(0.5, models.len() as f64 + 0.5);
    Chart { height: HEIGHT, ..chart(id, &format!("{title}, model by model."), (x, y)) }
        .titled(title)
}

/// The place of one of so many points of a model.
fn place(study: &SpeedupStudy, row: &SpeedupRow, at: usize, of: usize) -> f64 {
    let model = models(&study.rows).iter().position(|model| *model == row.setup.model);
    let aside = (at as f64 + 0.5) / of.max(1) as f64 - 0.5;
    (model.unwrap_or(0) + 1) as f64 + aside * SPREAD
}

fn time_axis() -> Axis {
    Axis::time("run time").log()
}
