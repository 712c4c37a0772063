//! Both sides' logs of messages without a header become whole records.

use clock::{Clock, Ticks};
use fourstamp_record::{
    Batch, Field, NULL, RecorderOptions, Run, RunFolder, RunInfo, Stamper, Values,
};
use proptest::prelude::*;
use std::path::Path;

const FIELDS: [Field; 7] = [
    Field::Src,
    Field::Dst,
    Field::Seq,
    Field::Bytes,
    Field::ReadyNs,
    Field::SentNs,
    Field::TakenNs,
];

fn rows(path: &Path) -> Vec<[i64; FIELDS.len()]> {
    let run = Run::open(path).unwrap();
    let mut batch = Batch::new();
    let mut rows = Vec::new();
    for chunk in run.chunks() {
        chunk.read(&FIELDS, &mut batch).unwrap();
        rows.extend((0..chunk.rows()).map(|row| FIELDS.map(|field| batch.column(field).at(row))));
    }
    rows
}

fn nodes(run: &RunFolder, count: u16) -> Vec<Stamper> {
    (0..count).map(|node| run.stamper(node, true, RecorderOptions::default()).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// Messages between three nodes, of which the last `lost` never arrive.
    #[test]
    fn every_receive_finds_its_send(
        ways in prop::collection::vec((0u16..3, 0u16..3), 0..200),
        lost in 0usize..4,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let run = RunFolder::create(&path, RunInfo::new("test")).unwrap();
        let mut nodes = nodes(&run, 3);
        let now = nodes[0].now().0;
        let ways: Vec<_> = ways.into_iter().filter(|(src, dst)| src != dst).collect();
        let arrive = ways.len().saturating_sub(lost);
        for (at, (src, dst)) in ways.iter().enumerate() {
            let ready = now + at as u64 * 10_000;
            nodes[usize::from(*src)].log_sent(*dst, Ticks(ready), Ticks(ready + 1000), at as u64);
        }
        for (at, (src, dst)) in ways[..arrive].iter().enumerate() {
            let arrived = now + at as u64 * 10_000 + 2000;
            nodes[usize::from(*dst)].log_received(
                *src,
                Ticks(arrived),
                Ticks(arrived + 3000),
                at as u64,
            );
        }
        for node in nodes {
            node.finish().unwrap();
        }
        let info = run.close().unwrap();
        prop_assert_eq!(info.lost.unmatched_sends, (ways.len() - arrive) as u64);
        prop_assert_eq!(info.lost.unmatched_receives, 0);
        let mut found = rows(&path);
        prop_assert_eq!(found.len(), ways.len());
        // The number of bytes says which message it is.
        found.sort_by_key(|row| row[3]);
        for (at, ([src, dst, _, bytes, ready, sent, taken], way)) in
            found.iter().zip(&ways).enumerate()
        {
            prop_assert_eq!((*src, *dst, *bytes), (i64::from(way.0), i64::from(way.1), at as i64));
            prop_assert!(sent > ready);
            if at < arrive {
                prop_assert!(taken > sent && taken - ready < 10_000, "{ready} {sent} {taken}");
            } else {
                prop_assert_eq!(*taken, NULL);
            }
        }
    }
}

#[test]
fn a_receive_without_a_send_is_kept_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let run = RunFolder::create(&path, RunInfo::new("test")).unwrap();
    let mut nodes = nodes(&run, 2);
    let now = nodes[1].now();
    nodes[1].log_received(0, now, now, 5);
    nodes[1].log_received(9, now, now, 6);
    for node in nodes {
        node.finish().unwrap();
    }
    let info = run.close().unwrap();
    assert_eq!((info.lost.unmatched_receives, info.lost.unmatched_sends), (2, 0));
    let found = rows(&path);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|row| row[4] == NULL && row[5] == NULL));
}

#[test]
fn a_node_that_never_joined_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let run = RunFolder::create(&path, RunInfo::new("test")).unwrap();
    let mut sender = run.stamper(0, true, RecorderOptions::default()).unwrap();
    for to in [7, 3, 7] {
        sender.log_sent(to, sender.now(), sender.now(), 8);
    }
    sender.finish().unwrap();
    let lost = run.close().unwrap().lost;
    assert_eq!((lost.rows_of_unknown_nodes, lost.unknown_nodes), (3, vec![3, 7]));
    assert_eq!(lost.unmatched_sends, 3);
}

#[test]
fn stamps_that_lie_too_far_from_the_run_are_null_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let run = RunFolder::create(&path, RunInfo::new("test")).unwrap();
    let (sender, mut receiver) = (run.node(0).unwrap(), run.node(1).unwrap());
    let ready = sender.now();
    // Three centuries at the rate of any processor.
    let far = Ticks(1 << 63);
    for (sent, arrived) in [(ready, far), (far, ready), (ready, ready), (far, far)] {
        receiver.taken(&sender.header(1, ready, sent), arrived, 8);
    }
    sender.finish().unwrap();
    receiver.finish().unwrap();
    run.close().unwrap();
    let chunk = &Run::open(&path).unwrap().chunks()[0];
    let mut batch = Batch::new();
    chunk.read(&[Field::ReadyNs, Field::SentNs, Field::ArrivedNs], &mut batch).unwrap();
    assert_eq!(batch.far_stamps(), 4);
    let nulls = |field| batch.column(field).iter(4).filter(|ns| *ns == NULL).count();
    assert_eq!([Field::ReadyNs, Field::SentNs, Field::ArrivedNs].map(nulls), [0, 2, 2]);
    // Memory that is used again forgets them.
    chunk.read(&[Field::ReadyNs], &mut batch).unwrap();
    assert_eq!(batch.far_stamps(), 0);
}

#[test]
fn nodes_of_one_run_record_from_their_own_handles() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let run = RunFolder::create(&path, RunInfo::new("test")).unwrap();
    let mut receiver = run.node(0).unwrap();
    let joined = path.clone();
    let sender = std::thread::spawn(move || {
        let run = RunFolder::join(joined).unwrap();
        let sender = run.node(1).unwrap();
        let ready = sender.now();
        let header = sender.header(0, ready, sender.now());
        sender.finish().unwrap();
        header
    });
    let header = sender.join().unwrap();
    receiver.taken(&header, Clock::best().now(), 77);
    receiver.finish().unwrap();
    let info = run.close().unwrap();
    assert_eq!((info.rows(), info.domains.len()), (1, 1));
    assert_eq!(info.largest_error_ns(&info.launches[0]), 0.0);
    let chunks = Run::open(&path).unwrap().chunks();
    let mut batch = Batch::new();
    chunks[0].read(&[Field::Bytes, Field::Src], &mut batch).unwrap();
    assert_eq!(
        (batch.column(Field::Bytes), batch.column(Field::Src)),
        (Values::Constant(77), Values::Constant(1))
    );
}
