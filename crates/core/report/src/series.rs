//! Every plotted series, as numbers.
//!
//! `stage` is `end-to-end`, `send-wait`, `transit`, `receive-wait` or `cycle`; times are in
//! nanoseconds, quantiles and parts run from 0 to 1.

mod explained;

use document::{Point, Series, quantile_name};
use stats::analysis::{Analysis, Bin, By, Counted, StageView, Summary};

use crate::charts::distribution::piece_names;
use crate::palette::{PARTS, key};

type Points = fn(&Analysis) -> Vec<Point>;

/// Every series with what makes it.
const SERIES: [(&str, Points); 16] = [
    ("population", population),
    ("distribution", distribution),
    ("histogram", histogram),
    ("tail", tail),
    ("shares", shares),
    ("timeline", timeline),
    ("slowest", slowest),
    ("groups", groups),
    ("group-histogram", group_histogram),
    ("counts", counts),
    ("sends", sends),
    ("launches", launches),
    ("sizes", sizes),
    ("quantiles", quantiles),
    ("peaks", explained::peaks),
    ("knees", explained::knees),
];

/// The names of all series.
pub fn series_names() -> impl Iterator<Item = &'static str> {
    SERIES.iter().map(|(name, _)| *name)
}

/// The series of this name, or all of them.
pub fn series(analysis: &Analysis, wanted: Option<&str>) -> Vec<Series> {
    let wanted = SERIES.iter().filter(|(name, _)| wanted.is_none_or(|wanted| wanted == *name));
    wanted.map(|(name, points)| Series { name, points: points(analysis) }).collect()
}

/// Stages and cycles with their names.
fn views(analysis: &Analysis) -> impl Iterator<Item = (&'static str, &StageView)> {
    let stages = analysis.stages.iter().map(|view| (key(view.stage), view));
    stages.chain(analysis.cycles.iter().map(|view| ("cycle", view)))
}

fn bins<'a>(
    stage: &'static str,
    group: &'a str,
    scale: &'static str,
    bins: &'a [Bin],
) -> impl Iterator<Item = Point> + 'a {
    bins.iter().map(move |bin| Point {
        scale,
        ..Point::of(group, bin.count as f64, "messages").stage(stage).over(bin.from, bin.to)
    })
}

/// `group` is a kind and a place, and whether the number is of those that the run has or of those
/// that the figures are about.
fn population(analysis: &Analysis) -> Vec<Point> {
    let of = |group: &stats::analysis::PopulationGroup| {
        let place = if group.within_node { "within node" } else { "between nodes" };
        let kind = group.kind.name();
        [("all", group.messages), ("taken", group.taken)]
            .map(|(which, n)| Point::of(format!("{kind} {place} {which}"), n as f64, "messages"))
    };
    analysis.population.groups.iter().flat_map(of).collect()
}

fn distribution(analysis: &Analysis) -> Vec<Point> {
    let pieces =
        views(analysis).flat_map(|(stage, view)| view.pieces.iter().map(move |one| (stage, one)));
    let of = |(stage, piece): (&'static str, &stats::analysis::PieceView)| {
        let (group, _) = piece_names(piece.piece);
        let linear = bins(stage, group, "linear", &piece.linear_bins);
        linear.chain(bins(stage, group, "log", &piece.log_bins)).collect::<Vec<_>>()
    };
    pieces.flat_map(of).collect()
}

fn histogram(analysis: &Analysis) -> Vec<Point> {
    views(analysis).flat_map(|(stage, view)| bins(stage, "", "log", &view.log_bins)).collect()
}

fn tail(analysis: &Analysis) -> Vec<Point> {
    let of = |(stage, view): (&'static str, &StageView)| {
        let point = |(ns, above): &(f64, f64)| Point::of("", *above, "part").stage(stage).at(*ns);
        view.tail.iter().map(point).collect::<Vec<_>>()
    };
    views(analysis).flat_map(of).collect()
}

fn shares(analysis: &Analysis) -> Vec<Point> {
    let of = |share: &stats::analysis::Share| {
        let parts = PARTS.iter().zip(share.stage_mean_ns).map(|(stage, ns)| (key(*stage), ns));
        let all = parts.chain([("end-to-end", share.mean_ns)]);
        let (from, to) = (share.from_p, share.to_p);
        all.map(|(stage, ns)| Point::of("", ns, "ns").stage(stage).over(from, to))
            .collect::<Vec<_>>()
    };
    analysis.shares.iter().flat_map(of).collect()
}

fn timeline(analysis: &Analysis) -> Vec<Point> {
    let of = |bin: &stats::analysis::SeriesBin| {
        let times = [("p50", bin.p50_ns), ("p99", bin.p99_ns), ("max", bin.max_ns)];
        let times = times.map(|(group, ns)| Point::of(group, ns as f64, "ns"));
        let all = times.into_iter().chain([Point::of("count", bin.count as f64, "messages")]);
        all.map(|point| point.stage("end-to-end").over(bin.from_ns, bin.to_ns)).collect::<Vec<_>>()
    };
    analysis.series.iter().flat_map(of).collect()
}

fn slowest(analysis: &Analysis) -> Vec<Point> {
    let stages = ["end-to-end", "send-wait", "transit", "receive-wait"];
    let of = |message: &stats::analysis::SlowMessage| {
        let id = format!("launch {} node {} message {}", message.launch, message.src, message.seq);
        let known =
            stages.iter().zip(message.stage_ns).filter_map(|(stage, ns)| Some((stage, ns?)));
        known
            .map(|(stage, ns)| {
                Point::of(id.clone(), ns as f64, "ns").stage(stage).at(message.ready_ns)
            })
            .collect::<Vec<_>>()
    };
    analysis.slowest.iter().flat_map(of).collect()
}

fn groups(analysis: &Analysis) -> Vec<Point> {
    let mut points = Vec::new();
    for breakdown in &analysis.breakdowns {
        for group in &breakdown.groups {
            let name = format!("{} {}", by(breakdown.by), group.label);
            for (stage, summary) in &group.stages {
                points.extend(quantile_points(key(*stage), &name, summary));
            }
        }
    }
    points
}

/// The quantiles of a summary, each at its place.
pub fn quantile_points<'a>(
    stage: &'static str,
    group: &'a str,
    summary: &'a Summary,
) -> impl Iterator<Item = Point> + 'a {
    summary
        .quantiles
        .iter()
        .map(move |q| Point::of(group, q.value_ns as f64, "ns").stage(stage).at(q.p))
}

fn group_histogram(analysis: &Analysis) -> Vec<Point> {
    let mut points = Vec::new();
    for breakdown in &analysis.breakdowns {
        for group in &breakdown.groups {
            let name = format!("{} {}", by(breakdown.by), group.label);
            points.extend(bins("transit", &name, "", &group.bins));
        }
    }
    points
}

fn by(by: By) -> &'static str {
    match by {
        By::Hops => "hops",
        By::Packets => "packets",
        By::Bytes => "bytes",
        By::Pair => "pair",
        By::Kind => "kind",
        By::Launch => "launch",
    }
}

fn counts(analysis: &Analysis) -> Vec<Point> {
    let of = |view: &stats::analysis::CountView| {
        let group = match view.of {
            Counted::QueueLength => "queue-length",
            Counted::InFlight => "in-flight",
            Counted::OnNodeWaited => "on-node-waited",
        };
        let bar = |(from, to, n): &(u64, u64, u64)| {
            Point::of(group, *n as f64, "messages").over(from, to)
        };
        view.bars.iter().map(bar).collect::<Vec<_>>()
    };
    analysis.counts.iter().flat_map(of).collect()
}

fn sends(analysis: &Analysis) -> Vec<Point> {
    let Some(sends) = &analysis.sends else { return Vec::new() };
    let mut points: Vec<Point> = bins("", "interval", "log", &sends.interval.log_bins).collect();
    let per_served = sends.per_served.iter();
    points.extend(per_served.flat_map(|view| bins("", "per-served", "log", &view.log_bins)));
    let pauses = sends.pauses.iter();
    points.extend(pauses.flat_map(|view| bins("", "pauses", "log", &view.log_bins)));
    let served = sends.served.iter();
    points.extend(served.map(|(value, n)| Point::of("served", *n as f64, "count").at(value)));
    for at in &sends.by_served {
        let groups = ["served-p25", "served-p50", "served-p75"].into_iter().zip(at.quartiles_ns);
        points.extend(groups.map(|(name, ns)| Point::of(name, ns as f64, "ns").at(at.served)));
    }
    points
}

fn launches(analysis: &Analysis) -> Vec<Point> {
    let stage = measured(analysis);
    let of = |(launch, summary): &(u32, Summary)| {
        quantile_points(stage, &launch.to_string(), summary).collect::<Vec<_>>()
    };
    analysis.launches.launches.iter().flat_map(of).collect()
}

fn measured(analysis: &Analysis) -> &'static str {
    if analysis.cycles.is_some() { "cycle" } else { "end-to-end" }
}

fn sizes(analysis: &Analysis) -> Vec<Point> {
    let stage = measured(analysis);
    let of = |point: &stats::analysis::SizePoint| {
        let times = [("min", point.min_ns), ("p50", point.p50_ns), ("p99", point.p99_ns)];
        let times = times.map(|(group, ns)| Point::of(group, ns as f64, "ns"));
        let all = times.into_iter().chain([Point::of("jump", point.jump, "part")]);
        all.map(|one| one.stage(stage).at(point.bytes)).collect::<Vec<_>>()
    };
    analysis.sizes.iter().flat_map(of).collect()
}

/// `group` says which figure: the quantile itself, or an end of its 95 % interval.
fn quantiles(analysis: &Analysis) -> Vec<Point> {
    let mut points = Vec::new();
    for (stage, view) in views(analysis) {
        for quantile in &view.summary.quantiles {
            let name = quantile_name(quantile.p);
            let mut add = |group: String, ns: i64| {
                points.push(Point::of(group, ns as f64, "ns").stage(stage).at(quantile.p));
            };
            add(name.clone(), quantile.value_ns);
            if let Some((low, high)) = quantile.interval_ns {
                add(format!("{name} low"), low);
                add(format!("{name} high"), high);
            }
        }
    }
    points
}
