//! What a run over one link foretells for the others: it is played again over each of them.
//!
//! The fastest link's run is the one that foretells. In it the work of the processor shows; over a
//! slow link that work is done while bytes come, and a run that hides it cannot say how much of it
//! there is.

use super::alternative::Alternative;
use super::row::{PagedLaunch, StudyRow};
use document::{Cell, Column, Table, Unit};
use predict::Link;

/// What is predicted for `row`: for other links, and for memory enough.
pub(super) fn predicted_s(row: &StudyRow, rows: &[StudyRow]) -> Option<f64> {
    let (base_bits, base) = base(row, rows)?;
    match row.alternative {
        Alternative::AllMemory => Some(base.completion().all_memory().total()),
        Alternative::Network(bits) if bits != base_bits => {
            over(base, base_bits, &[bits]).first().copied()
        }
        _ => None,
    }
}

/// The fastest link with the size of `row`, and the launch that speaks for it.
fn base<'a>(row: &StudyRow, rows: &'a [StudyRow]) -> Option<(u64, &'a PagedLaunch)> {
    networks(row.size_bytes, rows).max_by_key(|(bits, _)| *bits)
}

/// What the fastest link's launch foretells over links of these rates, with the size of `rows`.
pub(super) fn over_rates(rows: &[StudyRow], bits: &[u64]) -> Option<Vec<f64>> {
    let (base_bits, base) = base(rows.first()?, rows)?;
    Some(over(base, base_bits, bits))
}

/// All links with this size that something was measured over.
fn networks(
    size_bytes: u64,
    rows: &[StudyRow],
) -> impl Iterator<Item = (u64, &PagedLaunch)> + Clone {
    rows.iter().filter(move |row| row.size_bytes == size_bytes).filter_map(|row| {
        let Alternative::Network(bits) = row.alternative else { return None };
        // Where nothing was transferred there is nothing to predict.
        Some((bits, row.middle().filter(|cell| cell.transfers > 0)?))
    })
}

/// A launch over a link of `from_bits` a second, over each of `to_bits`. Without its course, by
/// document 004's arithmetic.
fn over(cell: &PagedLaunch, from_bits: u64, to_bits: &[u64]) -> Vec<f64> {
    if let Some(run) = &cell.course {
        let links: Vec<Link> = to_bits.iter().copied().map(Link::of_bits).collect();
        return run.over_s(&Link::of_bits(from_bits), &links);
    }
    let times = |bits: &u64| *bits as f64 / from_bits as f64;
    to_bits.iter().map(|bits| cell.completion().at_bandwidth(times(bits)).total()).collect()
}

/// A time over a link, foretold from another.
struct Foretold {
    /// With the pager's decisions as recorded.
    as_recorded_s: Option<f64>,
    size_bytes: u64,
    from_bits: u64,
    to_bits: u64,
    measured_s: f64,
    predicted_s: f64,
}

impl Foretold {
    fn error(&self) -> f64 {
        (self.predicted_s - self.measured_s).abs() / self.measured_s
    }
}

/// From each link for each other one of the same size.
fn all(rows: &[StudyRow]) -> Vec<Foretold> {
    let mut sizes: Vec<u64> = rows.iter().map(|row| row.size_bytes).collect();
    sizes.dedup();
    let of_size = |size_bytes: u64| {
        networks(size_bytes, rows).flat_map(move |(from_bits, from)| {
            let others = networks(size_bytes, rows).filter(move |(bits, _)| *bits != from_bits);
            let bits: Vec<u64> = others.clone().map(|(bits, _)| bits).collect();
            others.zip(over(from, from_bits, &bits)).map(move |((to_bits, to), predicted_s)| {
                let links = [from_bits, to_bits].map(Link::of_bits);
                let as_recorded_s =
                    from.course.as_ref().map(|run| run.as_recorded_s(&links[0], &links[1]));
                let measured_s = to.seconds.elapsed;
                Foretold { as_recorded_s, size_bytes, from_bits, to_bits, measured_s, predicted_s }
            })
        })
    };
    sizes.into_iter().flat_map(of_size).collect()
}

/// Of those that the fastest (`true`) or the slowest link foretells: errors, the least first.
fn errors(all: &[Foretold], fastest: bool) -> Vec<f64> {
    let ends = all.iter().map(|one| one.from_bits);
    let Some(base) = (if fastest { ends.max() } else { ends.min() }) else { return Vec::new() };
    let mut errors: Vec<f64> =
        all.iter().filter(|one| one.from_bits == base).map(Foretold::error).collect();
    errors.sort_by(f64::total_cmp);
    errors
}

fn middle(errors: &[f64]) -> Option<f64> {
    errors.get(errors.len().checked_sub(1)? / 2).copied()
}

/// How far predictions are from what was measured.
pub(super) fn sentence(rows: &[StudyRow]) -> Option<String> {
    let all = all(rows);
    let [fast, slow] = [true, false].map(|fastest| errors(&all, fastest));
    let links = if fast.len() == 1 {
        "1 other link".to_owned()
    } else {
        format!("{} other links", fast.len())
    };
    Some(format!(
        "Marks are predictions from the run over the fastest link: over {links} their median error \
        is {:.1} %, the largest {:.1} %. Predictions from the slowest link, where waiting hides \
         the processor's work, have {:.1} % and {:.1} %.",
        100.0 * middle(&fast)?,
        100.0 * fast.last()?,
        100.0 * middle(&slow)?,
        100.0 * slow.last()?
    ))
}

/// For scripts: each link from each other one, and last the median of the errors of what the
/// fastest foretells.
pub(super) fn table(rows: &[StudyRow]) -> Table {
    let columns = [
        Column::text("prediction", ""),
        Column::new("size", "", Unit::Bytes),
        Column::count("from_bits", ""),
        Column::count("to_bits", ""),
        Column::seconds("measured", ""),
        Column::seconds("predicted", ""),
        Column::seconds("as_recorded", ""),
        Column::share("error", ""),
    ];
    let all = all(rows);
    let row = |one: &Foretold| {
        let Foretold { as_recorded_s, size_bytes, from_bits, to_bits, measured_s, predicted_s } =
            *one;
        let (measured, predicted) = (measured_s.into(), predicted_s.into());
        let (from, to) = (from_bits.into(), to_bits.into());
        let (link, size, error) = ("link".into(), size_bytes.into(), one.error().into());
        [link, size, from, to, measured, predicted, Cell::new(as_recorded_s), error]
    };
    let mut table = Table::new("predictions", columns).with(all.iter().map(row)).data();
    if let Some(median) = middle(&errors(&all, true)) {
        let mut row: Vec<Cell> = vec![Cell::from("median")];
        row.extend((0..6).map(|_| Cell::default()));
        row.push(median.into());
        table.push(row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::Course;
    use document::Value;
    use pager_facts::PagedSeconds;
    use predict::{Direction, Recorded, Transfer, Wait};

    fn row(alternative: Alternative, cell: PagedLaunch) -> StudyRow {
        StudyRow {
            results: [cell].into_iter().collect(),
            ..StudyRow::new(alternative, 24 << 20, 6 << 20)
        }
    }

    /// As document 004 has it, with other waiting for bytes.
    fn document(elapsed: f64, blocked_bytes: f64) -> PagedLaunch {
        let seconds = PagedSeconds {
            elapsed,
            user: 66.138,
            system: 3.133,
            init: 0.21,
            handling: 8.7232,
            network: blocked_bytes,
            network_bytes: blocked_bytes,
            ..PagedSeconds::default()
        };
        PagedLaunch { seconds, transfers: 5452, ..PagedLaunch::default() }
    }

    #[test]
    fn without_a_course_the_documents_arithmetic_foretells() {
        let rows = [
            row(Alternative::AllMemory, document(70.0, 0.0)),
            row(Alternative::Network(100_000_000), document(83.459, 5.2556)),
            row(Alternative::Network(10_000_000), document(130.76, 52.5558)),
            row(Alternative::ParityLog, document(80.0, 0.0)),
        ];
        let predicted: Vec<Option<String>> =
            rows.iter().map(|row| predicted_s(row, &rows).map(|s| format!("{s:.2}"))).collect();
        assert_eq!(predicted, [Some("69.48".into()), None, Some("130.76".into()), None]);
        let found = table(&rows);
        let [from, to, measured, error] = [2, 3, 4, 7].map(|at| {
            found.rows.iter().map(|row| row.cells[at].value.clone()).collect::<Vec<Value>>()
        });
        let [fast, slow] = [100_000_000, 10_000_000].map(Value::Whole);
        assert_eq!(from, [fast.clone(), slow.clone(), Value::None]);
        assert_eq!(to, [slow, fast, Value::None]);
        assert_eq!(measured, [Value::Real(130.76), Value::Real(83.459), Value::None]);
        // The document's own way.
        let Value::Real(median) = error[2] else { panic!("a median: {error:?}") };
        assert!(median < 1e-3, "{error:?}");
        assert!(
            sentence(&rows)
                .expect("two links")
                .contains("over 1 other link their median error is 0.0 %")
        );
        assert!(sentence(&rows[..1]).is_none() && table(&rows[..1]).rows.is_empty());
    }

    #[test]
    fn a_course_is_played_again() {
        // One page of 12.5 MB over 100 Mbit/s, and half a second of computing.
        let transfer = Transfer {
            direction: Direction::In,
            connection: 0,
            bytes: 12_500_000,
            asked_s: 0.0,
            done_s: 1.1,
        };
        let timeline = Recorded {
            elapsed_s: 1.6,
            transfers: vec![transfer],
            waits: vec![Wait { from_s: 0.0, to_s: 1.1, transfer: Some(0) }],
        };
        let course = Course { timeline, program: Err("none".into()), pages: 0 };
        let cell = PagedLaunch { course: Some(course), ..document(1.6, 1.1) };
        let slow_s = over(&cell, 100_000_000, &[10_000_000])[0];
        assert!((slow_s - (10.0 * 1514.0 / 1448.0 + 0.55)).abs() < 0.02, "{slow_s}");
    }
}
