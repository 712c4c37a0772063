//! The tables of a prediction: a row a number of nodes, and a row a cost.

use super::{PredictedRun, Prediction};
use document::{Cell, Column, Row, Table, Unit, counted, signed_part};
use warp::predict::{Known, Step};

pub(super) fn runs(runs: &[PredictedRun]) -> Table {
    let columns = [
        Column::count("nodes", "Nodes"),
        Column::seconds("predicted", "Run time").with_interval(),
        Column::seconds("measured", "Measured"),
        Column::new("error", "Error", Unit::Number).data(),
        Column::new("speedup", "Speed-up", Unit::Ratio),
        Column::count("rollbacks", "Rollbacks"),
        Column::count("rolled_back", "Undone").wide(),
        Column::share("came_true", "Came true"),
        Column::share("waiting", "Idle"),
    ];
    let note = "Speed-up: against the same events one after another. Came true: the committed \
        share of the events executed. Idle: the nodes' time with nothing to do.";
    let mut table = Table::new("prediction", columns).noted(Some(note.to_owned()));
    table.rows = runs.iter().map(of_run).collect();
    table
}

fn of_run(run: &PredictedRun) -> Row {
    let seconds = |ns: u64| ns as f64 / 1e9;
    let ends = run.interval_ns.map(|ends| ends.map(seconds).into());
    let predicted = Cell::new(seconds(run.predicted_ns)).unit(Unit::Seconds).between(ends);
    let measured = run.measured_ns.map_or_else(Cell::default, |ns| {
        let cell = Cell::new(seconds(ns)).unit(Unit::Seconds);
        match run.error() {
            Some(error) if error != 0.0 => cell.small(format!("{} off", signed_part(error))),
            _ => cell,
        }
    });
    vec![
        run.nodes.into(),
        predicted,
        measured,
        run.error().into(),
        run.speedup.into(),
        run.rollbacks.into(),
        run.rolled_back.into(),
        run.came_true.into(),
        run.waiting.into(),
    ]
    .into()
}

/// What is charged, and how that is known.
pub(super) fn costs(prediction: &Prediction) -> Table {
    let columns = [
        Column::text("step", "What is charged"),
        Column::time("ns", "Takes"),
        Column::text("known", "Known from"),
    ];
    let real = match prediction.recorded {
        Some(_) => {
            " An event is recorded with the saving of its state: save is what the engine takes \
            besides."
        }
        None => "",
    };
    let note = format!("Times on a processor of speed 1.{real}");
    let mut table = Table::new("costs", columns).noted(Some(note));
    let event = match prediction.recorded {
        Some((events, objects)) => {
            let (events, objects) = (counted(events, "event"), counted(objects as u64, "object"));
            format!("the recording: {events} of {objects}, each as it was")
        }
        None => "the recorded run, in which all took the same".into(),
    };
    table.push([Cell::new("event"), Cell::new(prediction.event_ns), Cell::new(event)]);
    for step in &prediction.steps.steps {
        table.push(of_step(step));
    }
    table
}

fn of_step(step: &Step) -> [Cell; 3] {
    let known = match step.known {
        Known::Recorded => "the recording, its mean",
        Known::File => "the machine's file",
        Known::Unknown => "not known",
    };
    let ns = match step.known {
        Known::Unknown => Cell::default(),
        _ => Cell::new(step.ns),
    };
    [Cell::new(step.name), ns, Cell::new(known)]
}
