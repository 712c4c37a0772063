//! What is recorded is what is read.

use clock::{Clock, Ticks};
use fourstamp_record::{
    ABSENT, ArrivedClock, Batch, Column, Field, How, Kind, Mode, NULL, NodeSheet, Recorder,
    RecorderOptions, Row, Run, RunFolder, RunInfo, Schema, State, Values, WhenFull,
};
use proptest::prelude::*;

/// The columns that a row itself does not hold.
const EXTRAS: &[Column] = Column::ALL.split_at(5).1;

/// What the optional columns of a row hold.
fn extras() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(prop_oneof![0u64..1 << 60, Just(ABSENT)], EXTRAS.len())
}

fn row(node: u16) -> impl Strategy<Value = Row> {
    let stamp = || prop_oneof![4 => 1_000_000u64..1 << 50, 1 => Just(ABSENT)];
    let small = || 0u32..1 << 24;
    (
        (stamp(), stamp(), stamp(), stamp(), any::<u32>()),
        (0u16..2, 0..Kind::ALL.len() as u8, any::<u8>(), 0u8..3, 0u8..3),
        (0u64..1 << 40, small(), small(), small(), any::<u16>()),
    )
        .prop_map(move |(stamps, ids, counts)| Row {
            ready: stamps.0,
            sent: stamps.1,
            arrived: stamps.2,
            taken: stamps.3,
            seq: u64::from(stamps.4),
            src: ids.0,
            dst: node,
            kind: Kind::from_code(ids.1).unwrap(),
            hops: ids.2,
            arrived_clock: [ArrivedClock::Receiver, ArrivedClock::Sender, ArrivedClock::Kernel]
                [usize::from(ids.3)],
            arrived_how: How::from_code(ids.4).unwrap(),
            bytes: counts.0,
            packets: counts.1,
            in_flight: counts.2,
            queue_len: counts.3,
            batch: counts.4,
        })
}

fn options(mode: Mode, capacity_rows: u64, when_full: WhenFull) -> RecorderOptions {
    RecorderOptions { mode, capacity_rows, when_full }
}

fn recorder(run: &RunFolder, node: u32, schema: &Schema, options: RecorderOptions) -> Recorder {
    let clock = Clock::system();
    run.recorder(NodeSheet::new(0, node, &clock), schema, options).unwrap()
}

/// Every column of a run as `(field, value)` rows, file after file.
fn read_all(run: &Run, fields: &[Field]) -> Vec<Vec<i64>> {
    let mut batch = Batch::new();
    let mut rows = Vec::new();
    for chunk in run.chunks() {
        chunk.read(fields, &mut batch).unwrap();
        let columns: Vec<Vec<i64>> =
            fields.iter().map(|field| batch.column(*field).iter(chunk.rows()).collect()).collect();
        rows.extend(
            (0..chunk.rows())
                .map(|row| columns.iter().map(|column| column[row]).collect::<Vec<_>>()),
        );
    }
    rows
}

fn expected(run: &Run, row: &Row, extras: &[u64]) -> Vec<i64> {
    let model = run.info.domains[0].model.as_ref().unwrap();
    let place = |ticks: u64| if ticks == ABSENT { NULL } else { model.timeline(Ticks(ticks)).0 };
    let arrived = match row.arrived_clock {
        ArrivedClock::Kernel if row.arrived != ABSENT => {
            model.realtime_to_timeline(row.arrived as i64).0
        }
        _ => place(row.arrived),
    };
    let how = if row.arrived == ABSENT { NULL } else { row.arrived_how as i64 };
    let mut values = vec![
        0,
        row.seq as i64,
        i64::from(row.src),
        i64::from(row.dst),
        row.kind as i64,
        row.bytes as i64,
        place(row.ready),
        place(row.sent),
        arrived,
        place(row.taken),
        how,
        i64::from(row.hops),
        i64::from(row.packets),
        i64::from(row.batch),
        i64::from(row.in_flight),
        i64::from(row.queue_len),
    ];
    values.extend(extras.iter().map(|word| if *word == ABSENT { NULL } else { *word as i64 }));
    values
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_column_of_every_row_comes_back(
        rows in prop::collection::vec((row(0), extras()), 0..400),
        stream: bool,
        constant: bool,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let run = RunFolder::create(&path, RunInfo::new("test")).unwrap();
        let schema = Schema::new(&Column::ALL);
        let mode = if stream { Mode::Stream } else { Mode::Memory };
        // A ring far smaller than the rows: it wraps, and measuring stops for it.
        let mut node = recorder(&run, 0, &schema, options(mode, 37, WhenFull::Block));
        let other = recorder(&run, 1, &Schema::default(), options(mode, 1, WhenFull::Drop));
        let rows: Vec<_> =
            if constant { rows.iter().map(|_| rows[0].clone()).collect() } else { rows };
        for (row, extras) in &rows {
            node.push_with(row, extras);
        }
        let sheet = node.finish(Clock::system().anchor()).unwrap();
        prop_assert_eq!(sheet.recorded, rows.len() as u64);
        prop_assert_eq!(sheet.dropped, 0);
        other.finish(Clock::system().anchor()).unwrap();
        let info = run.close().unwrap();
        prop_assert_eq!(info.state, State::Closed);
        prop_assert!(info.lost.is_nothing(), "{:?}", info.lost);

        let run = Run::open(&path).unwrap();
        prop_assert_eq!(&run.info, &info);
        let read = read_all(&run, &Field::ALL);
        let expected: Vec<_> =
            rows.iter().map(|(row, extras)| expected(&run, row, extras)).collect();
        prop_assert_eq!(read, expected);
        prop_assert!(!path.join("live").exists());
    }
}

#[test]
fn what_does_not_fit_is_dropped_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let run = RunFolder::create(&path, RunInfo::new("test")).unwrap();
    let mut node = recorder(&run, 0, &Schema::default(), options(Mode::Memory, 10, WhenFull::Drop));
    for seq in 0..25 {
        node.push(&plain(seq, seq * 100));
    }
    assert_eq!((node.recorded(), node.dropped()), (10, 15));
    node.finish(Clock::system().anchor()).unwrap();
    let info = run.close().unwrap();
    assert_eq!(info.lost.dropped_rows, 15);
    assert_eq!(info.launches[0].nodes[0].dropped, 15);
    let read = read_all(&Run::open(&path).unwrap(), &[Field::Seq]);
    assert_eq!(read, (0..10).map(|seq| vec![seq]).collect::<Vec<_>>());
}

#[test]
fn constant_columns_and_absent_ones_are_known_without_reading() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let run = RunFolder::create(&path, RunInfo::new("test")).unwrap();
    let mut node = recorder(&run, 0, &Schema::new(&[Column::Hops]), RecorderOptions::default());
    for seq in 0..1000 {
        node.push(&Row { arrived: ABSENT, ..plain(seq, seq * 100) });
    }
    node.finish(Clock::system().anchor()).unwrap();
    run.close().unwrap();
    let run = Run::open(&path).unwrap();
    let mut batch = Batch::new();
    let chunk = &run.chunks()[0];
    chunk.read(&Field::ALL, &mut batch).unwrap();
    assert_eq!(batch.column(Field::Bytes), Values::Constant(8));
    assert_eq!(batch.column(Field::Kind), Values::Constant(Kind::Reply as i64));
    assert_eq!(batch.column(Field::ArrivedNs), Values::Constant(NULL));
    assert_eq!(batch.column(Field::ArrivedHow), Values::Constant(NULL));
    assert_eq!(batch.column(Field::Hops), Values::Constant(1));
    assert_eq!(batch.column(Field::Packets), Values::Absent);
    assert!(matches!(batch.column(Field::ReadyNs), Values::Each(values) if values.len() == 1000));
    assert!(!chunk.has(Field::Tag) && chunk.has(Field::Hops));
    assert!(chunk.may_have(Field::Seq, 999) && !chunk.may_have(Field::Seq, 1000));
    assert!(chunk.may_have(Field::Bytes, 8) && !chunk.may_have(Field::Bytes, 9));
    // A column that is not there, one without a number, and one of names say nothing.
    let silent = [Field::Packets, Field::ArrivedNs, Field::Kind];
    assert!(silent.iter().all(|field| chunk.may_have(*field, 12_345)));
}

fn plain(seq: u64, at: u64) -> Row {
    Row {
        ready: at,
        sent: at + 1,
        arrived: at + 2,
        taken: at + 3,
        seq,
        kind: Kind::Reply,
        hops: 1,
        bytes: 8,
        ..Row::between(0, 0)
    }
}
