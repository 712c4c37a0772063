//! Columns that were encoded, read again.

use crate::{Holds, NULL, SideColumn, SideReader, SideWriter};
use proptest::prelude::*;

const NAMES: &[&str] = &["Send", "Recv", "Wait"];
const COLUMNS: [SideColumn; 3] = [
    SideColumn { name: "numbers", holds: Holds::Numbers },
    SideColumn { name: "few", holds: Holds::FewNumbers },
    SideColumn { name: "names", holds: Holds::Names(NAMES) },
];

/// Returns the bytes of the file.
fn comes_back(rows: &[[i64; 3]], group_rows: usize) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.parquet");
    let mut writer = SideWriter::create(&path, &COLUMNS, 0, 0).unwrap().with_group_rows(group_rows);
    rows.iter().for_each(|row| writer.push(row).unwrap());
    writer.finish().unwrap();
    let mut reader = SideReader::open(&path, &COLUMNS).unwrap();
    let mut read = Vec::new();
    for group in 0..reader.groups() {
        let columns = reader.read(group).unwrap();
        read.extend((0..columns[0].len()).map(|at| [0, 1, 2].map(|of: usize| columns[of][at])));
    }
    assert_eq!(read, rows);
    path.metadata().unwrap().len()
}

/// Numbers of every size and sign, runs, and nulls.
fn number() -> impl Strategy<Value = i64> {
    prop_oneof![any::<i64>(), -3i64..3, Just(i64::MAX), Just(NULL), Just(1 << 40)]
}

fn name() -> impl Strategy<Value = i64> {
    prop_oneof![0..NAMES.len() as i64, Just(0), Just(NULL)]
}

proptest! {
    #[test]
    fn any_numbers_come_back(
        rows in proptest::collection::vec(
            (number(), number(), name()).prop_map(|(a, b, c)| [a, b, c]), 1..700),
        repeat in 1usize..12,
        group_rows in 1usize..600,
    ) {
        let rows: Vec<_> =
            rows.into_iter().flat_map(|row| std::iter::repeat_n(row, repeat)).collect();
        comes_back(&rows, group_rows);
    }
}

#[test]
fn columns_that_hold_the_same_are_in_the_file_once() {
    let (number, other) = (|n: i64| n * n % 10_007, |n: i64| n * n % 10_009);
    let same: Vec<_> = (0..5000).map(|n| [number(n), number(n), 0]).collect();
    let different: Vec<_> = (0..5000).map(|n| [number(n), other(n), 0]).collect();
    let [same, different] = [same, different].map(|rows| comes_back(&rows, 600));
    assert!(same < different * 2 / 3, "{same} bytes, not {different}");
    // A null makes them different.
    let mut rows: Vec<_> = (0..5000).map(|n| [number(n), number(n), 0]).collect();
    rows[700][1] = NULL;
    comes_back(&rows, 600);
}

#[test]
fn few_numbers_in_one_order_are_as_small_as_that_order() {
    let order = |n: i64| (n % 37 * 7919) % 20;
    let size = comes_back(&(0..50_000).map(|n| [0, order(n), 0]).collect::<Vec<_>>(), 1 << 20);
    assert!(size < 2_000, "{size} bytes");
}

#[test]
fn columns_of_several_pages_come_back() {
    // Above 2^15 different values the middle column is no longer one of few.
    let row = |n: i64| [n * n, n % 40_000, if n % 3 == 0 { NULL } else { n % 2 }];
    comes_back(&(0..200_000).map(row).collect::<Vec<_>>(), 1 << 20);
    let row = |n: i64| [if n < 70_000 { NULL } else { n }, n / 50_000, 0];
    comes_back(&(0..140_000).map(row).collect::<Vec<_>>(), 1 << 20);
}
