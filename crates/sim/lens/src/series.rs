//! A simulation's figures.

use document::{Point, Series};
use report::build::{quantile_points, stage_key};

use crate::simulation::{MessageGroup, NodeTime, Rollbacks, Simulation, SimulationBin, Work};

/// What they are called.
pub const NAMES: [&str; 4] = ["simulation", "progress", "rollbacks", "work"];

/// All of them, in that order.
pub fn all(of: &Simulation) -> Vec<Series> {
    let points = [simulation(of), progress(of), rollbacks(of), work(of)];
    NAMES.into_iter().zip(points).map(|(name, points)| Series { name, points }).collect()
}

/// The head's figures, then each node's time, as the rows of the record tell them.
fn simulation(simulation: &Simulation) -> Vec<Point> {
    let figures = [
        ("committed", Some(simulation.committed as f64), "events"),
        ("executed", Some(simulation.executed as f64), "events"),
        ("undone", Some(simulation.undone as f64), "events"),
        ("rollbacks", Some(simulation.rollbacks.count as f64), "count"),
        ("gvt-rounds", Some(simulation.gvt_rounds as f64), "count"),
        ("elapsed", Some(simulation.elapsed_ns as f64), "ns"),
        ("efficiency", simulation.efficiency, "part"),
        ("committed-rate", simulation.committed_per_s, "events/s"),
    ];
    let known = figures.into_iter().filter_map(|(name, y, unit)| Some(Point::of(name, y?, unit)));
    known.chain(simulation.nodes.iter().flat_map(node)).collect()
}

/// At the node.
fn node(node: &NodeTime) -> Vec<Point> {
    let [execution, rollback, collection] = node.work_ns;
    let times = [
        ("node execution", execution),
        ("node rollback", rollback),
        ("node collection", collection),
        ("node rest", node.rest_ns),
        ("node elapsed", node.elapsed_ns),
    ];
    times.map(|(group, ns)| Point::of(group, ns as f64, "ns").at(node.node)).into()
}

/// GVT and rates by slice of the timeline.
fn progress(simulation: &Simulation) -> Vec<Point> {
    let of = |bin: &SimulationBin| {
        let rates = [
            ("executed", bin.executed_per_s),
            ("committed", bin.committed_per_s),
            ("undone", bin.undone_per_s),
        ];
        let rates = rates.map(|(group, y)| Point::of(group, y, "events/s"));
        let gvt = bin.gvt.map(|gvt| Point::of("gvt", gvt, "virtual time"));
        let all = rates.into_iter().chain(gvt);
        all.map(|point| point.over(bin.from_ns, bin.to_ns)).collect::<Vec<_>>()
    };
    simulation.series.iter().flat_map(of).collect()
}

/// Depths and lengths of rollbacks, the largest, and the objects struck most.
fn rollbacks(simulation: &Simulation) -> Vec<Point> {
    let mut points = histograms(&simulation.rollbacks);
    for rollback in &simulation.worst {
        let object = rollback.object.map_or_else(String::new, |object| object.to_string());
        let group = format!("launch {} node {} object {object}", rollback.launch, rollback.node);
        let at = rollback.begin_ns.map_or_else(String::new, |ns| ns.to_string());
        points.push(Point::of(group.clone(), rollback.events as f64, "events").at(&at));
        let back = rollback.from.zip(rollback.to).map(|(from, to)| from - to);
        points.extend(
            back.map(|back| Point::of(format!("{group} back"), back, "virtual time").at(&at)),
        );
    }
    for object in &simulation.objects {
        let figures = [
            ("object undone", object.undone, "events"),
            ("object rollbacks", object.rollbacks, "count"),
        ];
        points.extend(
            figures.map(|(name, n, unit)| Point::of(name, n as f64, unit).at(object.object)),
        );
    }
    points
}

fn histograms(rollbacks: &Rollbacks) -> Vec<Point> {
    let bar = |group, n: u64| Point { scale: "log", ..Point::of(group, n as f64, "count") };
    let depths = rollbacks.depths.iter().map(|(from, to, n)| bar("depth", *n).over(from, to));
    let zero =
        (rollbacks.lengths_zero > 0).then(|| bar("length", rollbacks.lengths_zero).over(0, 0));
    let lengths =
        rollbacks.lengths.iter().map(|bin| bar("length", bin.count).over(bin.from, bin.to));
    depths.chain(zero).chain(lengths).collect()
}

/// Quantiles of each kind of work, and of the stages of each kind of message.
fn work(simulation: &Simulation) -> Vec<Point> {
    let mut points = Vec::new();
    for (work, view) in &simulation.work {
        points.extend(quantile_points("", work_key(*work), &view.summary));
    }
    points.extend(messages(simulation));
    points
}

fn messages(simulation: &Simulation) -> Vec<Point> {
    let place = |group: &MessageGroup| if group.on_node { "on-node" } else { "off-node" };
    let mut points = Vec::new();
    for group in &simulation.messages {
        let name = format!("{} {}", group.kind.name(), place(group));
        for (stage, summary) in &group.stages {
            points.extend(quantile_points(stage_key(*stage), &name, summary));
        }
    }
    points
}

fn work_key(work: Work) -> &'static str {
    match work {
        Work::Execution => "execution",
        Work::Rollback => "rollback",
        Work::Collection => "collection",
        Work::GvtRound => "gvt-round",
    }
}
