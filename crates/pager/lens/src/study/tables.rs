//! The tables of a paging study.

use document::{Cell, Column, NONE, Row, Table, Unit};
use pager_facts::{PagedPart, PagedSeconds};
use study::Launch;

use super::prediction::predicted_s;
use super::row::{PagedLaunch, StudyRow};
use crate::parts::{colour, part_text};

/// The completion times of one size, a row an alternative.
pub(super) fn alternatives(rows: &[&StudyRow], all: &[StudyRow]) -> Table {
    let columns = [
        Column::text("alternative", "Alternative"),
        Column::new("size", "", Unit::Bytes).data(),
        Column::new("local", "", Unit::Bytes).data(),
        Column::seconds("median", "Median"),
        Column::seconds("fastest", "Fastest"),
        Column::seconds("slowest", "Slowest"),
        Column::seconds("predicted", "Predicted"),
        Column::count("transfers", "Transfers"),
        Column::new("waiting_over_work", "Waiting/work", Unit::Number).wide(),
    ];
    let row = |row: &&StudyRow| -> Option<Row> {
        let (middle, (fastest, slowest)) = (row.middle()?, row.range_s());
        let elapsed = middle.seconds.elapsed;
        Some(Row::from([
            row.alternative.name().into(),
            row.size_bytes.into(),
            row.local_bytes.into(),
            elapsed.into(),
            fastest.into(),
            slowest.into(),
            predicted_s(row, all).map_or_else(Cell::default, |s| predicted(s, elapsed)),
            middle.transfers.into(),
            waiting(middle.waiting_over_work().filter(|_| middle.transfers > 0)),
        ]))
    };
    Table::new("alternatives", columns).with(rows.iter().filter_map(row))
}

fn waiting(ratio: Option<f64>) -> Cell {
    ratio.map_or_else(Cell::default, |ratio| Cell::new(ratio).shown(format!("{ratio:.2}")))
}

/// With how far it is from what was measured.
fn predicted(s: f64, elapsed: f64) -> Cell {
    Cell::new(s).small(format!("{:+.1} %", 100.0 * (s / elapsed.max(f64::MIN_POSITIVE) - 1.0)))
}

/// What the median launches' times consist of.
pub(super) fn parts(rows: &[&StudyRow]) -> Table {
    let mut columns = vec![
        Column::text("alternative", "Alternative"),
        Column::new("size", "", Unit::Bytes).data(),
    ];
    let parts = PagedSeconds::default().parts();
    columns.extend(parts.map(|part| Column::seconds(part.key, part.name).coloured(colour(&part))));
    let row = |row: &&StudyRow| -> Option<Row> {
        let middle = row.middle()?;
        let mut cells: Vec<Cell> = vec![row.alternative.name().into(), row.size_bytes.into()];
        let cell = |part: PagedPart| {
            let is_none = part.measured_s(middle.tick_s) == Some(0.0);
            let words = if is_none { NONE.to_owned() } else { part_text(&part, middle.tick_s) };
            Cell::from(part.measured_s(middle.tick_s)).shown(words)
        };
        cells.extend(middle.seconds.parts().map(cell));
        Some(cells.into())
    };
    let table = Table::new("parts", columns).with(rows.iter().filter_map(row));
    Table { turned: true, wordy: true, ..table }
}

/// For scripts: every launch. A part that is shorter than what it is measured to is empty.
pub(super) fn launches(program: &str, rows: &[StudyRow]) -> Table {
    let mut columns = vec![
        Column::text("program", ""),
        Column::text("alternative", ""),
        Column::new("size", "", Unit::Bytes),
        Column::new("local", "", Unit::Bytes),
        Column::count("launch", ""),
        Column::seconds("elapsed", ""),
    ];
    columns
        .extend(PagedSeconds::default().parts().map(|part| Column::seconds(part.key, part.name)));
    columns.extend(["page_outs", "page_ins", "transfers"].map(|key| Column::count(key, "")));
    columns.push(Column::seconds("predicted", ""));
    let mut table = Table::new("launches", columns).data();
    for row in rows {
        let predicted = predicted_s(row, rows);
        let of_launch = |launch: &Launch<PagedLaunch>| -> Row {
            let Launch { round, outcome: launch, .. } = launch;
            let mut cells: Vec<Cell> = vec![
                program.into(),
                row.alternative.name().into(),
                row.size_bytes.into(),
                row.local_bytes.into(),
                (*round).into(),
                launch.seconds.elapsed.into(),
            ];
            let measured = |part: PagedPart| Cell::from(part.measured_s(launch.tick_s));
            cells.extend(launch.seconds.parts().map(measured));
            let counts = [launch.page_outs, launch.page_ins, launch.transfers];
            cells.extend(counts.map(Cell::from));
            cells.push(predicted.into());
            cells.into()
        };
        table.rows.extend(row.results.launches.iter().map(of_launch));
    }
    table
}
