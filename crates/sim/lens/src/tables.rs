//! Tables of a simulation: its work, its worst rollbacks, its objects, its nodes, its messages.

use document::{Cell, Column, Row, Table, Unit, count};
use report::ObjectNames;
use report::build::{groups_table, quantile_table};
use stats::analysis::{Breakdown, By, Group};

use crate::outcome::NodeSpent;
use crate::simulation::{MessageGroup, NodeTime, ObjectRollbacks, Rollback, Simulation, Work};

/// A kind of work as a word.
fn work_name(work: Work) -> &'static str {
    match work {
        Work::Execution => "Execution",
        Work::Rollback => "Rollback",
        Work::Collection => "Collection",
        Work::GvtRound => "GVT round, a node's own work",
    }
}

/// A kind of message and where it went, `event off-node`.
fn message_name(group: &MessageGroup) -> String {
    format!("{}\u{a0}{}", group.kind.name(), if group.on_node { "on-node" } else { "off-node" })
}

/// How long each kind of work took.
pub fn work(simulation: &Simulation) -> Table {
    let rows = simulation.work.iter();
    let rows = rows.map(|(work, view)| (work_name(*work).into(), &view.summary)).collect();
    quantile_table("work-times", rows, "pieces")
}

/// The stages of messages by kind and place.
pub fn messages(simulation: &Simulation) -> Table {
    let group = |group: &MessageGroup| Group {
        key: (i64::from(group.kind as u8), 0),
        label: message_name(group),
        stages: group.stages.clone(),
        bins: Vec::new(),
    };
    let groups = simulation.messages.iter().map(group).collect();
    let breakdown = Breakdown { by: By::Kind, groups, left_out: (0, 0) };
    groups_table("messages-by-kind", &breakdown, "kind")
}

/// An object: its name for people, its number for scripts.
fn named(names: &ObjectNames, object: Option<i64>) -> Cell {
    let cell = Cell::from(object);
    match object.and_then(|object| names.name(object)) {
        Some(name) => cell.shown(name),
        None => cell,
    }
}

/// The largest rollbacks, one row each.
pub fn worst(names: &ObjectNames, rollbacks: &[Rollback]) -> Table {
    let columns = [
        Column::text("object", "Object"),
        Column::text("node", "Node"),
        Column::text("launch", "Launch"),
        Column::time("at", "At"),
        Column::count("undone", "Events undone"),
        Column::new("from", "Had come to", Unit::Number),
        Column::new("to", "Back to", Unit::Number),
        Column::new("back", "How far back", Unit::Number),
        Column::time("took", "Took"),
    ];
    let launches = rollbacks.iter().any(|rollback| rollback.launch > 0);
    let row = |rollback: &Rollback| -> Row {
        let back = rollback.from.zip(rollback.to).map(|(from, to)| from - to);
        vec![
            named(names, rollback.object),
            rollback.node.into(),
            launches.then_some(rollback.launch).into(),
            rollback.begin_ns.into(),
            rollback.events.into(),
            rollback.from.into(),
            rollback.to.into(),
            back.into(),
            rollback.took_ns.into(),
        ]
        .into()
    };
    Table::new("largest-rollbacks", columns).with(rollbacks.iter().map(row))
}

/// The objects with most events undone, one row each.
pub fn objects(names: &ObjectNames, simulation: &Simulation) -> Table {
    let columns = [
        Column::text("object", "Object"),
        Column::text("node", "Node"),
        Column::count("undone", "Events undone"),
        Column::share("share", "Of all"),
        Column::count("rollbacks", "Rollbacks"),
        Column::count("depth_max", "Most at once"),
    ];
    let undone = simulation.undone.max(1) as f64;
    let row = |object: &ObjectRollbacks| -> Row {
        vec![
            named(names, Some(object.object)),
            object.node.into(),
            object.undone.into(),
            (object.undone as f64 / undone).into(),
            object.rollbacks.into(),
            object.depth_max.into(),
        ]
        .into()
    };
    let left_out = (simulation.rollbacks.undone_left_out > 0).then(|| {
        format!(
            "{} events were undone at objects that the table was too small for.",
            count(simulation.rollbacks.undone_left_out)
        )
    });
    Table::new("objects-undone", columns).with(simulation.objects.iter().map(row)).noted(left_out)
}

/// What each node's driver did, folded away when there are many.
pub fn spent(nodes: &[NodeSpent]) -> Table {
    let columns = [
        Column::text("node", "Node"),
        Column::time("engine", "In the engine"),
        Column::time("packing", "Packing and sending"),
        Column::time("looking", "Looking for messages"),
        Column::time("waiting", "Waiting for work"),
        Column::time("sharing", "Turns of others"),
        Column::time("without_core", "Without a core"),
    ];
    let row = |node: &NodeSpent| -> Row {
        vec![
            Cell::from(node.node),
            node.engine_ns.into(),
            node.packing_ns.into(),
            node.looking_ns.into(),
            node.waiting_ns.into(),
            node.sharing_ns.into(),
            node.without_core_ns.into(),
        ]
        .into()
    };
    Table::new("node-spent", columns)
        .with(nodes.iter().map(row))
        .folded_above(8, |nodes| format!("Table of the time of all {nodes} nodes"))
}

/// What each node did, folded away when there are many.
pub fn nodes(nodes: &[NodeTime]) -> Table {
    let columns = [
        Column::text("node", "Node"),
        Column::count("executed", "Executed"),
        Column::count("undone", "Undone").wide(),
        Column::count("committed", "Committed"),
        Column::count("rollbacks", "Rollbacks").wide(),
        Column::time("elapsed", "Wall time"),
        Column::time("execution", "Execution"),
        Column::time("rollback", "Rollback"),
        Column::time("collection", "Collection").wide(),
        Column::time("rest", "Rest"),
    ];
    let row = |node: &NodeTime| -> Row {
        let [execution, rollback, collection] = node.work_ns;
        vec![
            Cell::from(node.node),
            node.executed.into(),
            node.undone.into(),
            node.committed.into(),
            node.rollbacks.into(),
            node.elapsed_ns.into(),
            execution.into(),
            rollback.into(),
            collection.into(),
            node.rest_ns.into(),
        ]
        .into()
    };
    Table::new("node-table", columns)
        .with(nodes.iter().map(row))
        .folded_above(8, |nodes| format!("Table of all {nodes} nodes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_has_its_name_for_people_and_its_number_for_scripts() {
        let names = ObjectNames::new(["0".to_owned(), "queue".to_owned()]);
        for (object, shown) in [(0, None), (1, Some("queue".to_owned()))] {
            let cell = named(&names, Some(object));
            assert_eq!((cell.value, cell.shown), (Cell::from(object).value, shown));
        }
    }
}
