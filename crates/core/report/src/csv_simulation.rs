//! A simulation's figures as CSV rows, in the long format of [`csv`](crate::csv).

use std::io::{Result, Write};

use stats::analysis::{
    Analysis, MessageGroup, NodeTime, Rollbacks, Simulation, SimulationBin, Work,
};

use crate::csv::{number, quantile_rows};
use crate::palette::key;

/// The head's figures, then each node's time, as the rows of the record tell them.
pub(crate) fn simulation(analysis: &Analysis, out: &mut dyn Write) -> Result<()> {
    let Some(simulation) = &analysis.simulation else { return Ok(()) };
    let counts = [
        ("committed", simulation.committed, "events"),
        ("executed", simulation.executed, "events"),
        ("undone", simulation.undone, "events"),
        ("rollbacks", simulation.rollbacks.count, "count"),
        ("gvt-rounds", simulation.gvt_rounds, "count"),
    ];
    for (group, n, unit) in counts {
        writeln!(out, "simulation,,{group},,,,{n},{unit}")?;
    }
    writeln!(out, "simulation,,elapsed,,,,{},ns", simulation.elapsed_ns)?;
    for (group, value, unit) in [
        ("efficiency", simulation.efficiency, "part"),
        ("committed-rate", simulation.committed_per_s, "events/s"),
    ] {
        if let Some(value) = value {
            writeln!(out, "simulation,,{group},,,,{},{unit}", number(value))?;
        }
    }
    simulation.nodes.iter().try_for_each(|node| node_rows(node, out))
}

/// `x_from` is the node.
fn node_rows(node: &NodeTime, out: &mut dyn Write) -> Result<()> {
    let [execution, rollback, collection] = node.work_ns;
    let times = [
        ("execution", execution),
        ("rollback", rollback),
        ("collection", collection),
        ("rest", node.rest_ns),
        ("elapsed", node.elapsed_ns),
    ];
    for (group, ns) in times {
        writeln!(out, "simulation,,node {group},,{},,{ns},ns", node.node)?;
    }
    Ok(())
}

/// GVT and rates by slice of the timeline.
pub(crate) fn progress(analysis: &Analysis, out: &mut dyn Write) -> Result<()> {
    for bin in bins(analysis) {
        let (from, to) = (bin.from_ns, bin.to_ns);
        let rates = [
            ("executed", bin.executed_per_s),
            ("committed", bin.committed_per_s),
            ("undone", bin.undone_per_s),
        ];
        for (group, rate) in rates {
            writeln!(out, "progress,,{group},,{from},{to},{},events/s", number(rate))?;
        }
        if let Some(gvt) = bin.gvt {
            writeln!(out, "progress,,gvt,,{from},{to},{},virtual time", number(gvt))?;
        }
    }
    Ok(())
}

fn bins(analysis: &Analysis) -> &[SimulationBin] {
    analysis.simulation.as_ref().map_or(&[], |simulation| &simulation.series)
}

/// Depths and lengths of rollbacks, the largest, and the objects struck most.
pub(crate) fn rollbacks(analysis: &Analysis, out: &mut dyn Write) -> Result<()> {
    let Some(simulation) = &analysis.simulation else { return Ok(()) };
    histograms(&simulation.rollbacks, out)?;
    for rollback in &simulation.worst {
        let object = rollback.object.map_or_else(String::new, |object| object.to_string());
        let group = format!("launch {} node {} object {object}", rollback.launch, rollback.node);
        let at = rollback.begin_ns.map_or_else(String::new, |ns| ns.to_string());
        writeln!(out, "rollbacks,,{group},,{at},,{},events", rollback.events)?;
        if let Some((from, to)) = rollback.from.zip(rollback.to) {
            writeln!(out, "rollbacks,,{group} back,,{at},,{},virtual time", number(from - to))?;
        }
    }
    for object in &simulation.objects {
        writeln!(out, "rollbacks,,object undone,,{},,{},events", object.object, object.undone)?;
        writeln!(
            out,
            "rollbacks,,object rollbacks,,{},,{},count",
            object.object, object.rollbacks
        )?;
    }
    Ok(())
}

fn histograms(rollbacks: &Rollbacks, out: &mut dyn Write) -> Result<()> {
    for (from, to, n) in &rollbacks.depths {
        writeln!(out, "rollbacks,,depth,log,{from},{to},{n},count")?;
    }
    if rollbacks.lengths_zero > 0 {
        writeln!(out, "rollbacks,,length,log,0,0,{},count", rollbacks.lengths_zero)?;
    }
    for bin in &rollbacks.lengths {
        writeln!(
            out,
            "rollbacks,,length,log,{},{},{},count",
            number(bin.from),
            number(bin.to),
            bin.count
        )?;
    }
    Ok(())
}

/// Quantiles of each kind of work, and of the stages of each kind of message.
pub(crate) fn work(analysis: &Analysis, out: &mut dyn Write) -> Result<()> {
    let Some(simulation) = &analysis.simulation else { return Ok(()) };
    for (work, view) in &simulation.work {
        quantile_rows(out, "work", "", work_key(*work), &view.summary)?;
    }
    messages(simulation, out)
}

fn messages(simulation: &Simulation, out: &mut dyn Write) -> Result<()> {
    let place = |group: &MessageGroup| if group.on_node { "on-node" } else { "off-node" };
    for group in &simulation.messages {
        let name = format!("{} {}", group.kind.name(), place(group));
        for (stage, summary) in &group.stages {
            quantile_rows(out, "work", key(*stage), &name, summary)?;
        }
    }
    Ok(())
}

fn work_key(work: Work) -> &'static str {
    match work {
        Work::Execution => "execution",
        Work::Rollback => "rollback",
        Work::Collection => "collection",
        Work::GvtRound => "gvt-round",
    }
}
