//! Tables of a simulation: its work, its worst rollbacks, its objects, its nodes, its messages.

use stats::analysis::{
    Breakdown, By, Group, MessageGroup, NodeTime, ObjectRollbacks, Rollback, Simulation, Work,
};

use crate::format::{NONE, count, part, six_figures, time, time_or_none};
use crate::tables::{self, wrap};

/// A kind of work as a word.
fn work_name(work: Work) -> &'static str {
    match work {
        Work::Execution => "Execution",
        Work::Rollback => "Rollback",
        Work::Collection => "Collection",
        Work::GvtRound => "GVT round",
    }
}

/// A kind of message and where it went, `event off-node`.
fn message_name(group: &MessageGroup) -> String {
    format!("{}\u{a0}{}", group.kind.name(), if group.on_node { "on-node" } else { "off-node" })
}

/// How long each kind of work took.
pub(crate) fn work(simulation: &Simulation) -> String {
    let columns: Vec<_> = simulation
        .work
        .iter()
        .map(|(work, view)| (work_name(*work).to_owned(), &view.summary))
        .collect();
    tables::quantile_table(&columns, "pieces")
}

/// The stages of messages by kind and place.
pub(crate) fn messages(simulation: &Simulation) -> String {
    let group = |group: &MessageGroup| Group {
        label: message_name(group),
        stages: group.stages.clone(),
        bins: Vec::new(),
    };
    let groups = simulation.messages.iter().map(group).collect();
    tables::groups(&Breakdown { by: By::Kind, groups, left_out: (0, 0) }, "kind")
}

/// The largest rollbacks, one row each.
pub(crate) fn worst(rollbacks: &[Rollback]) -> String {
    let launches = rollbacks.iter().any(|rollback| rollback.launch > 0);
    let head = if launches { "<th scope=col>Launch" } else { "" };
    let rows: String = rollbacks.iter().map(|rollback| worst_row(rollback, launches)).collect();
    wrap(&format!(
        "<table class=figures><thead><tr><th scope=col>Object<th scope=col>Node{head}<th \
        scope=col>At<th scope=col>Events \
         undone<th scope=col>Had come to<th scope=col>Back to<th scope=col>How far back<th \
         scope=col>Took<tbody>{rows}</table>"
    ))
}

fn worst_row(rollback: &Rollback, launches: bool) -> String {
    let virtual_or_none = |time: Option<f64>| time.map_or_else(|| NONE.to_owned(), six_figures);
    let back = rollback.from.zip(rollback.to).map(|(from, to)| from - to);
    let launch = if launches { format!("<td>{}", rollback.launch) } else { String::new() };
    format!(
        "<tr><th scope=row>{}<td>{}{launch}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}",
        rollback.object.map_or_else(|| NONE.to_owned(), |object| object.to_string()),
        rollback.node,
        time_or_none(rollback.begin_ns),
        count(rollback.events),
        virtual_or_none(rollback.from),
        virtual_or_none(rollback.to),
        virtual_or_none(back),
        time_or_none(rollback.took_ns),
    )
}

/// The objects with most events undone, one row each.
pub(crate) fn objects(simulation: &Simulation) -> String {
    let undone = simulation.undone.max(1) as f64;
    let row = |object: &ObjectRollbacks| {
        format!(
            "<tr><th scope=row>{}<td>{}<td>{}<td>{}<td>{}<td>{}",
            object.object,
            object.node,
            count(object.undone),
            part(object.undone as f64 / undone),
            count(object.rollbacks),
            count(object.depth_max)
        )
    };
    let rows: String = simulation.objects.iter().map(row).collect();
    let left_out = match simulation.undone_left_out {
        0 => String::new(),
        n => format!(
            "<p class=note>{} events were undone at objects that the table was too small for.</p>",
            count(n)
        ),
    };
    let table = wrap(&format!(
        "<table class=figures><thead><tr><th scope=col>Object<th scope=col>Node<th \
        scope=col>Events undone<th \
         scope=col>Of all<th scope=col>Rollbacks<th scope=col>Most at once<tbody>{rows}</table>"
    ));
    table + &left_out
}

/// What each node did, folded away when there are many.
pub(crate) fn nodes(nodes: &[NodeTime]) -> String {
    let rows: String = nodes.iter().map(node_row).collect();
    let table = wrap(&format!(
        "<table class=figures><thead><tr><th scope=col>Node<th scope=col>Executed<th \
        scope=col>Undone<th \
         scope=col>Committed<th scope=col>Rollbacks<th scope=col>Wall time<th \
         scope=col>Execution<th scope=col>Rollback<th \
         scope=col>Collection<th scope=col>Rest<tbody>{rows}</table>"
    ));
    if nodes.len() <= 8 {
        return table;
    }
    format!(
        "<details class=fold><summary>Table of all {} nodes</summary>{table}</details>",
        nodes.len()
    )
}

fn node_row(node: &NodeTime) -> String {
    let counts: String = [node.executed, node.undone, node.committed, node.rollbacks]
        .iter()
        .map(|n| format!("<td>{}", count(*n)))
        .collect();
    let times: String = [node.elapsed_ns]
        .iter()
        .chain(&node.work_ns)
        .chain([&node.rest_ns])
        .map(|ns| format!("<td>{}", time(*ns as f64)))
        .collect();
    format!("<tr><th scope=row>{}{counts}{times}", node.node)
}
