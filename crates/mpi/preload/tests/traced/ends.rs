//! Programs that do not come to their end, and runs that cannot be written.

use crate::common::logs::Log;
use crate::common::{Mpi, alone, libraries};
use calls::list::NAMES;
use std::path::{Path, PathBuf};

fn program(mpi: Mpi, folder: &Path) -> PathBuf {
    mpi.build("mpicc", "kinds.c", folder)
}

fn pending(log: &Log) -> (&'static str, i32, i32) {
    let call = log.pending.expect("the call that it ended in");
    (NAMES[usize::from(call.operation)], call.peer, call.tag)
}

#[test]
fn an_abort_leaves_the_log_of_every_rank() {
    let _alone = alone();
    for mpi in libraries() {
        let folder = tempfile::tempdir().unwrap();
        let program = program(mpi, folder.path());
        let words = [program.to_str().unwrap(), "abort", "3"];
        let plain = mpi.run(3, &words);
        let traced = mpi.trace(3, &words);
        assert_eq!(plain.code, traced.ran.code, "{mpi:?}");
        assert_eq!(pending(&Log::of(&traced.run, 1)).0, "Abort");
        assert_eq!(Log::of(&traced.run, 2).count("Init"), 1);
    }
}

#[test]
fn a_rank_that_is_killed_leaves_what_it_did() {
    let _alone = alone();
    for mpi in libraries() {
        let folder = tempfile::tempdir().unwrap();
        let program = program(mpi, folder.path());
        let traced = mpi.trace(2, &[program.to_str().unwrap(), "kill", "3"]);
        assert_ne!(traced.ran.code, Some(0));
        let log = Log::of(&traced.run, 1);
        assert_eq!((log.count("Init"), log.count("Barrier"), log.count("Finalize")), (1, 1, 0));
    }
}

#[test]
fn a_hang_that_is_killed_says_where_everybody_was() {
    let _alone = alone();
    for mpi in libraries() {
        let folder = tempfile::tempdir().unwrap();
        let program = program(mpi, folder.path());
        // The program is killed by a signal to itself after a while: what a batch system does at
        // the end of its patience.
        let script = "timeout -s KILL 4 \"$0\" hang 3";
        let traced = mpi.trace(2, &["sh", "-c", script, program.to_str().unwrap()]);
        assert_ne!(traced.ran.code, Some(0));
        let logs = [0, 1].map(|rank| Log::of(&traced.run, rank));
        assert_eq!(pending(&logs[0]), ("Recv", 1, 77), "{mpi:?}");
        assert_eq!(pending(&logs[1]), ("Recv", 0, 77));
        assert_eq!(
            (logs[0].count("Send"), logs[1].count("Recv")),
            (3, 6),
            "all before it is there"
        );
    }
}

#[test]
fn a_run_that_is_not_there_is_said_once_and_changes_nothing() {
    let _alone = alone();
    for mpi in libraries() {
        let folder = tempfile::tempdir().unwrap();
        let program = program(mpi, folder.path());
        let words = [program.to_str().unwrap(), "blocking", "3"];
        let plain = mpi.run(2, &words);
        let missing = folder.path().join("nowhere");
        let traced = mpi.trace_with(2, &words, &[("FOURSTAMP_MPI_RUN", missing.to_str().unwrap())]);
        assert_eq!((plain.code, plain.out), (traced.ran.code, traced.ran.out));
        let said: Vec<&str> =
            traced.ran.err.lines().filter(|line| line.contains("fourstamp")).collect();
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("is not a run"), "{}", said[0]);
    }
}

#[test]
fn planted_clocks_are_compared_at_the_beginning_and_at_the_end() {
    let _alone = alone();
    for mpi in libraries() {
        let folder = tempfile::tempdir().unwrap();
        let program = program(mpi, folder.path());
        let words = [program.to_str().unwrap(), "immediate", "10"];
        let plant = [("FOURSTAMP_PLANT", "1:5000000:20,2:-7000000:0")];
        let traced = mpi.trace_with(3, &words, &plant);
        assert_eq!(traced.ran.code, Some(0), "{}", traced.ran.err);
        let exchanges = [0, 1, 2].map(|rank| Log::of(&traced.run, rank).exchanges);
        assert_eq!(exchanges, [0, 400, 400], "rank 0 answers; the others ask twice");
        let plain = mpi.trace(3, &words);
        assert_eq!(Log::of(&plain.run, 1).exchanges, 0, "clocks that are one need no exchange");
    }
}
