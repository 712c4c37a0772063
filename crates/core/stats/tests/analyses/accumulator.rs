//! A run taken in by batches must end in what the definitions say of all its messages at once.

use fourstamp_stats::analysis::{Analysis, By, Stage};
use fourstamp_stats::{Accumulator, Columns, FileRows, Options, Position};
use proptest::prelude::*;
use record::{Field, Kind, NULL, Values};

/// One planted row.
#[derive(Clone, Debug)]
struct Planted {
    src: i64,
    dst: i64,
    kind: Kind,
    bytes: i64,
    hops: i64,
    stamps: [i64; 4],
    seq: i64,
}

impl Planted {
    fn stage(&self, stage: usize) -> Option<i64> {
        let (end, begin) = [(3, 0), (1, 0), (2, 1), (3, 2)][stage];
        let (end, begin) = (self.stamps[end], self.stamps[begin]);
        (end != NULL && begin != NULL).then(|| end - begin)
    }

    fn is_cycle(&self) -> bool {
        self.kind == Kind::Cycle
    }
}

fn any_row() -> impl Strategy<Value = Planted> {
    let stamps = (0..1_000_000_i64, -50..5_000_i64, 0..20_000_i64, 0..100_000_i64);
    let kind = prop_oneof![6 => Just(Kind::Data), 2 => Just(Kind::Reply), 1 => Just(Kind::Cycle)];
    let absent = prop_oneof![8 => Just(None), 1 => (0..4_usize).prop_map(Some)];
    (0..4_i64, 0..4_i64, kind, 0..40_i64, 0..3_i64, stamps, absent).prop_map(
        |(src, dst, kind, bytes, hops, stamps, absent)| {
            let (ready, b, c, d) = stamps;
            let mut stamps = [ready, ready + b, ready + b + c, ready + b + c + d];
            if src == dst || kind == Kind::Cycle {
                stamps[1] = NULL;
                stamps[2] = NULL;
            }
            if let Some(at) = absent {
                stamps[at] = NULL;
            }
            Planted { src, dst, kind, bytes: bytes * bytes, hops, stamps, seq: 0 }
        },
    )
}

fn files(launches: &[Vec<Planted>]) -> Vec<FileRows> {
    launches
        .iter()
        .zip(0..)
        .map(|(rows, launch)| FileRows { launch, node: 0, rows: rows.len() as u64 })
        .collect()
}

/// Add rows in batches of `size`.
fn add(accumulator: &mut Accumulator, launch: u32, first_row: usize, rows: &[Planted]) {
    let column = |of: &dyn Fn(&Planted) -> i64| rows.iter().map(of).collect::<Vec<i64>>();
    type Of = dyn Fn(&Planted) -> i64;
    let fields: [(Field, &Of); 10] = [
        (Field::Src, &|row| row.src),
        (Field::Dst, &|row| row.dst),
        (Field::Kind, &|row| row.kind as i64),
        (Field::Bytes, &|row| row.bytes),
        (Field::Hops, &|row| row.hops),
        (Field::Seq, &|row| row.seq),
        (Field::ReadyNs, &|row| row.stamps[0]),
        (Field::SentNs, &|row| row.stamps[1]),
        (Field::ArrivedNs, &|row| row.stamps[2]),
        (Field::TakenNs, &|row| row.stamps[3]),
    ];
    let made: Vec<(Field, Vec<i64>)> =
        fields.iter().map(|(field, of)| (*field, column(of))).collect();
    let columns = made.iter().fold(Columns::new(rows.len()), |columns, (field, values)| {
        columns.with(*field, Values::Each(values))
    });
    accumulator.add_columns(&columns, Position { launch, node: 0, first_row: first_row as u64 });
}

fn analyse(
    launches: &[Vec<Planted>],
    batch: usize,
    accumulators: usize,
    backwards: bool,
) -> Analysis {
    let options =
        Options { files: files(launches), slowest: 5, resamples: 50, ..Options::default() };
    let mut parts: Vec<Accumulator> =
        (0..accumulators).map(|_| Accumulator::new(options.clone())).collect();
    let mut batches: Vec<(u32, usize, &[Planted])> = Vec::new();
    for (launch, rows) in launches.iter().enumerate() {
        batches.extend(
            rows.chunks(batch).enumerate().map(|(at, rows)| (launch as u32, at * batch, rows)),
        );
    }
    if backwards {
        batches.reverse();
    }
    for (at, (launch, first_row, rows)) in batches.into_iter().enumerate() {
        add(&mut parts[at % accumulators], launch, first_row, rows);
    }
    if backwards {
        parts.reverse();
    }
    let mut whole = Accumulator::new(options);
    parts.into_iter().for_each(|part| whole.merge(part));
    whole.finish()
}

fn numbered(mut launches: Vec<Vec<Planted>>) -> Vec<Vec<Planted>> {
    launches
        .iter_mut()
        .for_each(|rows| rows.iter_mut().zip(0..).for_each(|(row, seq)| row.seq = seq));
    launches
}

fn any_run() -> impl Strategy<Value = Vec<Vec<Planted>>> {
    prop::collection::vec(prop::collection::vec(any_row(), 1..300), 1..4).prop_map(numbered)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_order_of_batches_and_the_number_of_accumulators_do_not_matter(
        launches in any_run(),
        batch in 20..400_usize,
        accumulators in 1..4_usize,
    ) {
        let (mut once, mut apart) =
            (analyse(&launches, batch, 1, false), analyse(&launches, batch, accumulators, true));
        // Intervals of mean-like figures are sums in f64, whose last digit may depend on the order.
        for analysis in [&mut once, &mut apart] {
            analysis.shares.clear();
            analysis.finding = None;
        }
        prop_assert_eq!(once, apart);
    }

    #[test]
    fn stages_groups_and_anomalies_are_those_of_the_rows(
        launches in any_run(),
        batch in 1..400_usize,
    ) {
        let analysis = analyse(&launches, batch, 2, false);
        let messages: Vec<&Planted> =
            launches.iter().flatten().filter(|row| !row.is_cycle()).collect();
        prop_assert_eq!(analysis.messages, messages.len() as u64);
        let stages = [Stage::EndToEnd, Stage::SendWait, Stage::Transit, Stage::ReceiveWait];
        for (at, stage) in stages.into_iter().enumerate() {
            let mut times: Vec<i64> = messages.iter().filter_map(|row| row.stage(at)).collect();
            times.sort_unstable();
            let view = analysis.stages.iter().find(|view| view.stage == stage);
            prop_assert_eq!(view.map_or(0, |view| view.summary.count), times.len() as u64);
            prop_assert_eq!(
                analysis.anomalies.negative[at],
                times.iter().filter(|&&time| time < 0).count() as u64
            );
            let Some(view) = view else { continue };
            let median = view.summary.quantiles.iter().find(|quantile| quantile.p == 0.5).unwrap();
            let truth = times[times.len().div_ceil(2) - 1];
            prop_assert!(
                (median.value_ns - truth).abs() <= truth >> 12,
                "median {} for {truth}",
                median.value_ns
            );
            prop_assert_eq!(view.summary.total_ns, times.iter().sum::<i64>() as f64);
        }
        for (stamp, missing) in analysis.anomalies.missing.iter().enumerate() {
            let needed = |row: &&&Planted| row.src != row.dst || stamp == 0 || stamp == 3;
            let truth =
                messages.iter().filter(needed).filter(|row| row.stamps[stamp] == NULL).count()
                    as u64;
            prop_assert_eq!(*missing, truth);
        }
        for breakdown in &analysis.breakdowns {
            let counted: u64 = breakdown
                .groups
                .iter()
                .flat_map(|group| group.stages.first())
                .map(|(_, s)| s.count)
                .sum();
            let whole = messages
                .iter()
                .filter(|row| row.stage(0).is_some() || (1..4).any(|at| row.stage(at).is_some()));
            prop_assert!(
                counted <= whole.count() as u64 && breakdown.left_out == (0, 0),
                "{:?}",
                breakdown.by
            );
        }
        let cycles = launches
            .iter()
            .flatten()
            .filter(|row| row.is_cycle() && row.stage(0).is_some())
            .count();
        prop_assert_eq!(analysis.cycles.map_or(0, |view| view.summary.count), cycles as u64);
    }

    #[test]
    fn the_slowest_are_the_slowest(launches in any_run(), batch in 1..400_usize) {
        let analysis = analyse(&launches, batch, 2, true);
        let mut times: Vec<i64> = launches
            .iter()
            .flatten()
            .filter(|row| !row.is_cycle())
            .filter_map(|row| row.stage(0))
            .collect();
        times.sort_unstable_by(|x, y| y.cmp(x));
        times.truncate(5);
        let found: Vec<i64> =
            analysis.slowest.iter().filter_map(|message| message.stage_ns[0]).collect();
        prop_assert_eq!(found, times);
        for slow in &analysis.slowest {
            let row = &launches[slow.launch as usize][slow.seq as usize];
            prop_assert_eq!(slow.stage_ns, [0, 1, 2, 3].map(|at| row.stage(at)));
            prop_assert_eq!(
                (slow.src as i64, slow.dst as i64, slow.bytes as i64),
                (row.src, row.dst, row.bytes)
            );
        }
    }
}

fn plain(src: i64, bytes: i64, ready: i64, transit: i64) -> Planted {
    let stamps = [ready, ready + 10, ready + 10 + transit, ready + 20 + transit];
    Planted { src, dst: 9, kind: Kind::Data, bytes, hops: 1, stamps, seq: ready }
}

#[test]
fn a_run_of_nothing_is_an_analysis_of_nothing() {
    let analysis = Accumulator::new(Options::default()).finish();
    assert_eq!((analysis.messages, analysis.span_ns, analysis.finding), (0, None, None));
    assert!(
        analysis.stages.is_empty() && analysis.series.is_empty() && analysis.breakdowns.is_empty()
    );
}

#[test]
fn planted_groups_keep_their_own_times() {
    let rows: Vec<Planted> =
        (0..30_000).map(|i| plain(i % 3, 64 << (i % 2), i * 1000, 1000 * (i % 3 + 1))).collect();
    let analysis = analyse(&[rows], 7001, 2, false);
    let varied: Vec<By> = analysis.breakdowns.iter().map(|breakdown| breakdown.by).collect();
    assert_eq!(varied, [By::Bytes, By::Pair]);
    let pairs = &analysis.breakdowns[1];
    for (group, transit) in pairs.groups.iter().zip([1000, 2000, 3000]) {
        let (stage, summary) = &group.stages[2];
        assert_eq!(
            (*stage, summary.count, summary.min_ns, summary.max_ns),
            (Stage::Transit, 10_000, transit, transit)
        );
        assert_eq!(summary.quantiles[0].value_ns, transit);
        let bin = group.bins.iter().find(|bin| bin.count > 0).unwrap();
        assert!(
            bin.count == 10_000 && bin.from <= transit as f64 && (transit as f64) < bin.to,
            "{bin:?}"
        );
    }
    assert_eq!(pairs.groups[2].label, "2 → 9");
    let finding = analysis.finding.unwrap();
    assert_eq!((finding.stage, finding.messages[1]), (Stage::Transit, 1.0));
    assert!((finding.time[1] - 2000.0 / 2020.0).abs() < 1e-9);
}

#[test]
fn a_value_of_its_own_on_every_row_does_not_blow_up_the_groups() {
    let rows: Vec<Planted> = (0..40_000).map(|i| plain(i % 2, i, i * 100, 500 + i % 7)).collect();
    let analysis = analyse(&[rows], 10_000, 3, true);
    let bytes = analysis.breakdowns.iter().find(|breakdown| breakdown.by == By::Bytes).unwrap();
    assert_eq!((bytes.groups.len(), bytes.left_out), (512, (40_000 - 512, 40_000 - 512)));
    let pairs = analysis.breakdowns.iter().find(|breakdown| breakdown.by == By::Pair).unwrap();
    assert_eq!(
        pairs.groups.iter().map(|group| group.stages[0].1.count).collect::<Vec<_>>(),
        [20_000, 20_000]
    );
    assert_eq!(analysis.sizes.len(), 512);
}

/// Large batches are sorted jointly, small ones by pair, kind and size alone, and where these are
/// the same throughout not at all.
#[test]
fn cells_by_pair_kind_and_size_do_not_depend_on_how_rows_are_sorted() {
    type Size = fn(i64) -> i64;
    let shapes: [(Size, usize); 3] = [(|at| 64 << (at % 2), 2), (|at| at % 500, 10), (|_| 8, 1)];
    for (size, sizes) in shapes {
        let row = |at: i64| {
            let kind = if at % 40_000 < 10_000 { Kind::Reply } else { Kind::Data };
            let src = if at < 20_000 { 0 } else { at % 3 };
            Planted { kind, ..plain(src, size(at), at * 1000, 1000 + at % 777) }
        };
        let rows: Vec<Planted> = (0..60_000).map(row).collect();
        let large = analyse(std::slice::from_ref(&rows), 30_000, 2, false).facets;
        let small = analyse(std::slice::from_ref(&rows), 71, 3, true).facets;
        assert_eq!(large, small);
        assert_eq!(large.sizes.len(), sizes);
        assert_eq!(large.pairs, [(0, 9), (1, 9), (2, 9)]);
        for (at, src) in (0..3_i64).enumerate() {
            let of: Vec<&Planted> = rows.iter().filter(|row| row.src == src).collect();
            let cells = || large.cells.iter().filter(|cell| cell.of[0] == Some(at));
            assert_eq!(cells().map(|cell| cell.messages).sum::<u64>(), of.len() as u64);
            let slowest = cells().flat_map(|cell| &cell.stages).map(|(_, times)| times.max_ns);
            assert_eq!(slowest.max(), of.iter().filter_map(|row| row.stage(0)).max());
        }
    }
}

#[test]
fn sizes_of_too_few_messages_give_no_knee() {
    // Twelve sizes along a line; beyond 80 B the time is ten times as long, but nine messages of a
    // size do not show that.
    let time = |bytes: i64| (1_000 + bytes) * if bytes > 80 { 10 } else { 1 };
    let run = |count: i64| {
        let sizes = (1..=12).map(|step| step * 10);
        let rows = sizes.flat_map(|bytes| {
            let count = if bytes > 80 { count } else { 20 };
            (0..count).map(move |at| plain(0, bytes, (bytes * 100 + at) * 100_000, time(bytes)))
        });
        analyse(&[rows.collect()], 1000, 1, false)
    };
    let few = run(9);
    assert_eq!(few.sizes.iter().filter(|point| !point.is_enough()).count(), 4);
    assert_eq!(few.sweep.expect("eight sizes are enough").knees, []);
    assert!(few.sizes.iter().all(|point| point.jump < 0.1));
    let enough = run(10).sweep.expect("all sizes");
    assert_eq!(enough.knees.len(), 1);
    assert_eq!(enough.knees[0].before_bytes, 80);
}

#[test]
fn a_jump_between_sizes_shows_where_it_is() {
    let time = |bytes: i64| if bytes > 4040 { 5900 } else { 2120 };
    let sizes = [4000, 4040, 4048, 4100];
    let rows: Vec<Planted> =
        (0..4000).map(|i| plain(0, sizes[i % 4], i as i64 * 10_000, time(sizes[i % 4]))).collect();
    let points = analyse(&[rows], 1000, 1, false).sizes;
    let jumps: Vec<(u64, bool)> =
        points.iter().map(|point| (point.bytes, point.jump > 1.0)).collect();
    assert_eq!(jumps, [(4000, false), (4040, false), (4048, true), (4100, false)]);
}

#[test]
fn launches_that_differ_show_between_and_not_within() {
    let launch = |transit: i64| {
        (0..5000).map(|i| plain(0, 8, i * 1000, transit + i % 5)).collect::<Vec<_>>()
    };
    let spread = analyse(&[launch(210), launch(710), launch(200)], 999, 2, false).launches;
    assert_eq!(
        spread
            .launches
            .iter()
            .map(|(launch, summary)| (*launch, summary.count))
            .collect::<Vec<_>>(),
        [(0, 5000), (1, 5000), (2, 5000)]
    );
    assert!(spread.between.unwrap() > 0.5 && spread.within.unwrap() < 0.01, "{spread:?}");
}

#[test]
fn times_within_the_clocks_error_are_counted() {
    let rows: Vec<Planted> = (0..100).map(|i| plain(0, 8, i * 1000, i - 50)).collect();
    let mut accumulator = Accumulator::new(Options { clock_error_ns: 20, ..Options::default() });
    add(&mut accumulator, 0, 0, &rows);
    let analysis = accumulator.finish();
    assert_eq!(analysis.anomalies.within_clock_error, 39);
    assert_eq!(analysis.anomalies.negative, [30, 0, 50, 0]);
    assert!(
        analysis
            .stages
            .iter()
            .flat_map(|view| &view.summary.quantiles)
            .all(|q| q.interval_ns.is_none())
    );
}
