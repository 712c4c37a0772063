//! Closing against the truth of a simulated cluster: every message matched right, every stated
//! error honest.

use crate::cluster::engine::{Outcome, Truth};
use crate::cluster::folder::{Left, Row, close, rows};
use crate::cluster::program::Communicator;
use crate::cluster::{Setting, simulate};
use proptest::prelude::*;
use record::{How, NULL};
use std::collections::HashMap;

fn truth_by_send(outcome: &Outcome) -> HashMap<(usize, i64), &Truth> {
    outcome.truth.iter().map(|truth| ((truth.src, truth.seq as i64), truth)).collect()
}

/// A matched row must be a true message, in every stamp.
fn check_row(row: &Row, truth: &Truth, clock_error: i64) {
    assert_eq!((row.file, row.dst), (truth.dst, truth.dst), "{row:?} {truth:?}");
    assert_eq!(
        (row.bytes, row.tag),
        (truth.bytes as i64, i64::from(truth.tag)),
        "{row:?} {truth:?}"
    );
    assert_eq!(Some(row.receive_call), truth.receive_row, "{row:?} {truth:?}");
    assert_eq!(row.send_call, truth.send_row, "{row:?} {truth:?}");
    let known = |value: i64| Some(value).filter(|value| *value != NULL);
    assert_eq!(known(row.wildcard).unwrap_or(0), truth.wildcard, "{row:?} {truth:?}");
    assert_eq!(known(row.probe_call), truth.probe_row, "{row:?} {truth:?}");
    assert_eq!(
        row.communicator == 1,
        truth.communicator == Communicator::World,
        "{row:?} {truth:?}"
    );
    let near = |stamp: i64, time: i64| (stamp - time).abs() <= clock_error + 2;
    assert!(near(row.ready, truth.ready), "{row:?} {truth:?}");
    assert!(near(row.posted, truth.posted.unwrap()), "{row:?} {truth:?}");
    let may_end = if truth.synchronous { truth.posted.unwrap() } else { truth.ready };
    assert!(row.released == NULL || row.released + clock_error + 2 >= may_end, "{row:?} {truth:?}");
    let taken = truth.taken.filter(|_| row.taken != NULL);
    assert!(row.taken == NULL || near(row.taken, taken.unwrap()), "{row:?} {truth:?}");
}

/// How often a stamp of each way was off by more than it says.
#[derive(Debug, Default)]
struct Honesty {
    counts: [(u64, u64); 3],
    errors: [i64; 3],
}

impl Honesty {
    /// `placed` is how well the receiver's clock lies on the timeline: the stated error covers the
    /// sender's only.
    fn see(&mut self, row: &Row, truth: &Truth, placed: i64) {
        let (Some(how), Some(arrived), Some(taken)) = (row.how, truth.arrived, truth.taken) else {
            return;
        };
        let off = ((row.taken - row.arrived) - (taken - arrived)).abs() > row.error + placed + 2;
        let count = &mut self.counts[how as usize];
        count.0 += 1;
        count.1 += u64::from(off);
        self.errors[how as usize] += row.error;
        if off && how == How::Bracketed {
            eprintln!("bracket missed: {row:?} {truth:?}");
        }
    }

    fn off(&self, how: How) -> f64 {
        let (all, off) = self.counts[how as usize];
        if all == 0 { 0.0 } else { off as f64 / all as f64 }
    }
}

fn clock_error(info: &record::RunInfo) -> i64 {
    info.domains.iter().filter_map(|domain| domain.error_ns).fold(0.0, f64::max).ceil() as i64
}

/// Simulate, close, and compare everything.
fn run(setting: Setting, tails: bool) -> Honesty {
    let outcome = simulate(setting);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let left =
        |rank: usize| if tails && rank.is_multiple_of(2) { Left::Tail(100) } else { Left::Log };
    let info = close(&path, &outcome.logs, left, outcome.end);
    let error = clock_error(&info);
    let truth = truth_by_send(&outcome);
    let rows = rows(&path);
    let mut honesty = Honesty::default();
    for row in &rows {
        let truth = truth[&(row.src, row.seq)];
        check_row(row, truth, error);
        honesty.see(row, truth, if row.dst % setting.hosts == 0 { 0 } else { error });
    }
    assert_eq!(rows.len(), outcome.truth.len(), "{:?}", info.parameters["mpi"]);
    assert!(rows.is_empty() || rows.iter().any(|row| row.released != NULL), "none was released");
    check_order(&rows, &truth, setting.ranks);
    check_summary(&info, &outcome);
    honesty
}

/// The rows of each file are in the order taken.
fn check_order(rows: &[Row], truth: &HashMap<(usize, i64), &Truth>, ranks: usize) {
    for file in 0..ranks {
        let of_file = rows.iter().filter(|row| row.file == file);
        let orders: Vec<usize> =
            of_file.filter_map(|row| truth[&(row.src, row.seq)].order).collect();
        assert!(orders.is_sorted(), "file {file}: {orders:?}");
    }
}

fn check_summary(info: &record::RunInfo, outcome: &Outcome) {
    let mpi = &info.parameters["mpi"];
    let messages = outcome.truth.len() as u64;
    for (name, expected) in [
        ("sends", messages),
        ("receives", messages),
        ("matched", messages),
        ("unmatched_sends", 0),
        ("unmatched_receives", 0),
        ("causality_violations", 0),
        ("sizes_differ", 0),
        ("cancelled", outcome.cancelled),
        ("outside", 0),
        ("open_receives", 0),
        ("uncertain", 0),
    ] {
        assert_eq!(mpi[name].as_u64(), Some(expected), "{name}: {mpi}");
    }
    assert_eq!(mpi["match_rate"].as_f64(), Some(1.0));
    assert_eq!(mpi["damaged"], serde_json::json!([]));
}

fn settings() -> impl Strategy<Value = Setting> {
    (any::<u64>(), 1usize..7, 0usize..300, 1usize..4, prop_oneof![Just(0), Just(20)]).prop_map(
        |(seed, ranks, messages, hosts, asleep_once_in)| Setting {
            seed,
            ranks,
            messages,
            hosts: hosts.min(ranks),
            asleep_once_in,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn every_message_is_matched_right_and_no_bracket_misses(setting in settings(), tails: bool) {
        let honesty = run(setting, tails);
        prop_assert_eq!(honesty.counts[How::Bracketed as usize].1, 0);
    }

    #[test]
    fn a_cluster_whose_logs_were_cut_anywhere_gives_true_messages_only(
        setting in settings(), cuts: [u16; 6],
    ) {
        let mut outcome = simulate(setting);
        for (log, cut) in outcome.logs.iter_mut().zip(cuts) {
            // Half of the logs stay whole.
            if cut % 2 == 0 {
                log.words.truncate(log.words.len() * usize::from(cut) / (1 << 16));
            }
        }
        let (info, rows) = closed(&outcome);
        let truth = truth_by_send(&outcome);
        let (sends, matched, wrong) = check_partial(&rows, &truth, clock_error(&info));
        let mpi = &info.parameters["mpi"];
        // A receive for any source that was cut off before its end leaves those after it uncertain,
        // and says so.
        prop_assert!(wrong <= mpi["uncertain"].as_u64().unwrap(), "{} {}", wrong, mpi);
        prop_assert_eq!(mpi["matched"].as_u64(), Some(matched));
        prop_assert_eq!(mpi["unmatched_sends"].as_u64(), Some(sends - matched));
    }
}

/// Such a message is not always among those that the usual was learnt from.
#[test]
fn a_message_quicker_than_any_learnt_from_is_within_its_bracket() {
    let setting = Setting {
        seed: 15358192635719074020,
        ranks: 2,
        messages: 265,
        hosts: 1,
        asleep_once_in: 20,
    };
    assert_eq!(run(setting, false).counts[How::Bracketed as usize].1, 0);
}

/// A run without tails.
fn closed(outcome: &Outcome) -> (record::RunInfo, Vec<Row>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let info = close(&path, &outcome.logs, |_| Left::Log, outcome.end);
    let rows = rows(&path);
    (info, rows)
}

/// Rows of both sides are true messages, and rows of one side say what that side knows. Returns the
/// sends, the matched, and the matched that are not true.
fn check_partial(
    rows: &[Row],
    truth: &HashMap<(usize, i64), &Truth>,
    clock_error: i64,
) -> (u64, u64, u64) {
    let (mut sends, mut matched, mut wrong) = (0, 0, 0);
    for row in rows {
        match (row.send_call != NULL, row.receive_call != NULL) {
            (true, true) if truth[&(row.src, row.seq)].receive_row != Some(row.receive_call) => {
                wrong += 1
            }
            (true, true) => check_row(row, truth[&(row.src, row.seq)], clock_error),
            (true, false) => {
                let truth = truth[&(row.src, row.seq)];
                assert_eq!((row.dst, row.send_call, row.taken), (truth.dst, truth.send_row, NULL));
            }
            (false, true) => {
                let of = |truth: &&&Truth| {
                    truth.dst == row.dst && truth.receive_row == Some(row.receive_call)
                };
                assert!(
                    truth.values().find(of).is_some_and(|truth| truth.src == row.src),
                    "{row:?}"
                );
                assert_eq!((row.ready, row.arrived), (NULL, NULL));
            }
            (false, false) => panic!("a row of nobody: {row:?}"),
        }
        sends += u64::from(row.send_call != NULL);
        matched += u64::from(row.send_call != NULL && row.receive_call != NULL);
    }
    (sends, matched, wrong)
}

/// Not observed stamps that are always right, but stamps whose error holds nearly always, in runs
/// long enough to learn from.
#[test]
fn observed_stamps_keep_their_word_and_are_narrow() {
    let mut all = Honesty::default();
    for seed in 0..12 {
        let asleep_once_in = if seed % 2 == 0 { 0 } else { 50 };
        let honesty = run(
            Setting {
                seed,
                ranks: 4,
                messages: 3000,
                hosts: 1 + seed as usize % 2,
                asleep_once_in,
            },
            false,
        );
        for (sum, one) in all.counts.iter_mut().zip(honesty.counts) {
            *sum = (sum.0 + one.0, sum.1 + one.1);
        }
        all.errors.iter_mut().zip(honesty.errors).for_each(|(sum, one)| *sum += one);
    }
    eprintln!("{all:?}");
    assert!(all.off(How::Observed) < 0.03, "{all:?}");
    assert!(all.off(How::Bracketed) < 0.001, "{all:?}");
    assert!(all.off(How::Modelled) < 0.10, "{all:?}");
    assert!(all.counts.iter().all(|(count, _)| *count > 500), "{all:?}");
}

/// The rank's whole log is gone, its sheet is there.
#[test]
fn messages_of_a_rank_that_left_nothing_are_counted_and_the_others_are_whole() {
    let mut outcome =
        simulate(Setting { seed: 5, ranks: 4, messages: 400, hosts: 1, asleep_once_in: 0 });
    outcome.logs.remove(2);
    let (info, rows) = closed(&outcome);
    let truth = truth_by_send(&outcome);
    assert_eq!(check_partial(&rows, &truth, 0).2, 0);
    let between_others =
        outcome.truth.iter().filter(|truth| truth.src != 2 && truth.dst != 2).count() as u64;
    let to_it =
        outcome.truth.iter().filter(|truth| truth.src != 2 && truth.dst == 2).count() as u64;
    let from_it =
        outcome.truth.iter().filter(|truth| truth.src == 2 && truth.dst != 2).count() as u64;
    let mpi = &info.parameters["mpi"];
    assert_eq!(mpi["missing_ranks"], serde_json::json!([2]));
    assert_eq!(mpi["matched"].as_u64(), Some(between_others));
    assert_eq!((info.lost.unmatched_sends, info.lost.unmatched_receives), (to_it, from_it));
}

/// Numbers of functions are only appended, so what this version knows it reads right.
#[test]
fn a_log_of_a_later_version_is_read_and_says_what_is_missing() {
    let mut outcome =
        simulate(Setting { seed: 5, ranks: 2, messages: 50, hosts: 1, asleep_once_in: 0 });
    outcome.logs[1].facts(calls::list::COUNT + 3);
    let (info, rows) = closed(&outcome);
    assert_eq!(rows.len(), outcome.truth.len());
    let damaged = &info.parameters["mpi"]["damaged"];
    assert_eq!((damaged[0]["rank"].as_u64(), damaged[1].as_object()), (Some(1), None));
    let fault = damaged[0]["faults"][0].as_str().expect("a fault");
    assert!(fault.contains("3 more MPI functions"), "{fault}");
}

/// A test that cannot fail proves nothing: two sends swapped in a log are found out.
#[test]
fn the_comparison_notices_a_wrong_log() {
    let mut outcome =
        simulate(Setting { seed: 9, ranks: 3, messages: 200, hosts: 1, asleep_once_in: 0 });
    let [first, second] = [10, 11].map(|at| outcome.truth[at].clone());
    (outcome.truth[10].receive_row, outcome.truth[11].receive_row) =
        (second.receive_row.map(|row| row + 1), first.receive_row);
    let (info, rows) = closed(&outcome);
    let truth = truth_by_send(&outcome);
    let check = || {
        rows.iter().for_each(|row| check_row(row, truth[&(row.src, row.seq)], clock_error(&info)))
    };
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)).is_err());
}
