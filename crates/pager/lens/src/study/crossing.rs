//! At which rate of the network remote memory is as fast as this machine's disk.
//!
//! A time over a link is, for the most part, so much as is the same at any rate, and so much in
//! proportion to the time of a byte. So between two rates it is interpolated in 1 / rate. Beyond
//! the rates that were measured the fastest link's run is played over others, and that is said.

use document::{Cell, Column, Row, Table, Unit, time};

use super::alternative::Alternative;
use super::prediction::over_rates;
use super::row::StudyRow;

/// Steps from one rate that is tried to the next.
const STEP: f64 = 1.25;
/// Beyond these no link is predicted, bits a second.
const RATES: [f64; 2] = [1e4, 1e13];

/// Where the two times cross.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Crossing {
    /// Between two rates that were measured.
    Measured { at_bits: f64, between: [u64; 2] },
    /// Outside of them, as predicted.
    Predicted { at_bits: f64 },
    /// At no rate: what is left at the fastest takes this long, s.
    Never { least_s: f64 },
    /// At any rate that is predicted: at the slowest it takes this long, s.
    Always { most_s: f64 },
}

/// A rate, bits a second, and the time over it, s.
type Point = (f64, f64);

/// Where remote memory overtakes the disk with the size of `rows`, and the disk's time; `None`
/// without a disk or without links.
pub(super) fn crossing(rows: &[StudyRow]) -> Option<(Crossing, f64)> {
    let disk = rows.iter().find(|row| row.alternative == Alternative::Disk)?;
    let disk_s = disk.middle()?.seconds.elapsed;
    let mut links: Vec<(u64, f64)> = rows
        .iter()
        .filter_map(|row| match row.alternative {
            Alternative::Network(bits) => Some((bits, row.middle()?.seconds.elapsed)),
            _ => None,
        })
        .collect();
    links.sort_by_key(|(bits, _)| *bits);
    let (slowest, fastest) = (links.first()?, links.last()?);
    for pair in links.windows(2) {
        let [slow, fast] = [0, 1].map(|at| (pair[at].0 as f64, pair[at].1));
        if let Some(at_bits) = between(slow, fast, disk_s) {
            let between = [pair[0].0, pair[1].0];
            return Some((Crossing::Measured { at_bits, between }, disk_s));
        }
    }
    let faster = fastest.1 > disk_s;
    let from = if faster { fastest.0 } else { slowest.0 } as f64;
    Some((beyond(rows, from, faster, disk_s)?, disk_s))
}

/// In predicted times beyond a rate that was measured.
fn beyond(rows: &[StudyRow], from: f64, faster: bool, disk_s: f64) -> Option<Crossing> {
    let step = if faster { STEP } else { 1.0 / STEP };
    let rates = std::iter::successors(Some(from), |rate| Some(rate * step));
    let rates: Vec<f64> = rates.take_while(|rate| (RATES[0]..=RATES[1]).contains(rate)).collect();
    let bits: Vec<u64> = rates.iter().map(|rate| *rate as u64).collect();
    let points: Vec<Point> = rates.into_iter().zip(over_rates(rows, &bits)?).collect();
    let at = |pair: &[Point]| match faster {
        true => between(pair[0], pair[1], disk_s),
        false => between(pair[1], pair[0], disk_s),
    };
    let last_s = points.last()?.1;
    Some(match points.windows(2).find_map(at) {
        Some(at_bits) => Crossing::Predicted { at_bits },
        // Measured and predicted differ by more than is left to the disk's time.
        None if faster == (points[0].1 <= disk_s) => Crossing::Predicted { at_bits: points[0].0 },
        None if faster => Crossing::Never { least_s: last_s },
        None => Crossing::Always { most_s: last_s },
    })
}

/// The rate between the two at which a time that falls with the rate is `wanted`.
fn between(slow: Point, fast: Point, wanted_s: f64) -> Option<f64> {
    let (slow_s, fast_s) = (slow.1, fast.1);
    if !(fast_s <= wanted_s && wanted_s <= slow_s) {
        return None;
    }
    let part = if slow_s > fast_s { (slow_s - wanted_s) / (slow_s - fast_s) } else { 0.0 };
    Some(1.0 / (1.0 / slow.0 + part * (1.0 / fast.0 - 1.0 / slow.0)))
}

/// What to see of the rows of one size.
pub(super) fn sentence(rows: &[StudyRow]) -> Option<String> {
    let (crossing, disk_s) = crossing(rows)?;
    let head = format!(
        "With {} paging to this machine's disk takes {}",
        rows.first()?.size_text(),
        time(disk_s * 1e9)
    );
    Some(match crossing {
        Crossing::Measured { at_bits, between } => {
            let [slow, fast] = between.map(|bits| Alternative::Network(bits).name());
            format!(
                "{head}; remote memory overtakes it at about {}, by interpolation between \
                the runs over {slow} and {fast}.",
                rate(at_bits)
            )
        }
        Crossing::Predicted { at_bits } => format!(
            "{head}; remote memory overtakes it at about {}, which is predicted: outside of the \
            rates that were measured.",
            rate(at_bits)
        ),
        Crossing::Never { least_s } => format!(
            "{head}; remote memory does not overtake it at any rate: without waiting for bytes \
            it would still take {} (predicted).",
            time(least_s * 1e9)
        ),
        Crossing::Always { most_s } => format!(
            "{head}; remote memory is faster at each rate that was measured, and as predicted \
            down to {}, where it takes {}.",
            rate(RATES[0]),
            time(most_s * 1e9)
        ),
    })
}

/// Two digits are as many as an interpolation is good for.
fn rate(bits: f64) -> String {
    let (value, unit) = match bits {
        bits if bits >= 1e9 => (bits / 1e9, "Gbit/s"),
        bits if bits >= 1e6 => (bits / 1e6, "Mbit/s"),
        bits => (bits / 1e3, "kbit/s"),
    };
    let digits = if value < 10.0 { 1 } else { 0 };
    format!("{value:.digits$} {unit}")
}

/// For scripts: a row a size.
pub(super) fn table(rows: &[StudyRow]) -> Table {
    let columns = [
        Column::new("size", "", Unit::Bytes),
        Column::seconds("disk", ""),
        Column::new("crossing_bits", "", Unit::Number),
        Column::text("how", ""),
    ];
    let row = |of_size: &[StudyRow]| -> Option<Row> {
        let (crossing, disk_s) = crossing(of_size)?;
        let (at, how) = match crossing {
            Crossing::Measured { at_bits, .. } => (Some(at_bits), "interpolated"),
            Crossing::Predicted { at_bits } => (Some(at_bits), "predicted"),
            Crossing::Never { .. } => (None, "never"),
            Crossing::Always { .. } => (None, "always"),
        };
        let size = Cell::from(of_size.first()?.size_bytes);
        Some(Row::from([size, disk_s.into(), at.into(), how.into()]))
    };
    let sizes = rows.chunk_by(|a, b| a.size_bytes == b.size_bytes);
    Table::new("crossings", columns).with(sizes.filter_map(row)).data()
}

#[cfg(test)]
mod tests {
    use super::super::PagedLaunch;
    use super::*;
    use pager_facts::PagedSeconds;

    /// A second of work, and 10 s of bytes at 10 Mbit/s.
    fn link(bits: u64) -> StudyRow {
        let network = 10.0 * 1e7 / bits as f64;
        row(Alternative::Network(bits), 1.0, network)
    }

    fn row(alternative: Alternative, user: f64, network: f64) -> StudyRow {
        let seconds = PagedSeconds {
            elapsed: user + network,
            user,
            network,
            network_bytes: network,
            ..PagedSeconds::default()
        };
        let launch = PagedLaunch { seconds, transfers: 100, ..PagedLaunch::default() };
        StudyRow {
            results: [launch].into_iter().collect(),
            ..StudyRow::new(alternative, 1 << 20, 1 << 18)
        }
    }

    fn found(disk_s: f64) -> Crossing {
        let rows = [row(Alternative::Disk, disk_s, 0.0), link(100_000_000), link(10_000_000)];
        crossing(&rows).expect("a disk and two links").0
    }

    #[test]
    fn the_rate_is_where_the_times_are_the_same() {
        // 1 + 1e8 / rate = 3 at 50 Mbit/s.
        let Crossing::Measured { at_bits, between } = found(3.0) else { panic!("measured") };
        assert!((at_bits / 5e7 - 1.0).abs() < 1e-9, "{at_bits}");
        assert_eq!(between, [10_000_000, 100_000_000]);
        // 1.1 at 1 Gbit/s, beyond what was measured.
        let Crossing::Predicted { at_bits } = found(1.1) else { panic!("predicted") };
        assert!((at_bits / 1e9 - 1.0).abs() < 0.01, "{at_bits}");
        // 101 at 1 Mbit/s.
        let Crossing::Predicted { at_bits } = found(101.0) else { panic!("predicted") };
        assert!((at_bits / 1e6 - 1.0).abs() < 0.01, "{at_bits}");
        assert!(matches!(found(0.9), Crossing::Never { least_s } if least_s < 1.001));
        assert!(matches!(found(1e9), Crossing::Always { .. }));
    }

    #[test]
    fn it_is_said_how_it_is_known() {
        let said = |disk_s| {
            let rows = [row(Alternative::Disk, disk_s, 0.0), link(100_000_000), link(10_000_000)];
            sentence(&rows).expect("a sentence")
        };
        assert!(said(3.0).contains("50 Mbit/s, by interpolation"), "{}", said(3.0));
        assert!(said(1.1).contains("outside of the rates that were measured"), "{}", said(1.1));
        assert!(said(0.9).contains("not overtake it at any rate"), "{}", said(0.9));
        assert!(sentence(&[link(10_000_000)]).is_none(), "no disk");
        let rows = [row(Alternative::Disk, 3.0, 0.0), link(100_000_000), link(10_000_000)];
        assert_eq!(table(&rows).rows.len(), 1);
    }
}
