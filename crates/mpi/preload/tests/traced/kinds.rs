//! Every kind of call on every installed library: the program does what it does untraced, and the
//! log says what it did.

use crate::common::logs::Log;
use crate::common::{alone, libraries};
use calls::entry::{ANY_PEER, Call, Completion, POLLS_APART_NS, completion_flags, flags};

/// Run a case untraced and traced on every library, compare, and look at the logs.
fn case(ranks: u32, words: &[&str], look: impl Fn(&[Log])) {
    let _alone = alone();
    for mpi in libraries() {
        let folder = tempfile::tempdir().unwrap();
        let program = mpi.build("mpicc", "kinds.c", folder.path());
        let words: Vec<&str> = [&[program.to_str().unwrap()], words].concat();
        let plain = mpi.run(ranks, &words);
        let traced = mpi.trace(ranks, &words);
        assert_eq!(
            (plain.code, &plain.out),
            (traced.ran.code, &traced.ran.out),
            "{mpi:?} {}",
            traced.ran.err
        );
        assert!(!traced.ran.err.contains("fourstamp"), "{}", traced.ran.err);
        let logs: Vec<Log> = (0..ranks).map(|rank| Log::of(&traced.run, rank)).collect();
        for log in &logs {
            assert!(log.pending.is_none());
            check_requests(log);
        }
        look(&logs);
    }
}

/// Every request is begun once and completed once, if at all, after it was begun.
fn check_requests(log: &Log) {
    let mut begun = log.requests_begun();
    begun.sort_unstable();
    let many = begun.len();
    begun.dedup();
    assert_eq!(begun.len(), many, "a request number is used once");
    let mut done: Vec<u32> = log.completions().map(|done| done.request).collect();
    let many = done.len();
    done.sort_unstable();
    done.dedup();
    assert_eq!(done.len(), many, "a request is completed once");
    for (call, _) in &log.calls {
        assert!(call.enter != 0 && call.exit >= call.enter);
    }
}

fn received(log: &Log) -> Vec<&Completion> {
    log.completions().filter(|done| done.flags == completion_flags::RECEIVED).collect()
}

#[test]
fn blocking() {
    case(2, &["blocking", "3000"], |logs| {
        assert_eq!(
            (logs[0].count("Send"), logs[0].count("Ssend"), logs[1].count("Recv")),
            (3000, 3000, 6000)
        );
        assert_eq!((logs[0].with(flags::SENDS), logs[1].with(flags::RECEIVES)), (6000, 6000));
        assert_eq!(logs[0].with(flags::SYNCHRONOUS), 3000);
        let (first, _) = logs[1].named("Recv").next().unwrap();
        assert_eq!(
            (first.peer, first.tag, first.bytes, first.communicator),
            (0, 5, 4, calls::entry::WORLD)
        );
        assert_eq!((logs[0].count("Init"), logs[0].count("Finalize")), (1, 1));
    });
}

#[test]
fn immediate() {
    case(3, &["immediate", "5000"], |logs| {
        for (rank, log) in logs.iter().enumerate() {
            assert_eq!((log.with(flags::SENDS), log.with(flags::RECEIVES)), (5000, 5000));
            assert_eq!(log.completions().count(), 10_000);
            let left = (rank as i32 + 2) % 3;
            let tags: Vec<i32> = received(log).iter().map(|done| done.tag).collect();
            assert_eq!(tags, (0..5000).collect::<Vec<_>>());
            assert!(received(log).iter().all(|done| done.source == left && done.bytes == 4));
        }
    });
}

#[test]
fn wildcards_take_source_and_tag_from_the_message() {
    case(3, &["wildcard", "20"], |logs| {
        let log = &logs[0];
        assert_eq!(log.with(flags::ANY_SOURCE), 40);
        assert!(log.named("Irecv").all(|(call, _)| call.peer == ANY_PEER && call.request != 0));
        assert!(log.named("Recv").all(|(call, _)| call.tag == 100 + call.peer && call.peer > 0));
        assert!(received(log).iter().all(|done| done.tag == 100 + done.source));
    });
}

#[test]
fn persistent_requests_count_from_each_start() {
    case(2, &["persistent", "30"], |logs| {
        for log in logs {
            assert_eq!((log.count("Start"), log.count("Startall")), (30, 15));
            assert_eq!((log.with(flags::SENDS), log.with(flags::RECEIVES)), (30, 30));
            assert_eq!((received(log).len(), log.completions().count()), (30, 60));
        }
    });
}

#[test]
fn what_was_cancelled_is_known() {
    case(2, &["cancel"], |logs| {
        for log in logs {
            let flags: Vec<u32> = log.completions().map(|done| done.flags).collect();
            assert_eq!(flags, [completion_flags::CANCELLED]);
        }
    });
}

#[test]
fn probes_and_matched_probes() {
    case(2, &["probes", "20"], |logs| {
        let log = &logs[1];
        assert_eq!((log.count("Mprobe"), log.count("Mrecv"), log.count("Imrecv")), (20, 20, 20));
        assert_eq!((log.with(flags::RECEIVES), log.with(flags::MATCHED)), (80, 40));
        let begun: Vec<u32> = log
            .named("Mprobe")
            .chain(log.named("Improbe").filter(|(call, _)| call.flags & flags::POLLS == 0))
            .map(|(call, _)| call.request)
            .collect();
        let mut done: Vec<u32> = received(log).iter().map(|done| done.request).collect();
        let mut begun_sorted = begun.clone();
        begun_sorted.sort_unstable();
        done.sort_unstable();
        assert_eq!(done, begun_sorted);
    });
}

#[test]
fn sends_and_receives_in_one_call_are_two_messages() {
    case(3, &["exchange", "10"], |logs| {
        for log in logs {
            assert_eq!((log.count("Sendrecv"), log.count("Sendrecv_replace")), (10, 10));
            assert_eq!((log.with(flags::SENDS), log.with(flags::RECEIVES)), (20, 20));
            assert_eq!(log.with(flags::CONTINUED), 20);
        }
    });
}

/// Polls that follow one another without anything or a pause in between are one entry. How many
/// pauses there are is the machine's affair.
#[test]
fn failed_tests_are_put_together() {
    case(2, &["polls", "20"], |logs| {
        let log = &logs[1];
        let polls = |call: &Call| call.flags & flags::POLLS != 0;
        for pair in log.calls.windows(2).filter(|pair| pair.iter().all(|(call, _)| polls(call))) {
            assert!(log.ns(pair[1].0.enter - pair[0].0.exit) > POLLS_APART_NS, "{pair:?}");
        }
        assert!(
            log.calls.iter().any(|(call, _)| polls(call) && call.request > 1),
            "a program that polls asks more than once"
        );
        assert_eq!(received(log).len(), 20);
    });
}

#[test]
fn collectives_say_what_each_rank_gives() {
    case(3, &["collectives"], |logs| {
        let bytes = |rank: usize, name: &str| logs[rank].named(name).next().unwrap().0.bytes;
        assert_eq!([0, 1, 2].map(|rank| bytes(rank, "Bcast")), [4, 0, 0]);
        assert_eq!([0, 1, 2].map(|rank| bytes(rank, "Scatter")), [12, 0, 0]);
        assert_eq!([0, 1, 2].map(|rank| bytes(rank, "Allreduce")), [4, 4, 4]);
        for (name, given) in [
            ("Allgatherv", [4, 8, 12]),
            ("Gatherv", [4, 8, 12]),
            ("Alltoallv", [12; 3]),
            ("Alltoallw", [12; 3]),
        ] {
            assert_eq!([0, 1, 2].map(|rank| bytes(rank, name)), given, "{name} in place");
        }
        let between = |rank: usize, name: &str| logs[rank].named(name).last().unwrap().0.bytes;
        for (name, given) in [
            ("Bcast", [4, 0, 0]),
            ("Gather", [0, 4, 4]),
            ("Reduce", [0, 4, 4]),
            ("Scatterv", [8, 0, 0]),
        ] {
            assert_eq!([0, 1, 2].map(|rank| between(rank, name)), given, "{name} between groups");
        }
        assert_eq!(logs[0].completions().count(), 1, "of the barrier that went on");
    });
}

#[test]
fn communicators_are_numbered_as_they_are_made() {
    case(4, &["communicators"], |logs| {
        for log in logs {
            // World, itself, and in each of three rounds a twin, a half, a later one and one
            // between the halves.
            assert_eq!(log.communicators, 14);
            let used: Vec<u32> = log
                .named("Sendrecv_replace")
                .map(|(call, _)| call.communicator)
                .step_by(2)
                .collect();
            assert_eq!(used, [4, 5, 6, 8, 9, 10, 12, 13, 14]);
        }
    });
}

#[test]
fn one_sided_communication_names_its_window_and_target() {
    case(2, &["onesided"], |logs| {
        for (rank, log) in (0..).zip(logs) {
            assert!(!log.facts.passed_through.contains_key("MPI_Put"), "it is looked into");
            let put: Vec<_> = log
                .named("Put")
                .map(|(call, _)| (call.communicator, call.peer, call.bytes))
                .collect();
            assert_eq!(put, [(3, 1 - rank, 4)]);
            assert_eq!((log.count("Win_create"), log.count("Win_fence")), (1, 2));
            let over: Vec<u32> =
                log.named("Win_fence").map(|(call, _)| call.communicator).collect();
            assert_eq!(over, [3, 3], "a window is told apart from the world and itself");
        }
    });
}

#[test]
fn threads_that_call_at_the_same_time() {
    case(2, &["threads"], |logs| {
        for log in logs {
            assert_eq!((log.with(flags::SENDS), log.with(flags::RECEIVES)), (600, 600));
            let threads: std::collections::BTreeSet<u8> =
                log.named("Sendrecv").map(|(call, _)| call.thread).collect();
            assert_eq!(threads.len(), 3);
        }
    });
}

#[test]
fn a_child_of_a_rank_does_not_write() {
    case(2, &["forks", "50"], |logs| {
        assert_eq!((logs[0].with(flags::SENDS), logs[1].with(flags::RECEIVES)), (100, 100));
    });
}

#[test]
fn the_exit_code_is_the_programs() {
    case(2, &["code"], |logs| assert_eq!(logs[0].count("Finalize"), 1));
}

/// The request is an argument by value: read as a place, it was memory of nobody.
#[test]
fn a_request_that_is_looked_at_stays_a_request() {
    case(2, &["inspected", "50"], |logs| {
        assert!(logs[1].count("Request_get_status") >= 100);
        assert_eq!((logs[1].count("Wait"), received(&logs[1]).len()), (50, 50));
        assert!(received(&logs[1]).iter().all(|done| (done.source, done.tag) == (0, 9)));
    });
}
