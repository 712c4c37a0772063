//! Every plotted series as CSV, and the small table that scripts want.
//!
//! The long format has one row for each point or bin of each plot:
//!
//! | column | meaning |
//! |---|---|
//! | `series` | which plot, see [`series_names`] |
//! | `stage` | `end-to-end`, `send-wait`, `transit`, `receive-wait`, `cycle`; empty where it does not apply |
//! | `group` | piece, breakdown group, launch, quantile, counted column, kind of work, wait or call, number and figure of a peak, figure of a knee; empty where it does not apply |
//! | `scale` | `linear` or `log` for histogram bins, else empty |
//! | `x_from`, `x_to` | where it lies: a bin's edges, a range of quantiles or of the timeline, a node, rank or object (of `mpi-blocked`, who waited and for whom); `x_to` is empty for a point |
//! | `y` | the value |
//! | `unit` | of `y`: `messages`, `part`, `ns`, `count`, `bytes`, `events`, `events/s`, `pages/s`, `bytes/s` or `virtual time` |
//!
//! Times are in nanoseconds throughout; quantiles and parts run from 0 to 1.

use record::csv_field;
use std::io::Write;

use stats::analysis::{Analysis, Bin, By, Counted, StageView, Summary};

use crate::ReportError;
use crate::charts::distribution::piece_names;
use crate::csv_explain;
use crate::csv_mpi;
use crate::csv_paging;
use crate::csv_simulation;
use crate::facts::Facts;
use crate::finding::quantile;
use crate::format::quantile_name;
use crate::palette::{PARTS, key};
use crate::population::population_words;

type Writer = fn(&Analysis, &mut dyn Write) -> std::io::Result<()>;

/// Every series with what writes it.
const SERIES: [(&str, Writer); 26] = [
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
    ("peaks", csv_explain::peaks),
    ("knees", csv_explain::knees),
    ("simulation", csv_simulation::simulation),
    ("progress", csv_simulation::progress),
    ("rollbacks", csv_simulation::rollbacks),
    ("work", csv_simulation::work),
    ("mpi-waits", csv_mpi::waits),
    ("mpi-blocked", csv_mpi::blocked),
    ("mpi-groups", csv_mpi::groups),
    ("mpi-calls", csv_mpi::calls),
    ("mpi-lanes", csv_mpi::lanes),
    ("paging", csv_paging::paging),
];

/// The names that [`csv`] takes.
pub fn series_names() -> impl Iterator<Item = &'static str> {
    SERIES.iter().map(|(name, _)| *name)
}

/// Write one series, or all of them (`None`), in the long format of the module's head.
///
/// # Errors
/// When there is no series of that name, or `out` refuses the text.
pub fn csv(
    analysis: &Analysis,
    series: Option<&str>,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let wanted = |name: &str| series.is_none_or(|series| series == name);
    if let Some(name) = series
        && !SERIES.iter().any(|(known, _)| *known == name)
    {
        let known = series_names().collect::<Vec<_>>().join(", ");
        return Err(ReportError::UnknownSeries { name: name.to_owned(), known });
    }
    writeln!(out, "series,stage,group,scale,x_from,x_to,y,unit")?;
    for (_, write) in SERIES.iter().filter(|(name, _)| wanted(name)) {
        write(analysis, out)?;
    }
    Ok(())
}

/// Write one row a stage:
/// `stage,n,min_ns,p50_ns,p90_ns,p99_ns,p99.9_ns,max_ns,mean_ns,sd_ns,messages`. A quantile that
/// the count does not support is empty; `messages` says in words which messages these are.
///
/// # Errors
/// When `out` refuses the text.
pub fn csv_quantiles(
    facts: &Facts,
    analysis: &Analysis,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    writeln!(out, "stage,n,min_ns,p50_ns,p90_ns,p99_ns,p99.9_ns,max_ns,mean_ns,sd_ns,messages")?;
    let which = csv_field(&population_words(facts, &analysis.population));
    for (stage, view) in views(analysis) {
        let s = &view.summary;
        let at = |p| quantile(s, p).map_or_else(String::new, |ns| ns.to_string());
        let [p50, p90, p99, p999] = [0.5, 0.9, 0.99, 0.999].map(at);
        let which = if stage == "cycle" { "whole cycles" } else { &which };
        writeln!(
            out,
            "{stage},{},{},{p50},{p90},{p99},{p999},{},{:.1},{:.1},{which}",
            s.count, s.min_ns, s.max_ns, s.mean_ns, s.sd_ns
        )?;
    }
    Ok(())
}

/// Stages and cycles with their names.
pub(crate) fn views(analysis: &Analysis) -> impl Iterator<Item = (&'static str, &StageView)> {
    let stages = analysis.stages.iter().map(|view| (key(view.stage), view));
    stages.chain(analysis.cycles.iter().map(|view| ("cycle", view)))
}

/// A number as short as it can be read back; whole ones without a point.
pub(crate) fn number(value: f64) -> String {
    format!("{value}")
}

fn bins(
    out: &mut dyn Write,
    series: &str,
    stage: &str,
    group: &str,
    scale: &str,
    bins: &[Bin],
) -> std::io::Result<()> {
    let group = csv_field(group);
    for bin in bins {
        let (from, to) = (number(bin.from), number(bin.to));
        writeln!(out, "{series},{stage},{group},{scale},{from},{to},{},messages", bin.count)?;
    }
    Ok(())
}

/// `group` is a kind and a place, and whether the number is of those that the run has or of those
/// that the figures are about.
fn population(analysis: &Analysis, out: &mut dyn Write) -> std::io::Result<()> {
    for group in &analysis.population.groups {
        let place = if group.within_node { "within node" } else { "between nodes" };
        for (which, messages) in [("all", group.messages), ("taken", group.taken)] {
            writeln!(
                out,
                "population,,{} {place} {which},,,,{messages},messages",
                group.kind.name()
            )?;
        }
    }
    Ok(())
}

fn distribution(analysis: &Analysis, out: &mut dyn Write) -> std::io::Result<()> {
    for (stage, view) in views(analysis) {
        for piece in &view.pieces {
            let (group, _) = piece_names(piece.piece);
            bins(out, "distribution", stage, group, "linear", &piece.linear_bins)?;
            bins(out, "distribution", stage, group, "log", &piece.log_bins)?;
        }
    }
    Ok(())
}

fn histogram(analysis: &Analysis, out: &mut dyn Write) -> std::io::Result<()> {
    views(analysis)
        .try_for_each(|(stage, view)| bins(out, "histogram", stage, "", "log", &view.log_bins))
}

fn tail(analysis: &Analysis, out: &mut dyn Write) -> std::io::Result<()> {
    for (stage, view) in views(analysis) {
        for (ns, above) in &view.tail {
            writeln!(out, "tail,{stage},,,{},,{},part", number(*ns), number(*above))?;
        }
    }
    Ok(())
}

fn shares(analysis: &Analysis, out: &mut dyn Write) -> std::io::Result<()> {
    for share in &analysis.shares {
        let (from, to) = (number(share.from_p), number(share.to_p));
        for (stage, mean_ns) in PARTS.iter().zip(share.stage_mean_ns) {
            writeln!(out, "shares,{},,,{from},{to},{},ns", key(*stage), number(mean_ns))?;
        }
        writeln!(out, "shares,end-to-end,,,{from},{to},{},ns", number(share.mean_ns))?;
    }
    Ok(())
}

fn timeline(analysis: &Analysis, out: &mut dyn Write) -> std::io::Result<()> {
    for bin in &analysis.series {
        let (from, to) = (bin.from_ns, bin.to_ns);
        for (group, ns) in [("p50", bin.p50_ns), ("p99", bin.p99_ns), ("max", bin.max_ns)] {
            writeln!(out, "timeline,end-to-end,{group},,{from},{to},{ns},ns")?;
        }
        writeln!(out, "timeline,end-to-end,count,,{from},{to},{},messages", bin.count)?;
    }
    Ok(())
}

fn slowest(analysis: &Analysis, out: &mut dyn Write) -> std::io::Result<()> {
    for message in &analysis.slowest {
        let id = format!("launch {} node {} message {}", message.launch, message.src, message.seq);
        let stages = ["end-to-end", "send-wait", "transit", "receive-wait"];
        for (stage, ns) in stages.iter().zip(message.stage_ns) {
            if let Some(ns) = ns {
                writeln!(out, "slowest,{stage},{id},,{},,{ns},ns", message.ready_ns)?;
            }
        }
    }
    Ok(())
}

fn groups(analysis: &Analysis, out: &mut dyn Write) -> std::io::Result<()> {
    for breakdown in &analysis.breakdowns {
        for group in &breakdown.groups {
            let name = csv_field(&format!("{} {}", by(breakdown.by), group.label));
            for (stage, summary) in &group.stages {
                quantile_rows(out, "groups", key(*stage), &name, summary)?;
            }
        }
    }
    Ok(())
}

pub(crate) fn quantile_rows(
    out: &mut dyn Write,
    series: &str,
    stage: &str,
    group: &str,
    summary: &Summary,
) -> std::io::Result<()> {
    for quantile in &summary.quantiles {
        writeln!(
            out,
            "{series},{stage},{group},,{},,{},ns",
            number(quantile.p),
            quantile.value_ns
        )?;
    }
    Ok(())
}

fn group_histogram(analysis: &Analysis, out: &mut dyn Write) -> std::io::Result<()> {
    for breakdown in &analysis.breakdowns {
        for group in &breakdown.groups {
            let name = format!("{} {}", by(breakdown.by), group.label);
            bins(out, "group-histogram", "transit", &name, "", &group.bins)?;
        }
    }
    Ok(())
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

fn counts(analysis: &Analysis, out: &mut dyn Write) -> std::io::Result<()> {
    for view in &analysis.counts {
        let group = match view.of {
            Counted::QueueLength => "queue-length",
            Counted::InFlight => "in-flight",
            Counted::OnNodeWaited => "on-node-waited",
        };
        for (from, to, n) in &view.bars {
            writeln!(out, "counts,,{group},,{from},{to},{n},messages")?;
        }
    }
    Ok(())
}

fn sends(analysis: &Analysis, out: &mut dyn Write) -> std::io::Result<()> {
    let Some(sends) = &analysis.sends else { return Ok(()) };
    bins(out, "sends", "", "interval", "log", &sends.interval.log_bins)?;
    if let Some(view) = &sends.per_served {
        bins(out, "sends", "", "per-served", "log", &view.log_bins)?;
    }
    for (value, n) in &sends.served {
        writeln!(out, "sends,,served,,{value},,{n},count")?;
    }
    Ok(())
}

fn launches(analysis: &Analysis, out: &mut dyn Write) -> std::io::Result<()> {
    let stage = if analysis.cycles.is_some() { "cycle" } else { "end-to-end" };
    for (launch, summary) in &analysis.launches.launches {
        quantile_rows(out, "launches", stage, &launch.to_string(), summary)?;
    }
    Ok(())
}

fn sizes(analysis: &Analysis, out: &mut dyn Write) -> std::io::Result<()> {
    let stage = if analysis.cycles.is_some() { "cycle" } else { "end-to-end" };
    for point in &analysis.sizes {
        for (group, ns) in [("min", point.min_ns), ("p50", point.p50_ns), ("p99", point.p99_ns)] {
            writeln!(out, "sizes,{stage},{group},,{},,{ns},ns", point.bytes)?;
        }
        writeln!(out, "sizes,{stage},jump,,{},,{},part", point.bytes, number(point.jump))?;
    }
    Ok(())
}

/// `group` says which figure: the quantile itself, or an end of its 95 % interval.
fn quantiles(analysis: &Analysis, out: &mut dyn Write) -> std::io::Result<()> {
    for (stage, view) in views(analysis) {
        for quantile in &view.summary.quantiles {
            let (p, name) = (number(quantile.p), quantile_name(quantile.p));
            writeln!(out, "quantiles,{stage},{name},,{p},,{},ns", quantile.value_ns)?;
            if let Some((low, high)) = quantile.interval_ns {
                writeln!(out, "quantiles,{stage},{name} low,,{p},,{low},ns")?;
                writeln!(out, "quantiles,{stage},{name} high,,{p},,{high},ns")?;
            }
        }
    }
    Ok(())
}
