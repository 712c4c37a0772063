use proptest::prelude::*;

use super::*;
use crate::analysis::{Facets, Stage};
use crate::tally::Scratch;

/// Pair, kind, size, time.
type Row = ((i64, i64), i64, i64, i64);

fn any_row() -> impl Strategy<Value = Row> {
    let pair = prop_oneof![9 => (0..6_i64, 0..3_i64), 1 => Just((NULL, 0))];
    let size = prop_oneof![6 => 0..30_i64, 3 => 0..100_000_i64, 1 => Just(NULL)];
    let time = prop_oneof![8 => 0..1_000_000_i64, 1 => -5_000..0_i64, 1 => Just(NULL)];
    (pair, prop_oneof![0..4_i64, Just(77), Just(NULL)], size, time)
}

fn joint(rows: &[Row]) -> Joint {
    let mut joint = Joint::new(8);
    for &(pair, kind, bytes, time) in rows {
        let mut counted = Counted::default();
        let times: &[i64] = if time == NULL { &[] } else { &[time] };
        counted[0].fill(times, &mut Scratch::default());
        let pair = Some(pair).filter(|pair| pair.0 != NULL);
        joint.add(Agreed { pair, kind, bytes }, 1, &counted);
    }
    joint
}

fn shown(joint: &Joint, most: usize) -> Facets {
    joint.clone().shown_within(most, |_| true)
}

/// Messages, extremes and bins of the cells that `takes` takes.
fn sum(facets: &Facets, takes: impl Fn(&[Option<usize>; 3]) -> bool) -> (u64, Vec<(i64, u64)>) {
    let (mut messages, mut bins) = (0, BTreeMap::new());
    for cell in facets.cells.iter().filter(|cell| takes(&cell.of)) {
        messages += cell.messages;
        for (at, count) in cell.stages.iter().flat_map(|(_, binned)| &binned.counts) {
            *bins.entry(facets.bins[*at].0).or_default() += count;
        }
    }
    (messages, bins.into_iter().collect())
}

/// The same of rows, counted directly.
fn truth(rows: &[Row], takes: impl Fn(&Row) -> bool) -> (u64, Vec<(i64, u64)>) {
    let (mut messages, mut times) = (0, Times::default());
    for row in rows.iter().filter(|row| takes(row)) {
        messages += 1;
        times.add_times(row.3, u64::from(row.3 != NULL));
    }
    (messages, times.whole_counters().map(|bin| (bin.low, bin.count)).collect())
}

/// As the kinds are shown: one that is not known is another kind of message.
fn kind(code: i64) -> Option<record::Kind> {
    (code != NULL).then(|| kind_of(code))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn cells_of_a_choice_add_up_to_its_messages(
        rows in prop::collection::vec(any_row(), 1..250),
        most in prop_oneof![Just(COUNTS_FOR_ALL), 0..400_usize],
    ) {
        let facets = shown(&joint(&rows), most);
        prop_assert_eq!(sum(&facets, |_| true), truth(&rows, |_| true));
        for (at, &(src, dst)) in facets.pairs.iter().enumerate() {
            let pair = (i64::from(src), i64::from(dst));
            prop_assert_eq!(
                sum(&facets, |of| of[0] == Some(at)),
                truth(&rows, |row| row.0 == pair)
            );
        }
        for (at, &chosen) in facets.kinds.iter().enumerate() {
            let of_kind = |row: &Row| kind(row.1) == Some(chosen);
            prop_assert_eq!(sum(&facets, |of| of[1] == Some(at)), truth(&rows, of_kind));
        }
        for (at, span) in facets.sizes.iter().enumerate() {
            let inside = |row: &Row| u64::try_from(row.2).is_ok_and(|bytes| span.contains(bytes));
            prop_assert_eq!(sum(&facets, |of| of[2] == Some(at)), truth(&rows, inside));
            for (nth, &chosen) in facets.kinds.iter().enumerate() {
                let both = |row: &Row| inside(row) && kind(row.1) == Some(chosen);
                prop_assert_eq!(
                    sum(&facets, |of| of[2] == Some(at) && of[1] == Some(nth)),
                    truth(&rows, both)
                );
            }
        }
        let counts: usize = facets.cells.iter().flat_map(|cell| &cell.stages)
            .map(|(_, binned)| binned.counts.len()).sum();
        prop_assert!(counts <= most || (facets.pairs.is_empty() && facets.sizes.len() < 2));
    }

    #[test]
    fn the_order_does_not_matter(
        rows in prop::collection::vec(any_row(), 1..250),
        cuts in prop::collection::vec(0..250_usize, 2),
        most in prop_oneof![Just(COUNTS_FOR_ALL), 0..400_usize],
    ) {
        let once = shown(&joint(&rows), most);
        let backwards: Vec<Row> = rows.iter().rev().copied().collect();
        prop_assert_eq!(&shown(&joint(&backwards), most), &once);
        let cuts = [cuts[0].min(rows.len()), cuts[1].min(rows.len())];
        let (first, last) = (cuts[0].min(cuts[1]), cuts[0].max(cuts[1]));
        let mut merged = joint(&rows[last..]);
        merged.merge(joint(&rows[..first]));
        merged.merge(joint(&rows[first..last]));
        prop_assert_eq!(&shown(&merged, most), &once);
    }
}

/// More than the rows of a test can fill.
const COUNTS_FOR_ALL: usize = 10_000;

#[test]
fn sizes_are_told_apart_as_long_as_they_are_few() {
    let rows =
        |sizes: i64| -> Vec<Row> { (0..sizes).map(|at| ((0, 1), 0, 64 + at, 100)).collect() };
    let few = shown(&joint(&rows(48)), COUNTS_FOR_ALL);
    assert_eq!(few.sizes.len(), 48);
    let many = shown(&joint(&rows(100)), COUNTS_FOR_ALL);
    let ends: Vec<(u64, u64)> = many.sizes.iter().map(|span| (span.from, span.to)).collect();
    assert_eq!(ends, [(64, 127), (128, 163)]);
}

#[test]
fn pairs_beyond_the_first_are_still_in_the_whole() {
    let rows: Vec<Row> = (0..20).map(|src| ((src, 0), src % 2, 8, 10 * src)).collect();
    let facets = shown(&joint(&rows), COUNTS_FOR_ALL);
    assert_eq!(facets.pairs, (0..8).map(|src| (src, 0)).collect::<Vec<_>>());
    assert_eq!(sum(&facets, |of| of[1] == Some(0)).0, 10);
}

#[test]
fn a_stage_that_says_nothing_is_not_shown() {
    let says = |stage| stage != Stage::EndToEnd;
    let facets = joint(&[((0, 1), 0, 8, 10)]).shown(says);
    assert!(facets.cells[0].stages.is_empty() && facets.cells[0].messages == 1);
}

#[test]
fn a_quantile_from_bins_is_off_by_half_a_bin_at_most() {
    for value in [33_i64, 1_000, 65_535, 123_456_789] {
        let facets = shown(&joint(&[((0, 1), 0, 8, value)]), COUNTS_FOR_ALL);
        let (low, high) = facets.bins[0];
        let off = (low + (high - low) / 2 - value).abs() as f64;
        assert!(off <= value as f64 * Facets::QUANTILE_ERROR, "{value} in {low}..={high}");
    }
}
