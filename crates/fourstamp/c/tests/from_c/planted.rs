//! Delays of known length, message by message.

use crate::build::{Built, LINKS, Language};
use record::{Batch, Field, Kind, Run};

/// A recorded message; times in ns of the run.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub seq: i64,
    pub src: i64,
    pub dst: i64,
    pub kind: i64,
    pub bytes: i64,
    pub ready: i64,
    pub sent: i64,
    pub arrived: i64,
    pub taken: i64,
}

/// All messages of a run, in the order of their numbers.
pub fn rows(run: &Run) -> Vec<Row> {
    use Field::{ArrivedNs, Bytes, Dst, Kind, ReadyNs, SentNs, Seq, Src, TakenNs};
    let fields = [Seq, Src, Dst, Kind, Bytes, ReadyNs, SentNs, ArrivedNs, TakenNs];
    let mut batch = Batch::new();
    let mut rows = Vec::new();
    for chunk in run.chunks() {
        chunk.read(&fields, &mut batch).expect("a whole file");
        for at in 0..chunk.rows() {
            let [seq, src, dst, kind, bytes, ready, sent, arrived, taken] =
                fields.map(|field| batch.column(field).at(at));
            rows.push(Row { seq, src, dst, kind, bytes, ready, sent, arrived, taken });
        }
    }
    rows.sort_by_key(|row| row.seq);
    rows
}

/// Error of the run's rate against the system's clock, over so short a time: a part and a step.
fn slack_ns(stage_ns: i64) -> i64 {
    200 + stage_ns / 1000
}

#[test]
fn every_stage_of_every_message_is_as_long_as_it_was() {
    const MESSAGES: usize = 300;
    for link in LINKS {
        for halves in ["0", "1"] {
            let Some(built) = Built::of("tests/programs/planted.c", Language::C, link) else {
                return;
            };
            let path = built.folder().join("run");
            let said = built.run(&[path.to_str().unwrap(), &MESSAGES.to_string(), halves]);
            let run = Run::open(&path).unwrap();
            assert!(run.info.lost.is_nothing(), "{:?}", run.info.lost);
            let rows = rows(&run);
            assert_eq!((rows.len(), said.lines().count()), (MESSAGES, MESSAGES));
            for (at, (row, line)) in rows.iter().zip(said.lines()).enumerate() {
                compare(at, row, line, halves == "1");
            }
        }
    }
}

fn compare(at: usize, row: &Row, line: &str, halves: bool) {
    let truth: Vec<i64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
    let stages = [row.sent - row.ready, row.arrived - row.sent, row.taken - row.arrived];
    for (stage, bounds) in stages.into_iter().zip(truth.chunks(2)) {
        let slack = slack_ns(stage);
        let possible = bounds[0] - slack..=bounds[1] + slack;
        assert!(possible.contains(&stage), "message {at}: {stages:?} ns, but {line}");
    }
    let kind = if at % 2 == 1 && !halves { Kind::Reply } else { Kind::Data };
    assert_eq!((row.src, row.dst, row.bytes), (0, 1, at as i64), "{row:?}");
    assert_eq!(row.kind, kind as i64, "{row:?}");
}
