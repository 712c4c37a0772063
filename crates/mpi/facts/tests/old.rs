//! Runs of older versions stay readable.

#![allow(clippy::unwrap_used)]

use mpi_facts::{InProgress, MpiFacts, RankFacts, ThreadLevel};
use serde_json::Value;

/// `parameters.mpi` of a run that was killed, as version 0.1.0 wrote it.
const RUN: &str = r#"{"calls": 3610813, "cancelled": 0, "causality_violations": 0, "damaged": [
    {"rank": 1, "places": 2, "words": 7, "missing_words": 3, "dangling": 4, "faults": ["x"]}],
  "in_progress": [
    {"call": "MPI_Wait", "peer": 1, "rank": 0, "since_ns": 1412419639, "tag": 7},
    {"call": "MPI_Wait", "peer": 0, "rank": 1, "since_ns": 1396358653, "tag": 7}],
  "library": "Open MPI 4.1.4", "match_rate": 0.9999991648341736, "matched": 1197366,
  "missing_ranks": [], "open_receives": 0, "outside": 0, "passed_through": {}, "ranks": 2,
  "receives": 1197366, "sends": 1197367, "sizes_differ": 0, "thread_level": 0, "uncertain": 0,
  "unmatched_receives": 0, "unmatched_sends": 1}"#;

/// What its tracer wrote into a rank's log.
const RANK: &str = r#"{"argv0": "./app", "library": "Open MPI 4.1.4", "passed_through":
  {"MPI_Put": 3}, "program": "/home/me/app", "size": 2, "thread_level": 3,
  "version": "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"}"#;

#[test]
fn an_old_run_is_read_and_written_as_it_was() {
    let facts: MpiFacts = serde_json::from_str(RUN).unwrap();
    assert_eq!((facts.ranks, facts.calls, facts.matching.sends), (2, 3_610_813, 1_197_367));
    assert_eq!(facts.thread_level, Some(ThreadLevel::SINGLE));
    assert_eq!(facts.thread_asked, None, "it did not say what was asked for");
    let wait = InProgress {
        rank: 1,
        call: "MPI_Wait".into(),
        peer: Some(0),
        tag: Some(7),
        since_ns: Some(1_396_358_653),
    };
    assert_eq!(facts.in_progress[1], wait);
    assert_eq!((facts.damaged[0].dangling, &facts.damaged[0].faults[..]), (4, &["x".into()][..]));
    let mut again = serde_json::to_value(&facts).unwrap();
    assert_eq!(again.as_object_mut().unwrap().remove("thread_asked"), Some(Value::Null));
    assert_eq!(again, serde_json::from_str::<Value>(RUN).unwrap(), "one flat object, as before");
}

#[test]
fn an_old_log_says_what_it_said() {
    let facts: RankFacts = serde_json::from_str(RANK).unwrap();
    assert_eq!(facts.library.as_deref(), Some("Open MPI 4.1.4"));
    assert_eq!((facts.size, facts.thread_level), (2, Some(ThreadLevel::MULTIPLE)));
    assert_eq!(facts.passed_through["MPI_Put"], 3);
    assert_eq!(facts.functions, 0);
}
