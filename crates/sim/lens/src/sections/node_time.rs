//! What each node's time went to.

use plotly::layout::{Axis, AxisType, BarMode, Margin};

use crate::simulation::{NodeTime, Simulation};
use crate::tables;
use crate::words::busy_sentence;
use document::chart::{Chart, bars, layout, lying, part_axis};
use document::{Block, Colour, Section};
use document::{part, time};

/// More bars would be too thin to read; the table below has all nodes.
const BARS_AT_MOST: usize = 64;

type Get = fn(&NodeTime) -> i64;

/// The parts of a bar from the left: name, class.
const PARTS: [(&str, &str, Get); 4] = [
    ("Execution", "work", |node| node.work_ns[0]),
    ("Rollback", "undo", |node| node.work_ns[1]),
    ("Fossil collection", "collect", |node| node.work_ns[2]),
    ("Rest", "idle", |node| node.rest_ns),
];

pub(super) fn section(simulation: &Simulation) -> Option<Section> {
    let shown: Vec<&NodeTime> =
        simulation.nodes.iter().filter(|node| node.elapsed_ns > 0).take(BARS_AT_MOST).collect();
    if shown.is_empty() {
        return None;
    }
    let sentence = "What each node's wall time went to. Rest is messages, computing GVT and \
    waiting for work: a node with much \
                    more of it than the others has too few objects, one with little sets the pace.";
    let mut section = Section::new("node-time", "Where each node's time went", sentence.to_owned());
    section.legend =
        PARTS.iter().map(|(name, class, _)| ((*name).to_owned(), Colour(class))).collect();
    section.charts.push(chart(&shown));
    section.blocks.extend(busy_sentence(simulation).map(|text| Block::Note(None, text)));
    Some(section.table(tables::nodes(&simulation.nodes)))
}

fn chart(nodes: &[&NodeTime]) -> Chart {
    let mut part_of_time = part_axis("part of wall time", AxisType::Linear);
    if nodes.iter().all(|node| node.rest_ns >= 0) {
        part_of_time = part_of_time.range(vec![0.0, 1.0]);
    }
    let axes = layout()
        .bar_mode(BarMode::Relative)
        .bar_gap(0.25)
        .margin(Margin::new().left(72).right(16).top(10).bottom(44))
        .x_axis(part_of_time)
        .y_axis(
            Axis::new()
                .title("node")
                .type_(AxisType::Category)
                .auto_margin(true)
                // First node on top, as in the table.
                .range(vec![nodes.len() as f64 - 0.4, -0.6]),
        );
    let height = (90 + 26 * nodes.len() as u32).max(180);
    let label = "Share of each node's time in execution, rollback, fossil collection and the rest."
        .to_owned();
    let mut chart = Chart::new("node-time", height, label, axes);
    for (name, class, get) in PARTS {
        let share = |node: &NodeTime| get(node) as f64 / node.elapsed_ns as f64;
        let x = nodes.iter().map(|node| (share(node) * 1e5).round() / 1e5).collect();
        let y = nodes.iter().map(|node| node.node.to_string()).collect();
        let text = |node: &&NodeTime| {
            format!(
                "node {}: <b>{}</b> {name}<br>{}",
                node.node,
                part(share(node)),
                time(get(node) as f64)
            )
        };
        chart.data.push(lying(bars(
            x,
            y,
            nodes.iter().map(text).collect(),
            name,
            &format!("@{class}"),
        )));
    }
    chart
}
