//! What was planted in the messages and calls of an MPI program must be found, to the nanosecond
//! and in any order.

use calls::cause::Cause;
use calls::list::Operation;
use mpi_lens::found::{Mpi, MpiBy, Wait};
use mpi_lens::{BlockedCall, MpiTally};
use proptest::prelude::*;
use record::{Field, How, Kind, NULL, Values};
use stats::analysis::{Analysis, Stage};
use stats::{Accumulator, Columns, FIELDS, Options, Position, own};

const MS: i64 = 1_000_000;
const US: i64 = 1_000;

/// One planted message; times in ns.
#[derive(Clone, Copy, Debug)]
struct Planted {
    src: i64,
    dst: i64,
    tag: i64,
    sent: i64,
    arrived: i64,
    posted: i64,
    awaited: i64,
    taken: i64,
    how: How,
    error: i64,
    sites: [i64; 2],
}

/// A late sender by 5 ms, a receiver asleep for 50 ms, a rendezvous blocked for 20 ms, a message
/// that lies about for 24.9 ms, and a large one that its receiver posts late, blocking nobody.
fn planted() -> [Planted; 5] {
    let usual = Planted {
        src: 0,
        dst: 1,
        tag: 7,
        sent: 6 * MS,
        arrived: 6 * MS + 10 * US,
        posted: MS,
        awaited: MS,
        taken: 6 * MS + 20 * US,
        how: How::Observed,
        error: NULL,
        sites: [1, 2],
    };
    [
        usual,
        Planted {
            tag: 8,
            sent: 10 * MS,
            arrived: 10 * MS + 10 * US,
            posted: 60 * MS,
            awaited: 60 * MS,
            taken: 60 * MS + US,
            how: How::Modelled,
            error: 3 * US,
            ..usual
        },
        Planted {
            src: 2,
            dst: 3,
            sent: 100 * MS,
            arrived: 120 * MS + 200 * US,
            posted: 120 * MS,
            awaited: 120 * MS,
            taken: 120 * MS + 600 * US,
            sites: [3, 4],
            ..usual
        },
        Planted {
            tag: 8,
            sent: 205 * MS,
            arrived: 205 * MS + 100 * US,
            posted: 200 * MS,
            awaited: 230 * MS,
            taken: 230 * MS + 10 * US,
            how: How::Bracketed,
            error: 50 * US,
            ..usual
        },
        Planted {
            src: 2,
            dst: 3,
            sent: 300 * MS,
            arrived: 310 * MS + 100 * US,
            posted: 310 * MS,
            awaited: 310 * MS,
            taken: 310 * MS + 200 * US,
            sites: [5, 4],
            ..usual
        },
    ]
}

/// What the table of blocked calls has of them, and a broadcast that its root was 7 ms late for.
fn blocked() -> [BlockedCall; 6] {
    let late_sender = BlockedCall {
        rank: 1,
        call: 0,
        from_ns: MS,
        until_ns: 6 * MS,
        cause: Cause::LateSender,
        by: 0,
        function: None,
        sites: [Some(2), Some(1)],
        tag: Some(7),
        seq: Some(0),
        bytes: 100,
        ready_ns: Some(6 * MS),
        taken_ns: Some(6 * MS + 20 * US),
    };
    let late_receiver = BlockedCall {
        rank: 2,
        from_ns: 100 * MS,
        until_ns: 120 * MS,
        cause: Cause::LateReceiver,
        by: 3,
        sites: [Some(3), Some(4)],
        seq: Some(2),
        ready_ns: Some(100 * MS),
        taken_ns: Some(120 * MS + 600 * US),
        ..late_sender
    };
    let collective = BlockedCall {
        rank: 1,
        from_ns: 400 * MS,
        until_ns: 407 * MS,
        cause: Cause::Collective,
        by: 0,
        function: Some(Operation::Bcast as i64),
        sites: [Some(6), Some(6)],
        tag: None,
        seq: None,
        ready_ns: None,
        taken_ns: None,
        ..late_sender
    };
    let one_sided = |cause, from_ns, ns, function| BlockedCall {
        rank: 2,
        from_ns,
        until_ns: from_ns + ns,
        cause,
        by: 1,
        function: Some(function as i64),
        ..collective
    };
    let late_post = one_sided(Cause::LatePost, 500 * MS, 3 * MS, Operation::Win_post);
    let late_complete = one_sided(Cause::LateComplete, 510 * MS, 2 * MS, Operation::Win_complete);
    let lock = one_sided(Cause::Lock, 520 * MS, MS, Operation::Win_unlock);
    [late_sender, late_receiver, collective, late_post, late_complete, lock]
}

fn add(accumulator: &mut Accumulator, rows: &[(i64, Planted)]) {
    let column = |field: Field| -> Vec<i64> {
        let value = |(seq, row): &(i64, Planted)| match field {
            Field::Seq => *seq,
            Field::Src => row.src,
            Field::Dst => row.dst,
            Field::Kind => Kind::Data as i64,
            Field::Bytes => 100,
            Field::ReadyNs | Field::SentNs => row.sent,
            Field::ArrivedNs => row.arrived,
            Field::TakenNs => row.taken,
            Field::ArrivedHow => row.how as i64,
            Field::ArrivedErrorNs => row.error,
            Field::Tag => row.tag,
            Field::PostedNs => row.posted,
            Field::AwaitedNs => row.awaited,
            Field::SendSite => row.sites[0],
            Field::ReceiveSite => row.sites[1],
            _ => NULL,
        };
        rows.iter().map(value).collect()
    };
    let made: Vec<(Field, Vec<i64>)> =
        FIELDS.iter().map(|field| (*field, column(*field))).collect();
    let columns = made.iter().fold(Columns::new(rows.len()), |columns, (field, values)| {
        columns.with(*field, Values::Each(values))
    });
    accumulator.add_columns(&columns, Position { launch: 0, node: 0, first_row: 0 });
}

fn accumulator() -> Accumulator {
    let options = Options { traced: true, ..Options::default() };
    Accumulator::with(options, vec![Box::new(MpiTally::default())])
}

fn found(accumulator: Accumulator) -> (Analysis, Option<Mpi>) {
    let (analysis, mut tallies) = accumulator.finish_all();
    let mut tally = own::<MpiTally>(tallies.remove(0));
    blocked().iter().for_each(|call| tally.add_blocked(call));
    (analysis, tally.shown())
}

fn analyse(rows: &[(i64, Planted)], batch: usize, accumulators: usize) -> (Analysis, Option<Mpi>) {
    let mut parts: Vec<Accumulator> = (0..accumulators).map(|_| accumulator()).collect();
    rows.chunks(batch).enumerate().for_each(|(at, rows)| add(&mut parts[at % accumulators], rows));
    let mut whole = accumulator();
    parts.into_iter().for_each(|part| whole.merge(part));
    found(whole)
}

fn numbered(rows: &[Planted]) -> Vec<(i64, Planted)> {
    (0..).zip(rows.iter().copied()).collect()
}

fn mpi() -> Mpi {
    analyse(&numbered(&planted()), 2, 2).1.expect("the run is of an MPI program")
}

#[test]
fn each_planted_wait_is_found() {
    let mpi = mpi();
    let found: Vec<(Wait, u64, i64)> =
        mpi.waits.iter().map(|wait| (wait.wait, wait.count, wait.total_ns)).collect();
    let expected = [
        (Wait::LateSender, 1, 5 * MS),
        (Wait::LateReceiver, 1, 20 * MS),
        (Wait::Collective, 1, 7 * MS),
        (Wait::LatePost, 1, 3 * MS),
        (Wait::LateComplete, 1, 2 * MS),
        (Wait::Lock, 1, MS),
        (Wait::Unexpected, 1, 49_990 * US),
        (Wait::NotCollected, 1, 24_900 * US),
    ];
    assert_eq!(found, expected);
    // 5.02 ms from when the receiver waited, 50.001, 20.6, 25.01 and 10.2 ms from the send.
    assert_eq!(mpi.message_time_ns, 110_831 * US);
    assert!((mpi.waits[Wait::Unexpected as usize].share - 49.990 / 110.831).abs() < 1e-12);
    assert!(mpi.waits.iter().all(|wait| wait.unknown == 0));
    assert_eq!(mpi.waits[0].summary.max_ns, 5 * MS);
}

#[test]
fn what_rests_on_an_unseen_arrival_is_told() {
    let mpi = mpi();
    assert_eq!(mpi.arrivals.known, [3, 1, 1]);
    assert_eq!(mpi.arrivals.error_ns, [50 * US, 3 * US]);
    let rests: Vec<_> = mpi.waits[Wait::Unexpected as usize..]
        .iter()
        .map(|wait| (wait.rests_on_ns, wait.error_ns))
        .collect();
    let expected = [([0, 0, 49_990 * US], 3 * US), ([0, 24_900 * US, 0], 50 * US)];
    assert_eq!(rests, expected);
    let certain: Vec<i64> = mpi.waits.iter().map(|wait| wait.certain_ns).collect();
    assert_eq!(certain, [5 * MS, 20 * MS, 7 * MS, 3 * MS, 2 * MS, MS, 49_987 * US, 24_850 * US]);
}

#[test]
fn who_waited_for_whom_is_told() {
    let blocked: Vec<_> = mpi().blocked.iter().map(|b| (b.rank, b.by, b.waits_ns())).collect();
    let expected = [
        (2, 3, [0, 20 * MS, 0, 0, 0, 0]),
        (1, 0, [5 * MS, 0, 7 * MS, 0, 0, 0]),
        (2, 1, [0, 0, 0, 3 * MS, 2 * MS, MS]),
    ];
    assert_eq!(blocked, expected);
}

#[test]
fn groups_hold_their_messages() {
    let mpi = mpi();
    let of = |by: MpiBy| {
        let groups = mpi.groups.iter().find(|groups| groups.by == by).unwrap();
        assert_eq!(groups.left_out, (0, 0));
        groups.groups.iter().map(|g| (g.key, g.messages, g.waited_ns())).collect::<Vec<_>>()
    };
    assert_eq!(of(MpiBy::Pair), [((0, 1), 3, 79_890 * US), ((2, 3), 2, 20 * MS)]);
    assert_eq!(of(MpiBy::Tag), [((8, 0), 2, 74_890 * US), ((7, 0), 3, 25 * MS)]);
    assert_eq!(
        of(MpiBy::SendSite),
        [((1, 0), 3, 79_890 * US), ((3, 0), 1, 20 * MS), ((5, 0), 1, 0)]
    );
    assert_eq!(of(MpiBy::ReceiveSite), [((2, 0), 3, 79_890 * US), ((4, 0), 2, 20 * MS)]);
}

#[test]
fn the_worst_come_first_and_are_told_whole() {
    let mpi = mpi();
    let waited: Vec<(Wait, i64)> =
        mpi.worst.iter().map(|worst| (worst.wait, worst.waited_ns)).collect();
    let expected = [
        (Wait::Unexpected, 49_990 * US),
        (Wait::NotCollected, 24_900 * US),
        (Wait::LateReceiver, 20 * MS),
        (Wait::Collective, 7 * MS),
        (Wait::LateSender, 5 * MS),
        (Wait::LatePost, 3 * MS),
        (Wait::LateComplete, 2 * MS),
        (Wait::Lock, MS),
    ];
    assert_eq!(waited, expected);
    assert_eq!(mpi.worst[0].error_ns, Some(3 * US));
    assert_eq!((mpi.worst[0].rank, mpi.worst[0].by), (0, 1));
    assert_eq!(mpi.worst[2].message.map(|line| (line.src, line.dst, line.seq)), Some((2, 3, 2)));
    assert_eq!(mpi.worst[3].collective.as_deref(), Some("MPI_Bcast"));
    assert_eq!(mpi.worst[7].collective.as_deref(), Some("MPI_Win_unlock"));
    assert_eq!(mpi.sample.len(), 5);
}

#[test]
fn a_send_wait_of_nothing_is_no_stage() {
    let (analysis, _) = analyse(&numbered(&planted()), 5, 1);
    let stages: Vec<Stage> = analysis.stages.iter().map(|view| view.stage).collect();
    assert_eq!(stages, [Stage::EndToEnd, Stage::Transit, Stage::ReceiveWait]);
    assert!(analysis.finding.is_some());
}

#[test]
fn a_message_without_a_stamp_is_counted_as_unknown() {
    let lacking = Planted { posted: NULL, ..planted()[2] };
    let mpi = analyse(&numbered(&[lacking]), 1, 1).1.unwrap();
    let unknown: Vec<(u64, u64)> =
        mpi.waits.iter().map(|wait| (wait.unknown, wait.count)).collect();
    assert_eq!(unknown[Wait::Unexpected as usize..], [(1, 0), (1, 0)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_order_and_any_accumulators_end_alike(
        rows in prop::collection::vec(
            (0..5_usize, 0..6_i64, 0..6_i64, 0..40_i64, -30 * MS..30 * MS),
            1..400,
        ),
        batch in 1..60_usize,
        accumulators in 1..4_usize,
    ) {
        let make = |(at, &(like, src, dst, tag, shift)): (i64, &(usize, i64, i64, i64, i64))| {
            let like = planted()[like];
            (at, Planted { src, dst, tag, awaited: like.awaited + shift, ..like })
        };
        let rows: Vec<(i64, Planted)> = (0..).zip(&rows).map(make).collect();
        let mut backwards = rows.clone();
        backwards.reverse();
        let one = analyse(&rows, rows.len(), 1).1;
        prop_assert_eq!(&analyse(&rows, batch, accumulators).1, &one);
        prop_assert_eq!(&analyse(&backwards, batch, accumulators).1, &one);
    }
}
