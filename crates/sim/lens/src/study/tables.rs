//! The tables of a speed-up study: a row a setup, and a row a launch.

use document::{Cell, Column, Row, Table, Unit};
use report::reason_text;
use stats::speedup::Estimate;
use study::Launch;
use warp::Summary;

use super::{SpeedupRow, SpeedupStudy, efficiency};

/// A longer table is folded away on the page, so that its charts are seen.
const FOLDED_ABOVE: usize = 20;

/// A row a setup; what is unknown is empty.
pub(super) fn speedup(study: &SpeedupStudy) -> Table {
    let columns = [
        Column::text("engine", ""),
        Column::text("model", "").data(),
        Column::text("build", "").data(),
        Column::text("transport", "").data(),
        Column::text("timing", "").data(),
        Column::new("stretch", "", Unit::Number).data(),
        Column::count("nodes", "").data(),
        Column::count("launches", "Launches").wide(),
        Column::seconds("seconds", "Run time").with_interval(),
        Column::new("speedup", "Speed-up", Unit::Ratio).with_interval(),
        Column::share("efficiency", "Efficiency"),
        Column::share("efficiency_low", "").data(),
        Column::share("efficiency_high", "").data(),
        Column::new("relative", "Against this", Unit::Ratio).with_interval(),
        Column::count("rollbacks", "Rollbacks").wide(),
        Column::share("event_efficiency", "Came true"),
    ];
    let note = "Run times are geometric means over the launches. Speed-up: against the run in \
        order of the same model and build. Efficiency: speed-up by nodes. Against this: run time \
        over that of this build. Came true: the committed share of the events executed. Intervals \
        are of 95 %.";
    let mut table = Table::new("speedup", columns).noted(Some(note.to_owned()));
    table.rows = study.rows.iter().map(of_setup).collect();
    table.folded_above(FOLDED_ABOVE, |rows| format!("All {rows} setups"))
}

fn of_setup(row: &SpeedupRow) -> Row {
    let of_nodes = row.efficiency();
    let ends = of_nodes.and_then(|of| of.interval.ok());
    let shown = |of: Estimate| Cell::new(of.value).shown(efficiency(of.value));
    let mut cells = vec![Cell::new(row.setup.engine()).shown(row.name())];
    cells.extend(of_how(row));
    cells.extend([
        row.launches.len().into(),
        with_interval(row.seconds, Unit::Seconds),
        row.speedup.map_or_else(Cell::default, |of| with_interval(of, Unit::Ratio)),
        of_nodes.map_or_else(Cell::default, shown),
        ends.map(|(low, _)| low).into(),
        ends.map(|(_, high)| high).into(),
        row.relative.map_or_else(Cell::default, |of| with_interval(of, Unit::Ratio)),
        row.rollbacks.into(),
        row.event_efficiency.into(),
    ]);
    cells.into()
}

/// Model, build, transport, timing, stretch and nodes.
fn of_how(row: &SpeedupRow) -> [Cell; 6] {
    let setup = &row.setup;
    [
        setup.model.clone().into(),
        setup.build.clone().into(),
        setup.transport.into(),
        setup.timing.into(),
        setup.stretch.into(),
        setup.nodes.unwrap_or(1).into(),
    ]
}

/// An estimate with its interval, or with why there is none, each in a unit of its own: setups
/// differ by factors.
fn with_interval(of: Estimate, unit: Unit) -> Cell {
    let cell = Cell::new(of.value).unit(unit);
    match of.interval {
        Ok(ends) => cell.between(Some(ends)),
        Err(reason) => cell.small(format!("no interval: {}", reason_text(reason))),
    }
}

/// A row a launch, for scripts.
pub(super) fn launches(study: &SpeedupStudy) -> Table {
    let counts = ["events", "messages", "executed", "rolled_back", "rollbacks", "anti_messages"];
    let mut columns = vec![
        Column::text("engine", ""),
        Column::text("model", ""),
        Column::text("build", ""),
        Column::text("transport", ""),
        Column::text("timing", ""),
        Column::new("stretch", "", Unit::Number),
        Column::count("nodes", ""),
        Column::count("launch", ""),
        Column::seconds("begun_unix", ""),
        Column::seconds("seconds", ""),
    ];
    columns.extend(counts.map(|key| Column::count(key, "")));
    columns.extend([
        Column::count("sendbacks", ""),
        Column::share("efficiency", ""),
        Column::share("off_node_share", ""),
        Column::count("gvt_rounds", ""),
        Column::count("memory_peak", ""),
    ]);
    let mut table = Table::new("launches", columns).data();
    for row in &study.rows {
        table.rows.extend(row.launches.iter().map(|launch| of_launch(row, launch)));
    }
    table
}

fn of_launch(row: &SpeedupRow, launch: &Launch<Summary>) -> Row {
    let s = &launch.outcome;
    let counts = [s.events, s.messages, s.executed, s.rolled_back, s.rollbacks, s.anti_messages];
    let mut cells: Vec<Cell> = vec![row.setup.engine().into()];
    cells.extend(of_how(row));
    cells.extend([launch.round.into(), launch.begun.as_secs_f64().into(), s.seconds.into()]);
    cells.extend(counts.map(Cell::from));
    cells.extend([
        s.sendbacks.into(),
        s.efficiency.into(),
        s.off_node_share.into(),
        s.gvt_rounds.into(),
        s.memory_peak.into(),
    ]);
    cells.into()
}
