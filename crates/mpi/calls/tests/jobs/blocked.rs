//! The account of blocked calls against the truth of a simulated cluster: a nanosecond is blocked
//! once, within a call, and for what really held it.

use crate::cluster::engine::{Outcome, Truth};
use crate::cluster::folder::{Left, Row, WaitRow, close, rows, waits};
use crate::cluster::log::{RankClock, RankLog};
use crate::cluster::random::Random;
use crate::cluster::windows::{CALL_NS, Held, Library, Windows};
use crate::cluster::{Setting, simulate};
use calls::cause::Cause;
use calls::entry::{Call, WORLD, flags};
use calls::list::Operation;
use proptest::prelude::*;
use record::NULL;
use std::collections::{HashMap, HashSet};

struct Closed {
    outcome: Outcome,
    waits: Vec<WaitRow>,
    rows: Vec<Row>,
    clock_error: i64,
}

fn closed(setting: Setting) -> Closed {
    let outcome = simulate(setting);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let info = close(&path, &outcome.logs, |_| Left::Log, outcome.end);
    let errors = info.domains.iter().filter_map(|domain| domain.error_ns);
    let clock_error = errors.fold(0.0, f64::max).ceil() as i64;
    assert_eq!(info.parameters["mpi"]["blocking"]["too_late"], 0, "every wait found its call");
    Closed { waits: waits(&path, setting.ranks), rows: rows(&path), outcome, clock_error }
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

/// Each call has one stretch at most, which begins with it and ends within it. So no sum of them,
/// whether by rank, cause or altogether, exceeds the time in the calls.
fn check_once_and_within(waits: &[WaitRow]) {
    let mut seen = HashSet::new();
    for wait in waits {
        assert!(seen.insert((wait.rank, wait.call)), "a call has one account: {wait:?}");
        assert_eq!(wait.enter, wait.span.0, "{wait:?}");
        assert!(wait.enter < wait.until && wait.until <= wait.span.1, "{wait:?}");
        assert_ne!(wait.rank, wait.by, "nobody waits for itself: {wait:?}");
    }
}

/// What a call waited for is a message of the truth, between those ranks, whose other end was late.
fn check_true(closed: &Closed) {
    let truth: HashMap<(usize, i64), &Truth> =
        closed.outcome.truth.iter().map(|one| ((one.src, one.seq as i64), one)).collect();
    let near = |one: i64, other: i64| (one - other).abs() <= closed.clock_error + 2;
    for wait in &closed.waits {
        let (src, dst) = match wait.cause {
            Cause::LateSender => (wait.by, wait.rank),
            Cause::LateReceiver => (wait.rank, wait.by),
            _ => continue,
        };
        let message = truth[&(src, wait.seq)];
        assert_eq!(message.dst, dst, "{wait:?} {message:?}");
        let late = if src == wait.by { message.ready } else { message.posted.unwrap() };
        assert!(near(wait.until, late) || wait.until == wait.span.1, "{wait:?} {message:?}");
        assert!(
            wait.cause == Cause::LateSender || message.rendezvous || message.synchronous,
            "what goes at once waits for nobody: {wait:?} {message:?}"
        );
    }
}

/// A rank that stood in a call for a message that was not sent has an account of at least that.
fn check_complete(closed: &Closed) {
    let until: HashMap<(usize, i64), i64> =
        closed.waits.iter().map(|wait| ((wait.rank, wait.enter), wait.until)).collect();
    for row in &closed.rows {
        let stamps = [row.awaited, row.ready, row.taken];
        if stamps.contains(&NULL) || row.src == row.dst || row.ready.min(row.taken) <= row.awaited {
            continue;
        }
        let found = until.get(&(row.dst, row.awaited)).copied();
        assert!(found.is_some_and(|until| until >= row.ready.min(row.taken)), "{row:?} {found:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn a_nanosecond_is_blocked_once_and_within_its_call(setting in settings()) {
        let closed = closed(setting);
        check_once_and_within(&closed.waits);
        check_true(&closed);
        check_complete(&closed);
    }

    /// Whatever is missing, what is left is no more than there was.
    #[test]
    fn logs_that_were_cut_anywhere_block_no_more(setting in settings(), cuts: [u16; 6]) {
        let mut outcome = simulate(setting);
        for (log, cut) in outcome.logs.iter_mut().zip(cuts) {
            log.words.truncate(log.words.len() * usize::from(cut) / (1 << 16));
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        close(&path, &outcome.logs, |_| Left::Log, outcome.end);
        check_once_and_within(&waits(&path, setting.ranks));
    }
}

/// A test that finds nothing proves nothing.
#[test]
fn both_causes_of_messages_are_met() {
    let setting = Setting { seed: 3, ranks: 5, messages: 2000, hosts: 1, asleep_once_in: 0 };
    let waits = closed(setting).waits;
    for cause in [Cause::LateSender, Cause::LateReceiver] {
        assert!(waits.iter().filter(|wait| wait.cause == cause).count() > 10, "{cause:?}");
    }
}

/// A function, its root, and on whom a rank of so many depends.
type Kind = (Operation, i32, fn(usize, usize) -> bool);

const KINDS: [Kind; 8] = [
    (Operation::Barrier, -1, |_, _| true),
    (Operation::Allreduce, -1, |_, _| true),
    (Operation::Alltoallv, -1, |_, _| true),
    (Operation::Bcast, 0, |_, on| on == 0),
    (Operation::Scatterv, 0, |_, on| on == 0),
    (Operation::Reduce, 0, |rank, _| rank == 0),
    (Operation::Gather, 0, |rank, _| rank == 0),
    (Operation::Exscan, -1, |rank, on| on < rank),
];

/// Log collectives of ranks that come when they like and leave as soon as they may; what each was
/// blocked, for whom, by rank and row.
fn collectives(
    logs: &mut [RankLog],
    rounds: &[(usize, Vec<i64>)],
) -> HashMap<(usize, i64), (i64, usize)> {
    let mut now = vec![1_000_i64; logs.len()];
    let mut truth = HashMap::new();
    for (round, (kind, early)) in rounds.iter().enumerate() {
        let (operation, peer, depends) = KINDS[*kind];
        let enters: Vec<i64> = now.iter().zip(early).map(|(now, early)| now + early).collect();
        for rank in 0..logs.len() {
            let on = (0..logs.len()).filter(|on| *on != rank && depends(rank, *on));
            let last = on.map(|on| (enters[on], std::cmp::Reverse(on))).max();
            if let Some((until, by)) = last.filter(|(until, _)| *until > enters[rank]) {
                truth.insert((rank, round as i64), (until - enters[rank], by.0));
            }
            let ready = last.map_or(0, |(until, _)| until).max(enters[rank]);
            now[rank] = ready + 100;
            let call = Call {
                operation: operation as u16,
                flags: flags::MESSAGE,
                peer,
                communicator: WORLD,
                enter: enters[rank] as u64,
                exit: now[rank] as u64,
                ..Call::default()
            };
            logs[rank].call(call, &[]);
        }
    }
    truth
}

proptest! {
    #[test]
    fn collectives_block_for_what_they_depend_on(
        ranks in 2..6_usize,
        rounds in prop::collection::vec(
            (0..KINDS.len(), prop::collection::vec(0..1_000_000_i64, 6)), 1..60,
        ),
    ) {
        let clock = RankClock { host: 0, offset: 0, drift_ppm: 0.0 };
        let mut logs: Vec<RankLog> =
            (0..ranks).map(|rank| RankLog::new(rank, ranks, clock)).collect();
        let truth = collectives(&mut logs, &rounds);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let info = close(&path, &logs, |_| Left::Log, 100_000_000);
        let waits = waits(&path, ranks);
        check_once_and_within(&waits);
        let found: HashMap<(usize, i64), (i64, usize)> = waits
            .iter()
            .map(|wait| ((wait.rank, wait.call), (wait.until - wait.enter, wait.by)))
            .collect();
        prop_assert_eq!(found.keys().collect::<HashSet<_>>(), truth.keys().collect());
        for (call, (ns, by)) in truth {
            // The clock's model rounds.
            prop_assert!((found[&call].0 - ns).abs() <= 2, "{:?} {} {}", call, found[&call].0, ns);
            prop_assert_eq!(found[&call].1, by);
        }
        let compared = &info.parameters["mpi"]["blocking"]["collectives_compared"];
        prop_assert_eq!(compared.as_u64(), Some((ranks * rounds.len()) as u64));
    }
}

/// Log epochs of a window, and find the blocked calls of them.
fn windows(
    seed: u64,
    library: Library,
    ranks: usize,
    rounds: usize,
) -> (Vec<Held>, Vec<Held>, serde_json::Value) {
    let clock = RankClock { host: 0, offset: 0, drift_ppm: 0.0 };
    let mut logs: Vec<RankLog> = (0..ranks).map(|rank| RankLog::new(rank, ranks, clock)).collect();
    let mut random = Random::new(seed);
    let (now, held) = (vec![1_000; ranks], Vec::new());
    let mut windows = Windows { random: &mut random, library, logs: &mut logs, now, held };
    let end = windows.rounds(rounds);
    let mut truth = windows.held;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let info = close(&path, &logs, |_| Left::Log, end + 1_000);
    let waits = waits(&path, ranks);
    check_once_and_within(&waits);
    let told = |wait: &WaitRow| Held {
        rank: wait.rank,
        row: wait.call,
        cause: wait.cause,
        by: wait.by,
        ns: wait.until - wait.enter,
    };
    let mut found: Vec<Held> = waits.iter().map(told).collect();
    // In a call that does not wait the moment may lie by chance.
    for held in [&mut truth, &mut found] {
        held.retain(|one| one.ns > CALL_NS + 2);
        held.sort_by_key(|one| (one.rank, one.row));
    }
    (truth, found, info.parameters["mpi"]["blocking"].clone())
}

fn is_same(one: &Held, other: &Held) -> bool {
    // The clock's model rounds.
    let near = (one.ns - other.ns).abs() <= 2;
    near && Held { ns: 0, ..*one } == Held { ns: 0, ..*other }
}

proptest! {
    #[test]
    fn epochs_of_windows_block_for_what_they_wait_for(
        seed: u64, ranks in 1..6_usize, rounds in 1..80_usize,
        library in prop_oneof![Just(Library::First), Just(Library::Needed), Just(Library::Last)],
    ) {
        let (truth, found, blocking) = windows(seed, library, ranks, rounds);
        for one in &found {
            prop_assert!(truth.iter().any(|held| is_same(held, one)), "{:?} {:?}", one, truth);
        }
        for held in &truth {
            // Which of two was granted first need not be known where a lock is asked for last.
            let may_miss = library == Library::Last && held.cause == Cause::Lock;
            prop_assert!(may_miss || found.iter().any(|one| is_same(held, one)), "{:?}", held);
        }
        prop_assert_eq!(blocking["epochs_not_compared"].as_u64(), Some(0));
    }
}

#[test]
fn all_causes_of_windows_are_met() {
    let (_, found, blocking) = windows(1, Library::Needed, 5, 200);
    for cause in [Cause::LatePost, Cause::LateComplete, Cause::Lock] {
        assert!(found.iter().filter(|held| held.cause == cause).count() > 10, "{cause:?}");
    }
    assert!(blocking["epochs_compared"].as_u64() > Some(200), "{blocking}");
}

/// Tracers of earlier versions logged that such a call was made, and no more.
#[test]
fn one_sided_calls_of_an_older_log_block_nobody() {
    let clock = RankClock { host: 0, offset: 0, drift_ppm: 0.0 };
    let mut logs: Vec<RankLog> = (0..2).map(|rank| RankLog::new(rank, 2, clock)).collect();
    for (log, delay) in logs.iter_mut().zip([0, 5_000]) {
        for (at, operation) in
            (0..).zip([Operation::Win_lock, Operation::Put, Operation::Win_unlock])
        {
            let enter = 1_000 + delay + at * 10_000;
            let operation = operation as u16;
            log.call(Call { operation, enter, exit: enter + 9_000, ..Call::default() }, &[]);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let info = close(&path, &logs, |_| Left::Log, 1_000_000);
    assert!(waits(&path, 2).is_empty());
    let blocking = &info.parameters["mpi"]["blocking"];
    assert_eq!(
        (&blocking["epochs_compared"], &blocking["epochs_not_compared"]),
        (&0.into(), &0.into())
    );
}

/// A rank that ends within an epoch leaves what is known, and what is not is counted.
#[test]
fn epochs_without_their_other_side_are_counted() {
    let clock = RankClock { host: 0, offset: 0, drift_ppm: 0.0 };
    let mut logs: Vec<RankLog> = (0..3).map(|rank| RankLog::new(rank, 3, clock)).collect();
    let group = logs[0].window_group(&[1, 2]);
    let from = logs[1].window_group(&[0]);
    let mut put = |rank: usize, operation: Operation, group: u32, span: (u64, u64)| {
        let communicator = logs[rank].id(crate::cluster::program::Communicator::Duplicate);
        let call = Call {
            operation: operation as u16,
            flags: flags::MESSAGE,
            peer: calls::entry::NO_PEER,
            tag: group as i32,
            communicator,
            enter: span.0,
            exit: span.1,
            ..Call::default()
        };
        logs[rank].call(call, &[]);
    };
    // Rank 1 posts late, rank 2 never does, and rank 0 never leaves its complete.
    put(0, Operation::Win_start, group, (1_000, 61_000));
    put(0, Operation::Win_complete, 0, (70_000, 0));
    put(1, Operation::Win_post, from, (60_000, 60_500));
    put(1, Operation::Win_wait, 0, (65_000, 0));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let info = close(&path, &logs, |_| Left::Log, 1_000_000);
    let told: Vec<_> = waits(&path, 3)
        .iter()
        .map(|wait| (wait.rank, wait.cause, wait.by, (wait.until - wait.enter + 500) / 1_000))
        .collect();
    assert_eq!(told, [(0, Cause::LatePost, 1, 59)]);
    let blocking = &info.parameters["mpi"]["blocking"];
    assert_eq!(
        (&blocking["epochs_compared"], &blocking["epochs_not_compared"]),
        (&1.into(), &1.into())
    );
}
