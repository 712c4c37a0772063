//! A Time Warp run's rows must end in what was planted in them, in any order, and leave the
//! messages' statistics alone.

use proptest::prelude::*;
use record::{Field, Kind, NULL, Values};
use sim_lens::{Simulation, SimulationBin, WarpTally, Work};
use stats::analysis::{Analysis, Stage};
use stats::{Accumulator, Columns, FIELDS, Options, Position, own};

/// One planted row.
#[derive(Clone, Copy, Debug)]
struct Planted {
    launch: u32,
    kind: Kind,
    seq: i64,
    src: i64,
    node: i64,
    stamps: [i64; 4],
    object: i64,
    amount: i64,
    from: f64,
    to: f64,
}

impl Planted {
    fn work(kind: Kind, node: i64, begin: i64, took: i64) -> Planted {
        let stamps = [begin, NULL, NULL, begin + took];
        Planted {
            launch: 0,
            kind,
            seq: 0,
            src: node,
            node,
            stamps,
            object: NULL,
            amount: 1,
            from: 0.0,
            to: 0.0,
        }
    }

    fn undone(node: i64, begin: i64, object: i64, events: i64, from: f64, to: f64) -> Planted {
        let row = Planted::work(Kind::Rollback, node, begin, 300);
        Planted { object, amount: events, from, to, ..row }
    }

    fn message(kind: Kind, src: i64, node: i64, ready: i64, stages: [i64; 3]) -> Planted {
        let [b, c, d] = stages;
        let within = src == node;
        let [sent, arrived] = if within { [NULL; 2] } else { [ready + b, ready + b + c] };
        let stamps = [ready, sent, arrived, ready + b + c + d];
        Planted { src, stamps, ..Planted::work(kind, node, 0, 0) }
    }
}

/// Add rows of one launch and node as one batch.
fn add(accumulator: &mut Accumulator, rows: &[Planted]) {
    let column = |field: Field| -> Vec<i64> {
        let value = |row: &Planted| match field {
            Field::Seq => row.seq,
            Field::Src => row.src,
            Field::Dst => row.node,
            Field::Kind => row.kind as i64,
            Field::ReadyNs => row.stamps[0],
            Field::SentNs => row.stamps[1],
            Field::ArrivedNs => row.stamps[2],
            Field::TakenNs => row.stamps[3],
            Field::Packets => row.amount,
            Field::DstObject => row.object,
            Field::VirtualSend => row.from.to_bits() as i64,
            Field::VirtualReceive => row.to.to_bits() as i64,
            _ => NULL,
        };
        rows.iter().map(value).collect()
    };
    let made: Vec<(Field, Vec<i64>)> =
        FIELDS.iter().map(|field| (*field, column(*field))).collect();
    let columns = made.iter().fold(Columns::new(rows.len()), |columns, (field, values)| {
        columns.with(*field, Values::Each(values))
    });
    accumulator.add_columns(&columns, Position { launch: rows[0].launch, node: 0, first_row: 0 });
}

fn analyse(
    rows: &[Planted],
    batch: usize,
    accumulators: usize,
    backwards: bool,
) -> (Analysis, Option<Simulation>) {
    let empty = || Accumulator::with(Options::default(), vec![Box::<WarpTally>::default()]);
    let mut batches: Vec<&[Planted]> = rows
        .chunk_by(|a, b| a.launch == b.launch)
        .flat_map(|launch| launch.chunks(batch))
        .collect();
    let mut parts: Vec<Accumulator> = (0..accumulators).map(|_| empty()).collect();
    if backwards {
        batches.reverse();
    }
    batches.iter().enumerate().for_each(|(at, rows)| add(&mut parts[at % accumulators], rows));
    if backwards {
        parts.reverse();
    }
    let mut whole = empty();
    parts.into_iter().for_each(|part| whole.merge(part));
    let (analysis, tallies) = whole.finish_all();
    let tally = tallies.into_iter().next().expect("the one that was given");
    (analysis, own::<WarpTally>(tally).simulation())
}

/// Two nodes: 90 executions of 1 µs, 2 rollbacks of 30 events, one of 5, collections of 20 and 5
/// events.
fn two_nodes() -> Vec<Planted> {
    let mut rows = Vec::new();
    for at in 0..90 {
        rows.push(Planted::work(Kind::Execution, at % 2, at * 2_000, 1_000));
    }
    rows.push(Planted::undone(0, 50_000, 7, 30, 12.5, 4.5));
    rows.push(Planted::undone(1, 60_000, 8, 5, 6.0, 6.0));
    rows.push(Planted::undone(0, 70_000, 7, 30, 3.0, 999_999_999.0));
    for (node, events) in [(0, 20), (1, 5)] {
        rows.push(Planted {
            amount: events,
            ..Planted::work(Kind::Collection, node, 190_000, 10_000)
        });
        rows.push(Planted { to: 4.0, ..Planted::work(Kind::GvtRound, node, 100_000, 90_000) });
        rows.push(Planted { to: 1e9, ..Planted::work(Kind::GvtRound, node, 195_000, 4_000) });
    }
    rows
}

fn simulation(rows: &[Planted]) -> Simulation {
    analyse(rows, 40, 2, false).1.expect("the run is a simulation")
}

#[test]
fn planted_work_is_found() {
    let found = simulation(&two_nodes());
    assert_eq!((found.executed, found.undone, found.committed), (90, 65, 25));
    assert_eq!((found.efficiency, found.gvt_rounds), (Some(25.0 / 90.0), 2));
    assert_eq!(found.elapsed_ns, 200_000);
    assert!((found.committed_per_s.unwrap() - 25.0 / 200e-6).abs() < 1e-6);
    let time: Vec<(Work, u64, i64)> = found
        .work
        .iter()
        .map(|(work, view)| (*work, view.summary.count, view.summary.max_ns))
        .collect();
    assert_eq!(
        time,
        [
            (Work::Execution, 90, 1_000),
            (Work::Rollback, 3, 300),
            (Work::Collection, 2, 10_000),
            (Work::GvtRound, 4, 90_000)
        ]
    );
    let gvt: Vec<f64> = found.series.iter().filter_map(|bin| bin.gvt).collect();
    assert_eq!(gvt, [4.0], "a GVT after the model's end is none");
    let over = |rate: fn(&SimulationBin) -> f64| -> f64 {
        found.series.iter().map(|bin| rate(bin) * (bin.to_ns - bin.from_ns) as f64 / 1e9).sum()
    };
    let sums = [
        over(|bin| bin.executed_per_s),
        over(|bin| bin.undone_per_s),
        over(|bin| bin.committed_per_s),
    ];
    for (sum, truth) in sums.into_iter().zip([90.0, 65.0, 25.0]) {
        assert!((sum - truth).abs() < 1e-6, "{sum} events in the series, truly {truth}");
    }
}

#[test]
fn planted_rollbacks_are_found_with_their_objects() {
    let found = simulation(&two_nodes());
    let rollbacks = &found.rollbacks;
    assert_eq!((rollbacks.count, rollbacks.depth_max, rollbacks.depth_p50), (3, 30, 30));
    assert!((rollbacks.depth_mean - 65.0 / 3.0).abs() < 1e-12);
    assert_eq!(rollbacks.depths, [(4, 7, 1), (8, 15, 0), (16, 31, 2)]);
    assert_eq!((rollbacks.lengths_zero, rollbacks.lengths_unknown), (1, 1));
    let lengths: Vec<(f64, f64, u64)> =
        rollbacks.lengths.iter().map(|b| (b.from, b.to, b.count)).collect();
    assert_eq!(lengths, [(8.0, 16.0, 1)]);
    let worst: Vec<(Option<i64>, u64, Option<i64>)> = found
        .worst
        .iter()
        .map(|rollback| (rollback.begin_ns, rollback.events, rollback.object))
        .collect();
    assert_eq!(
        worst,
        [(Some(50_000), 30, Some(7)), (Some(70_000), 30, Some(7)), (Some(60_000), 5, Some(8))]
    );
    assert_eq!((found.worst[0].from, found.worst[0].to), (Some(12.5), Some(4.5)));
    let objects: Vec<(i64, u64, u64, u64)> =
        found.objects.iter().map(|o| (o.object, o.rollbacks, o.undone, o.depth_max)).collect();
    assert_eq!(objects, [(7, 2, 60, 30), (8, 1, 5, 5)]);
}

#[test]
fn a_nodes_time_adds_up_over_launches() {
    let mut rows = two_nodes();
    rows.extend(two_nodes().into_iter().map(|row| Planted { launch: 3, ..row }));
    let found = simulation(&rows);
    assert_eq!((found.elapsed_ns, found.gvt_rounds), (400_000, 4));
    assert_eq!(found.nodes.len(), 2);
    let node = &found.nodes[0];
    assert_eq!((node.node, node.elapsed_ns), (0, 400_000));
    assert_eq!(node.work_ns, [90_000, 1_200, 20_000]);
    assert_eq!(node.rest_ns, 400_000 - 111_200);
    assert_eq!((node.executed, node.undone, node.committed, node.rollbacks), (90, 120, 40, 4));
}

#[test]
fn kinds_of_messages_are_told_apart_within_and_between_nodes() {
    let mut rows = two_nodes();
    for at in 0..100 {
        rows.push(Planted::message(Kind::Event, 0, 1, at * 1_000, [10, 500, 40]));
        rows.push(Planted::message(Kind::Event, 1, 1, at * 1_000, [0, 0, 7]));
        rows.push(Planted::message(Kind::Other, 0, 1, at * 1_000, [10, 9_000, 40]));
    }
    rows.push(Planted::message(Kind::Anti, 1, 0, 5, [20, 800, 30]));
    let (analysis, simulation) = analyse(&rows, 64, 3, false);
    assert_eq!(analysis.messages, 301);
    let groups = simulation.expect("the run is a simulation").messages;
    let shape: Vec<(Kind, bool, u64, usize)> =
        groups.iter().map(|g| (g.kind, g.on_node, g.count, g.stages.len())).collect();
    assert_eq!(
        shape,
        [(Kind::Event, true, 100, 1), (Kind::Event, false, 100, 4), (Kind::Anti, false, 1, 4)]
    );
    let (stage, summary) = &groups[1].stages[2];
    assert_eq!(
        (*stage, summary.min_ns, summary.max_ns, summary.count),
        (Stage::Transit, 500, 500, 100)
    );
    assert_eq!(groups[0].stages[0].1.max_ns, 7);
}

#[test]
fn a_run_without_work_is_no_simulation() {
    let rows: Vec<Planted> =
        (0..50).map(|at| Planted::message(Kind::Event, 0, 1, at, [1, 2, 3])).collect();
    assert_eq!(analyse(&rows, 10, 2, false).1, None);
}

#[test]
fn work_whose_clock_is_not_known_is_counted_and_not_timed() {
    let mut row = Planted::undone(0, 0, 1, 4, 2.0, 1.0);
    row.stamps = [NULL; 4];
    let found = simulation(&[row]);
    assert_eq!((found.undone, found.rollbacks.count, found.elapsed_ns), (4, 1, 0));
    assert_eq!((found.efficiency, found.committed_per_s), (None, None));
    assert!(found.work.is_empty() && found.series.is_empty());
    assert_eq!((found.worst[0].begin_ns, found.worst[0].took_ns), (None, None));
}

#[test]
fn damaged_stamps_do_not_stop_an_analysis() {
    let extremes = [i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
    let mut rows = Vec::new();
    for kind in [Kind::Execution, Kind::Rollback, Kind::Collection, Kind::GvtRound] {
        for begin in extremes {
            rows.extend(extremes.map(|end| {
                let stamps = [begin, NULL, NULL, end];
                Planted {
                    stamps,
                    to: f64::NAN,
                    from: f64::INFINITY,
                    ..Planted::work(kind, 0, 0, 0)
                }
            }));
        }
    }
    let found = simulation(&rows);
    assert_eq!((found.executed, found.undone, found.committed), (36, 36, 36));
    assert_eq!(found.rollbacks.lengths_unknown, 36);
}

fn any_work() -> impl Strategy<Value = Planted> {
    let kind = prop::sample::select(vec![
        Kind::Execution,
        Kind::Rollback,
        Kind::Collection,
        Kind::GvtRound,
    ]);
    let time =
        prop_oneof![4 => (0..4_000_i64).prop_map(|t| t as f64 / 8.0), 1 => Just(999_999_999.0)];
    (kind, 0..3_i64, 0..90_000_000_i64, 0..50_000_i64, (0..20_i64, 0..40_i64), (time.clone(), time))
        .prop_map(|(kind, node, begin, took, (object, amount), (from, to))| Planted {
            object,
            amount,
            from,
            to,
            ..Planted::work(kind, node, begin, took)
        })
}

fn any_message() -> impl Strategy<Value = Planted> {
    let kind =
        prop::sample::select(vec![Kind::Event, Kind::Anti, Kind::Gvt, Kind::Sendback, Kind::Data]);
    (kind, 0..3_i64, 0..3_i64, 0..90_000_000_i64, [0..500_i64, 0..9_000_i64, 0..90_000_i64])
        .prop_map(|(kind, src, node, ready, stages)| {
            Planted::message(kind, src, node, ready, stages)
        })
}

fn any_run() -> impl Strategy<Value = Vec<Planted>> {
    let row = prop_oneof![3 => any_work(), 2 => any_message()];
    prop::collection::vec(prop::collection::vec(row, 1..200), 1..4).prop_map(|mut launches| {
        for (rows, launch) in launches.iter_mut().zip(0..) {
            rows.iter_mut().zip(0..).for_each(|(row, seq)| (row.launch, row.seq) = (launch, seq));
        }
        launches.concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_order_of_batches_and_the_number_of_accumulators_do_not_matter(
        rows in any_run(),
        batch in 1..100_usize,
        accumulators in 1..4_usize,
    ) {
        let (once, apart) =
            (analyse(&rows, 1000, 1, false), analyse(&rows, batch, accumulators, true));
        prop_assert_eq!(once.1, apart.1);
    }

    #[test]
    fn counts_are_those_of_the_rows(rows in any_run(), batch in 1..300_usize) {
        let of = |kind: Kind| rows.iter().filter(move |row| row.kind == kind);
        let sum = |kind: Kind| of(kind).map(|row| row.amount as u64).sum::<u64>();
        let Some(found) = analyse(&rows, batch, 2, false).1 else {
            prop_assert!(!rows.iter().any(|row| row.kind.is_interval()));
            return Ok(());
        };
        prop_assert_eq!(found.executed, of(Kind::Execution).count() as u64);
        prop_assert_eq!(
            (found.undone, found.committed),
            (sum(Kind::Rollback), sum(Kind::Collection))
        );
        let count = of(Kind::Rollback).count() as u64;
        prop_assert_eq!(found.rollbacks.depths.iter().map(|range| range.2).sum::<u64>(), count);
        let lengths = found.rollbacks.lengths.iter().map(|bin| bin.count).sum::<u64>();
        prop_assert_eq!(
            lengths + found.rollbacks.lengths_zero + found.rollbacks.lengths_unknown,
            count
        );
        let mut depths: Vec<u64> = of(Kind::Rollback).map(|row| row.amount as u64).collect();
        depths.sort_unstable_by(|a, b| b.cmp(a));
        depths.truncate(10);
        prop_assert_eq!(
            found.worst.iter().map(|rollback| rollback.events).collect::<Vec<_>>(),
            depths
        );
        prop_assert!(found.objects.windows(2).all(|pair| pair[0].undone >= pair[1].undone));
        for object in &found.objects {
            let truth = of(Kind::Rollback).filter(|row| row.object == object.object);
            prop_assert_eq!(object.undone, truth.map(|row| row.amount as u64).sum::<u64>());
        }
        for (node, shown) in found.nodes.iter().map(|shown| (i64::from(shown.node), shown)) {
            prop_assert_eq!(
                shown.executed,
                of(Kind::Execution).filter(|row| row.node == node).count() as u64
            );
            prop_assert_eq!(shown.elapsed_ns, shown.rest_ns + shown.work_ns.iter().sum::<i64>());
        }
    }

    #[test]
    fn work_and_cycles_never_show_in_the_messages(rows in any_run(), batch in 1..300_usize) {
        let messages: Vec<Planted> =
            rows.iter().copied().filter(|row| !row.kind.is_interval()).collect();
        let (mut mixed, _) = analyse(&rows, batch, 2, false);
        // Sends of a pair are followed within a batch, and mixing changes what is in one.
        mixed.sends = None;
        let (mut alone, _) = analyse(&messages, batch, 2, false);
        alone.sends = None;
        for analysis in [&mut mixed, &mut alone] {
            // Sums in f64, whose last digit may depend on the order.
            analysis.shares.clear();
            analysis.finding = None;
        }
        prop_assert_eq!(mixed, alone);
    }
}
