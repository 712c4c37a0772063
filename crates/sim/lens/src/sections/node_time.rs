//! What each node's time went to.

use crate::outcome::{NodeSpent, Outcome};
use crate::simulation::{NodeTime, Simulation};
use crate::tables;
use crate::words::busy_sentence;
use document::chart::{Axis, Bars, Chart};
use document::{Block, Colour, Section, part, time};

/// More bars would be too thin to read; the table below has all nodes.
const BARS_AT_MOST: usize = 64;

/// A part of a bar: name, class, ns.
type Part = (&'static str, &'static str, i64);

/// The parts of a node's bar from the left. What its driver measured divides what rows do not tell;
/// without that it is the rest. `shared`: some nodes share a thread.
fn parts(node: &NodeTime, spent: Option<&NodeSpent>, shared: bool) -> Vec<Part> {
    let [execution, rollback, collection] = node.work_ns;
    let mut parts = vec![
        ("Execution", "work", execution),
        ("Rollback", "undo", rollback),
        ("Fossil collection", "collect", collection),
    ];
    let Some(spent) = spent else {
        parts.push(("Rest", "idle", node.rest_ns));
        return parts;
    };
    // Work is timed from within the engine, and may have begun before the driver's time.
    let queues = (spent.engine_ns - execution - rollback - collection).max(0);
    parts.extend([
        ("Queues and GVT", "cycle", queues),
        ("Packing and sending", "b", spent.packing_ns),
        ("Looking for messages", "d", spent.looking_ns),
        ("Waiting for work", "idle", spent.waiting_ns),
    ]);
    if shared {
        parts.push(("Turns of others", "c", spent.sharing_ns));
    }
    parts
}

fn spent_of<'a>(outcome: Option<&'a Outcome>, node: &NodeTime) -> Option<&'a NodeSpent> {
    outcome?.spent.iter().find(|spent| spent.node == node.node)
}

pub(super) fn section(outcome: Option<&Outcome>, simulation: &Simulation) -> Option<Section> {
    let nodes: Vec<&NodeTime> =
        simulation.nodes.iter().filter(|node| node.elapsed_ns > 0).collect();
    let known = nodes.iter().all(|node| spent_of(outcome, node).is_some());
    let spent = |node| spent_of(outcome.filter(|_| known), node);
    let shared = outcome.is_some_and(|o| o.spent.iter().any(|node| node.sharing_ns > 0));
    let all: Vec<(&NodeTime, Vec<Part>)> =
        nodes.into_iter().map(|node| (node, parts(node, spent(node), shared))).collect();
    let (_, first) = all.first()?;
    let shown = &all[..all.len().min(BARS_AT_MOST)];
    let mut sentence = match known {
        true => WITH_SPENT.to_owned(),
        false => WITH_REST.to_owned(),
    };
    if all.len() > shown.len() {
        let left_out = format!(" The first {} of {} nodes are drawn.", shown.len(), all.len());
        sentence += &left_out;
    }
    let mut section = Section::new("node-time", "Where each node's time went", sentence);
    section.legend =
        first.iter().map(|(name, class, _)| ((*name).to_owned(), Colour(class))).collect();
    section.charts.push(chart(shown));
    section.blocks.extend(busy_sentence(simulation).map(|text| Block::Note(None, text)));
    if let Some(outcome) = outcome.filter(|_| known) {
        section.blocks.push(Block::Note(None, spent_sentence(&outcome.spent)));
        section.blocks.push(Block::Table(tables::spent(&outcome.spent)));
    }
    Some(section.table(tables::nodes(&simulation.nodes)))
}

const WITH_REST: &str = "What each node's wall time went to. Rest is messages, computing GVT and \
    waiting for work: a node with much more of it than the others has too few objects, one with \
    little sets the pace.";

const WITH_SPENT: &str = "What each node's wall time went to. A node that waits for work much \
    longer than the others has too few objects, one that hardly waits sets the pace.";

/// What went on between the pieces of work, of all nodes together.
fn spent_sentence(spent: &[NodeSpent]) -> String {
    let sum = |get: fn(&NodeSpent) -> i64| spent.iter().map(get).sum::<i64>();
    let whole = |node: &NodeSpent| {
        node.engine_ns + node.packing_ns + node.looking_ns + node.waiting_ns + node.sharing_ns
    };
    let all = spent.iter().map(whole).sum::<i64>();
    let of = |get: fn(&NodeSpent) -> i64| part(sum(get) as f64 / all.max(1) as f64);
    let without_core = match spent.iter().any(|node| node.without_core_ns.is_some()) {
        true => format!(
            " Within all of these, nodes were ready to run and had no core for {} of the time.",
            of(|node| node.without_core_ns.unwrap_or(0))
        ),
        false => String::new(),
    };
    let shared = match sum(|node| node.sharing_ns) {
        0 => String::new(),
        _ => format!(
            " Nodes are more than cores, so they share threads: for {} of their time others had \
             the thread.",
            of(|node| node.sharing_ns)
        ),
    };
    format!(
        "Packing and sending took {}, looking for messages {}, waiting for work {}.{shared}\
         {without_core}",
        of(|node| node.packing_ns),
        of(|node| node.looking_ns),
        of(|node| node.waiting_ns)
    )
}

fn chart(shown: &[(&NodeTime, Vec<Part>)]) -> Chart {
    let whole = |parts: &[Part]| parts.iter().map(|(.., ns)| *ns).sum::<i64>().max(1) as f64;
    let mut part_of_time = Axis::part("part of wall time");
    if shown.iter().all(|(_, parts)| parts.iter().all(|(.., ns)| *ns >= 0)) {
        part_of_time = part_of_time.range(0.0, 1.0);
    }
    let axes = (part_of_time, Axis::names("node").downwards());
    let height = (90 + 26 * shown.len() as u32).max(180);
    let label = "Share of each node's time in execution, rollback, fossil collection and the rest.";
    let mut chart = Chart::new("node-time", height, label, axes).stacked(0.25);
    let kinds = shown.first().map_or(0, |(_, parts)| parts.len());
    for at in 0..kinds {
        let share = |parts: &[Part]| parts[at].2 as f64 / whole(parts);
        let rounded = |parts: &[Part]| (share(parts) * 1e5).round() / 1e5;
        let x: Vec<f64> = shown.iter().map(|(_, parts)| rounded(parts)).collect();
        let y: Vec<String> = shown.iter().map(|(node, _)| node.node.to_string()).collect();
        let tip = |(node, parts): &(&NodeTime, Vec<Part>)| {
            let (name, _, ns) = parts[at];
            format!("node {}: {} {name}\n{}", node.node, part(share(parts)), time(ns as f64))
        };
        let (_, class, _) = shown[0].1[at];
        chart.draw(Bars::lying(x, y, Colour(class)).tips(shown.iter().map(tip).collect()));
    }
    chart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_driver_measured_divides_the_rest() {
        let node = NodeTime {
            node: 3,
            elapsed_ns: 1000,
            work_ns: [300, 50, 50],
            rest_ns: 600,
            executed: 1,
            undone: 0,
            committed: 1,
            rollbacks: 0,
        };
        assert_eq!(parts(&node, None, false).last(), Some(&("Rest", "idle", 600)));
        let spent = NodeSpent {
            node: 3,
            engine_ns: 450,
            packing_ns: 100,
            looking_ns: 50,
            looks: 7,
            waiting_ns: 400,
            sharing_ns: 0,
            without_core_ns: Some(20),
        };
        let outcome = Outcome { spent: vec![spent], ..Outcome::default() };
        let all = parts(&node, spent_of(Some(&outcome), &node), false);
        assert_eq!(all.iter().map(|(.., ns)| ns).sum::<i64>(), 1000);
        assert!(all.contains(&("Queues and GVT", "cycle", 50)), "{all:?}");
        assert_eq!(
            spent_sentence(&outcome.spent).replace('\u{a0}', " "),
            "Packing and sending took 10 %, looking for messages 5 %, waiting for work 40 %. \
             Within all of these, nodes were ready to run and had no core for 2 % of the time."
        );
        let shared = NodeSpent { sharing_ns: 1000, without_core_ns: None, ..spent };
        let outcome = Outcome { spent: vec![shared], ..Outcome::default() };
        let all = parts(&node, spent_of(Some(&outcome), &node), true);
        assert_eq!(all.last(), Some(&("Turns of others", "c", 1000)));
        assert_eq!(
            spent_sentence(&outcome.spent).replace('\u{a0}', " "),
            "Packing and sending took 5 %, looking for messages 2 %, waiting for work 20 %. \
             Nodes are more than cores, so they share threads: for 50 % of their time others had \
             the thread."
        );
    }
}
