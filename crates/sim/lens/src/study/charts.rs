//! The charts of a speed-up study, each with the sentence that says what to see: four of each
//! model, and before them, where there are several models or builds, those that compare these.

mod models;

use stats::launches::LAUNCHES_LEAST;
use stats::speedup::Estimate;

use super::{SpeedupRow, SpeedupStudy, efficiency as efficiency_text, limit};
use document::chart::{Axis, Chart, Curve, Dash, Dots, Quantity};
use document::{Colour, Section, counted, ordered, part, six_figures, time};
use report::build::{MARK, ratio};

/// Height of each.
const HEIGHT: u32 = 340;
const FAINT: Colour = Colour("faint");
const IN_ORDER: Colour = Colour("d");
/// So many groups can be told apart by their colours.
const COLOURS: usize = 8;

pub(super) fn sections(study: &SpeedupStudy) -> Vec<Section> {
    let makers: [fn(&SpeedupStudy) -> Part; 4] = [run_time, speedup, time_of_day, efficiency];
    let models = super::models(&study.rows).into_iter();
    let studies: Vec<(&str, SpeedupStudy)> =
        models.map(|model| (model, study.of_model(model))).collect();
    let own = makers.iter().map(|make| match &studies[..] {
        [_, _, ..] => of_models(studies.iter().map(|(model, of)| (*model, make(of)))),
        _ => make(study).whole(),
    });
    models::section(study).into_iter().chain(own).collect()
}

/// A section with the two parts of its sentence: what is seen in it, and how to read it.
struct Part {
    section: Section,
    seen: String,
    reading: String,
}

impl Part {
    fn whole(self) -> Section {
        let (seen, reading) = (self.seen, self.reading);
        Section { sentence: format!("{seen} {reading}").trim().to_owned(), ..self.section }
    }
}

/// The same section of several models as one: a chart of each, one legend.
fn of_models<'a>(parts: impl Iterator<Item = (&'a str, Part)>) -> Section {
    let mut whole = Section { columns: 2, ..Section::default() };
    let (mut seen, mut reading) = (String::new(), String::new());
    for (model, part) in parts {
        let Part { section, seen: own, reading: same } = part;
        seen.push_str(&format!("{model}: {own} "));
        reading = same;
        (whole.id, whole.title) = (section.id, section.title);
        for mut chart in section.charts {
            chart.id = format!("{}-{model}", chart.id);
            whole.charts.push(chart.titled(model));
        }
        for entry in section.legend {
            if !whole.legend.contains(&entry) {
                whole.legend.push(entry);
            }
        }
    }
    Section { sentence: seen + &reading, ..whole }
}

fn run_time(study: &SpeedupStudy) -> Part {
    let mut section = Section::new("time", "Run time against nodes", "");
    section.legend = legend(study, "In order, divided by nodes");
    section.legend.push(("In order".into(), IN_ORDER));
    let axes = (nodes_axis(study).log(), Axis::time("run time").log());
    let mut chart =
        chart("time-chart", "Run time against the number of nodes, both on log scales.", axes);
    let all = study.rows.iter().map(|row| row.seconds.value);
    let (low, high) = all.fold((f64::INFINITY, 0.0f64), |(low, high), s| (low.min(s), high.max(s)));
    if let Some(base) = study.rows.iter().find(|row| row.setup.nodes.is_none()) {
        let ends = [1.0, most_nodes(study)];
        let ideal = ends.map(|nodes| base.seconds.value / nodes);
        chart.draw(straight(ends, ideal, FAINT, Dash::Dot));
        chart.draw(straight(ends, [base.seconds.value; 2], IN_ORDER, Dash::Dash));
    }
    chart.data.extend(cores(study, [low / 2.0, high * 1.5]).map(Into::into));
    let tip = |nodes: &str, it: f64| format!("{nodes}: run time {}", time(it * 1e9));
    chart.data.extend(curves(study, tip, |row| Some(row.seconds)).map(Into::into));
    section.charts.push(chart);
    let dotted = "On the dotted line n nodes would take an n-th of the time in order.";
    let reading = format!("{dotted} {}", limit(study.cores));
    Part { section, seen: run_time_seen(study), reading }
}

fn run_time_seen(study: &SpeedupStudy) -> String {
    let base = study.rows.iter().find(|row| row.setup.nodes.is_none());
    let best = study.rows.iter().filter(|row| row.setup.nodes.is_some());
    let best = best.min_by(|a, b| a.seconds.value.total_cmp(&b.seconds.value));
    match (base, best) {
        (Some(base), Some(best)) => format!(
            "In order the run takes {}; the least on nodes is {} ({}).",
            time(base.seconds.value * 1e9),
            time(best.seconds.value * 1e9),
            best.name()
        ),
        (Some(base), None) => format!("In order the run takes {}.", time(base.seconds.value * 1e9)),
        _ => "The run was not measured in order.".to_owned(),
    }
}

fn speedup(study: &SpeedupStudy) -> Part {
    let best = study.rows.iter().filter_map(|row| Some((row, row.speedup?)));
    let best = best.max_by(|a, b| a.1.value.total_cmp(&b.1.value));
    let seen = best.map_or_else(String::new, |(row, of)| {
        format!("The largest speed-up is {} ({}).", ratio(of.value), row.name())
    });
    let reading = format!(
        "Speed-up is the run time in order divided by that on nodes. Bars are 95 % \
        intervals; below {LAUNCHES_LEAST} launches \
         there are none. {}",
        limit(study.cores)
    );
    let mut section = Section::new("speedup", "Speed-up against nodes", "");
    section.legend = legend(study, "As many times as nodes");
    let axes = (nodes_axis(study), ratio_axis("speed-up (times)"));
    let mut chart = chart("speedup-chart", "Speed-up against the number of nodes.", axes);
    let ends = [1.0, most_nodes(study)];
    chart.draw(straight(ends, ends, FAINT, Dash::Dot));
    let top =
        best.map_or(1.0, |(_, of)| of.value).max(f64::from(study.cores).min(most_nodes(study)));
    chart.data.extend(cores(study, [0.0, top]).map(Into::into));
    let tip = |nodes: &str, it: f64| format!("{nodes}: {} of the speed in order", ratio(it));
    chart.data.extend(curves(study, tip, |row| row.speedup).map(Into::into));
    section.charts.push(chart);
    Part { section, seen, reading }
}

fn time_of_day(study: &SpeedupStudy) -> Part {
    let widest =
        study.rows.iter().filter(|row| row.launches.len() > 1).map(|row| (row, spread(row)));
    let widest = widest.max_by(|a, b| a.1.total_cmp(&b.1));
    let seen = widest.map_or_else(
        || "One launch of each does not show how launches vary.".to_owned(),
        |(row, spread)| {
            format!(
                "Launches vary most {}: the slowest took {} as long as the fastest.",
                of(row),
                ratio(spread)
            )
        },
    );
    let reading = "Each point is a launch, at the time at which it began: if all launches of one \
        time are slow, something else was running.";
    let mut section = Section::new("day", "Run time against time of day", "");
    let axes = (Axis::new(Quantity::Day, "time of day (UTC)"), Axis::time("run time").from_0());
    let mut chart =
        chart("day-chart", "Run time of each launch against the moment at which it began.", axes);
    for (at, row) in study.rows.iter().enumerate() {
        let (name, colour) = match study.rows.len() {
            few if few <= COLOURS => (row.name(), ordered(at, few)),
            _ if row.setup.nodes.is_none() => ("In order".to_owned(), IN_ORDER),
            _ => (row.style.varied.line(&row.setup), row.style.colour()),
        };
        if !section.legend.contains(&(name.clone(), colour)) {
            section.legend.push((name, colour));
        }
        let x: Vec<f64> =
            row.launches.iter().map(|launch| (launch.begun.as_secs_f64() * 1e3).round()).collect();
        let y: Vec<f64> = row.launches.iter().map(|launch| launch.outcome.seconds).collect();
        let tip = |s: &f64| format!("{}: {}", row.name(), time(s * 1e9));
        let tips = y.iter().map(tip).collect();
        chart.draw(Curve::points(x, y, Dots::discs(colour, 8.0)).tips(tips));
    }
    section.charts.push(chart);
    Part { section, seen, reading: reading.to_owned() }
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

fn efficiency(study: &SpeedupStudy) -> Part {
    let last = study.rows.iter().rev().find_map(|row| Some((row, row.efficiency()?)));
    let seen = last.map_or_else(String::new, |(row, it)| {
        let each = if row.setup.nodes == Some(1) { "the node" } else { "each node" };
        format!(
            "On {} {each} does {} of what the machine does in order.",
            row.name(),
            efficiency_text(it.value)
        )
    });
    let reading = format!(
        "Efficiency is speed-up by nodes; dashed is the part of executed events that came \
        true, which says how much of the loss is work undone. {}",
        limit(study.cores)
    );
    let mut section = Section::new("efficiency", "Efficiency against nodes", "");
    section.legend = legend(study, "Events that came true");
    let y = ratio_axis("efficiency (part of 1)");
    let mut chart = chart(
        "efficiency-chart",
        "Efficiency against the number of nodes.",
        (nodes_axis(study), y),
    );
    for (_, rows) in study.lines() {
        let x: Vec<f64> = rows.iter().filter_map(|row| row.setup.nodes.map(f64::from)).collect();
        let y: Vec<f64> = rows.iter().map(|row| row.event_efficiency).collect();
        let tip = |(nodes, part_of): (&f64, &f64)| {
            let nodes = six_figures(*nodes);
            format!("{} of the events executed on {nodes} nodes came true", part(*part_of))
        };
        let tips = x.iter().zip(&y).map(tip).collect();
        let line = Curve::line(x, y, FAINT, 1.4).dashed(Dash::Dash);
        chart.draw(line.dots(Dots::discs(FAINT, 5.0)).tips(tips));
    }
    chart.data.extend(cores(study, [0.0, 1.0]).map(Into::into));
    let tip = |nodes: &str, it: f64| format!("{nodes}: efficiency {}", part(it));
    chart.data.extend(curves(study, tip, SpeedupRow::efficiency).map(Into::into));
    section.charts.push(chart);
    Part { section, seen, reading }
}

fn chart(id: &str, label: &str, axes: (Axis, Axis)) -> Chart {
    Chart::new(id, HEIGHT, label, axes)
}

/// The lines, with intervals.
fn curves<'a>(
    study: &'a SpeedupStudy,
    tip: impl Fn(&str, f64) -> String + 'a,
    figure: impl Fn(&SpeedupRow) -> Option<Estimate> + 'a,
) -> impl Iterator<Item = Curve> + 'a {
    study.lines().into_iter().map(move |(_, rows)| {
        let point = |row: &&SpeedupRow| Some((f64::from(row.setup.nodes?), figure(row)?));
        let points: Vec<(f64, Estimate)> = rows.iter().filter_map(point).collect();
        let nodes: Vec<f64> = points.iter().map(|(nodes, _)| *nodes).collect();
        let values: Vec<f64> = points.iter().map(|(_, it)| it.value).collect();
        let tips = points.iter().map(|(nodes, it)| tip(&counted(*nodes as u64, "node"), it.value));
        let tips = tips.collect();
        let interval = |it: &Estimate| it.interval.unwrap_or((it.value, it.value));
        let intervals = points.iter().map(|(_, it)| interval(it)).collect();
        let line = Curve::line(nodes, values, rows[0].style.colour(), 2.2).dots(dots(rows[0], 7.0));
        line.intervals(intervals).tips(tips)
    })
}

/// The points of a row's line.
fn dots(row: &SpeedupRow, size: f64) -> Dots {
    Dots { paint: row.style.colour().into(), size, symbol: row.style.symbol() }
}

fn straight(x: [f64; 2], y: [f64; 2], colour: Colour, dash: Dash) -> Curve {
    Curve::line(x.to_vec(), y.to_vec(), colour, 1.4).dashed(dash)
}

/// A line at as many nodes as the machine has cores, where the axis reaches so far.
fn cores(study: &SpeedupStudy, y: [f64; 2]) -> Option<Curve> {
    let cores = f64::from(study.cores);
    (cores <= most_nodes(study)).then(|| straight([cores; 2], y, MARK, Dash::Dash))
}

fn legend(study: &SpeedupStudy, dotted: &str) -> Vec<(String, Colour)> {
    let mut legend = lines(study);
    legend.push((dotted.into(), FAINT));
    if f64::from(study.cores) <= most_nodes(study) {
        legend.push((format!("As many nodes as cores ({})", study.cores), MARK));
    }
    legend
}

/// The lines' names and colours.
fn lines(study: &SpeedupStudy) -> Vec<(String, Colour)> {
    let of = |(name, rows): (String, Vec<&SpeedupRow>)| (name, rows[0].style.colour());
    study.lines().into_iter().map(of).collect()
}

fn most_nodes(study: &SpeedupStudy) -> f64 {
    study.rows.iter().filter_map(|row| row.setup.nodes).max().map_or(1.0, f64::from)
}

/// Ticks at the numbers of nodes measured.
fn nodes_axis(study: &SpeedupStudy) -> Axis {
    let mut nodes: Vec<u16> = study.rows.iter().filter_map(|row| row.setup.nodes).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let ticks = nodes.iter().map(|nodes| (f64::from(*nodes), nodes.to_string()));
    Axis::new(Quantity::Number, "nodes").ticks(ticks.collect())
}

fn ratio_axis(title: &str) -> Axis {
    Axis::new(Quantity::Number, title).from_0()
}
