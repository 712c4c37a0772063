//! What was measured and what is predicted, as a table, as CSV and in sentences.

use super::alternative::Alternative;
use super::prediction::{self, predicted_s};
use super::row::Row;
use comfy_table::{CellAlignment, Table, presets};
use document::time_text;
use pager_facts::{PagedPart, PagedSeconds};
use pager_lens::part_text;
use record::csv_field;
use report::ratio_text;
use study::Launch;

/// For people.
pub fn text(rows: &[Row]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let heads = ["data", "local", "", "median", "fastest", "slowest", "predicted"].into_iter();
    let parts = PagedSeconds::default().parts().map(|part| part.name.to_lowercase());
    let heads = heads.map(str::to_owned).chain(parts);
    table.set_header(heads.chain(["transfers".to_owned()]));
    for row in rows {
        let Some(middle) = row.middle() else { continue };
        let (low, high) = row.range_s();
        let local = format!("{} MiB", row.local_bytes >> 20);
        let mut cells = vec![row.size_text(), local, row.alternative.name()];
        cells.extend([middle.seconds.elapsed, low, high].map(seconds));
        cells.push(predicted_s(row, rows).map_or("-".into(), seconds));
        cells.extend(
            middle
                .seconds
                .parts()
                .map(|part| part_text(&part, middle.tick_s).replace('\u{a0}', " ")),
        );
        cells.push(middle.transfers.to_string());
        table.add_row(cells);
    }
    for column in table.column_iter_mut().skip(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.lines().map(|line| line.trim_end().to_string()).collect::<Vec<_>>().join("\n")
}

fn seconds(s: f64) -> String {
    time_text(s * 1e9)
}

/// For programs: every launch.
pub fn csv(program: &str, rows: &[Row]) -> String {
    let keys: String =
        PagedSeconds::default().parts().map(|PagedPart { key, .. }| format!("{key}_s,")).concat();
    let mut text = format!(
        "program,alternative,size_bytes,local_bytes,launch,elapsed_s,{keys}page_outs,page_ins,\
        transfers,predicted_s\n"
    );
    let program = csv_field(program);
    for row in rows {
        let predicted = predicted_s(row, rows).map_or(String::new(), |s| format!("{s:.6}"));
        for Launch { round, outcome: cell, .. } in &row.results.launches {
            // Empty: shorter than what it is measured to.
            let measured = |part: PagedPart| part.measured_s(cell.tick_s);
            let parts = cell
                .seconds
                .parts()
                .map(|part| measured(part).map_or_else(String::new, |s| format!("{s:.6}")));
            text.push_str(&format!(
                "{program},{},{},{},{},{:.6},{},{},{},{},{predicted}\n",
                row.alternative.name(),
                row.size_bytes,
                row.local_bytes,
                round,
                cell.seconds.elapsed,
                parts.join(","),
                cell.page_outs,
                cell.page_ins,
                cell.transfers
            ));
        }
    }
    text
}

/// What to see in it.
pub fn sentences(rows: &[Row]) -> Vec<String> {
    let mut sizes: Vec<u64> = rows.iter().map(|row| row.size_bytes).collect();
    sizes.dedup();
    let of = |size: u64, alternative: Alternative| {
        rows.iter().find(|row| row.size_bytes == size && row.alternative == alternative)
    };
    let mut sentences: Vec<String> = sizes
        .iter()
        .filter_map(|size| {
            let (ours, swap) = (of(*size, Alternative::ParityLog)?, of(*size, Alternative::Swap)?);
            let times = ours.middle()?.seconds.elapsed / swap.middle()?.seconds.elapsed;
            Some(format!(
                "With {} the median launch takes {} as long with parity logging ({} launches) as \
                with the kernel's swap ({}).",
                ours.size_text(),
                ratio_text(times),
                ours.results.launches.len(),
                swap.results.launches.len()
            ))
        })
        .collect();
    sentences.extend(prediction::sentence(rows));
    sentences
}

#[cfg(test)]
mod tests {
    use super::super::row::Cell;
    use super::*;
    use pager_facts::Paged;
    use study::process::Times;

    fn row(alternative: Alternative, elapsed: &[f64]) -> Row {
        let cell = |elapsed: &f64| Cell {
            seconds: PagedSeconds { elapsed: *elapsed, ..PagedSeconds::default() },
            ..Cell::default()
        };
        Row {
            results: elapsed.iter().map(cell).collect(),
            ..Row::new(alternative, 24 << 20, 6 << 20)
        }
    }

    #[test]
    fn the_middle_launch_speaks_for_its_row() {
        let row = row(Alternative::Disk, &[3.0, 1.0, 2.0]);
        assert_eq!(row.middle().map(|cell| cell.seconds.elapsed), Some(2.0));
        assert_eq!(row.range_s(), (1.0, 3.0));
        assert_eq!(
            Row::new(Alternative::Disk, 1 << 20, 0).middle().map(|cell| cell.transfers),
            None
        );
        assert_eq!(csv("fft", &[row]).lines().count(), 4);
    }

    /// Seen: a user time of −0.002 s, and 0.000 for what ran for 30 µs.
    #[test]
    fn no_time_is_negative_and_what_is_too_short_says_so() {
        let mut alone = Cell::alone(Times { elapsed_s: 0.025, user_s: 0.02, system_s: 0.0 });
        alone.tick_s = 0.01;
        let said = |cell: &Cell| {
            cell.seconds.parts().map(|part| part_text(&part, cell.tick_s).replace('\u{a0}', " "))
        };
        let [user, system, .., other] = said(&alone);
        assert_eq!([&*user, &system, &other], ["20.0 ms", "below 10.0 ms", "below 10.0 ms"]);
        let seconds = PagedSeconds {
            elapsed: 30e-6,
            user: -0.002,
            network: 30e-6,
            ..PagedSeconds::default()
        };
        let paged = Cell::paged(&Paged { seconds: seconds.with_other(), ..Paged::default() }, None);
        assert!(
            said(&paged).iter().all(|part| !part.contains('−')) && said(&paged)[4] == "30.0 µs"
        );
        let rows = [Row {
            results: [alone].into_iter().collect(),
            ..Row::new(Alternative::AllMemory, 1 << 20, 0)
        }];
        assert!(
            csv("fft", &rows).contains(",0.025000,0.020000,,0.000000,"),
            "{}",
            csv("fft", &rows)
        );
        assert!(!text(&rows).contains("0.000"), "{}", text(&rows));
    }

    #[test]
    fn names_can_be_folders() {
        assert_eq!(
            Row::new(Alternative::Network(10_000_000), 24 << 20, 0).key(),
            "10-mbit-s-24-mib"
        );
    }
}
