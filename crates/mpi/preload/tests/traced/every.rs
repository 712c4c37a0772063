//! Every function that the tracer knows, on every installed library and with every kind of argument
//! that it allows: the program computes what it computes untraced. A function that is added to the
//! list without a case fails here.

use crate::common::logs::Log;
use crate::common::{Mpi, alone, libraries};
use calls::list::{NAMES, number};
use std::collections::BTreeSet;
use std::path::Path;

/// Cases of the program, which are one run each.
const CASES: [&str; 16] = [
    "messages",
    "probing",
    "requests",
    "own_requests",
    "collective",
    "neighbouring",
    "communicators",
    "one_sided",
    "datatypes",
    "ports",
    "spawning",
    "names",
    "truncated",
    "in_parts",
    "sessions",
    "threads",
];

/// Functions that no case of this program calls, and why.
const ELSEWHERE: [(&str, &str); 3] = [
    ("Abort", "it ends the program: tests/traced/ends.rs"),
    ("Comm_join", "it needs a socket between the ranks"),
    ("Init", "every run calls it or Init_thread"),
];

/// Run a case untraced and traced; the functions that the traced ranks called. Nothing if the
/// library cannot do it untraced either.
fn case(mpi: Mpi, program: &Path, words: &[&str]) -> BTreeSet<usize> {
    let words = [&[program.to_str().unwrap()], words].concat();
    let plain = mpi.run(3, &words);
    if plain.code != Some(0) {
        println!("skipped: {} fails at {} untraced", mpi.0, words[1]);
        return BTreeSet::new();
    }
    let traced = mpi.trace(3, &words);
    let err = &traced.ran.err;
    let (plain, ran) = ((plain.code, &plain.out), (traced.ran.code, &traced.ran.out));
    assert_eq!(plain, ran, "{mpi:?} {words:?}: {err}");
    assert!(!err.contains("fourstamp"), "{mpi:?} {words:?}: {err}");
    let logs = (0..3).map(|rank| Log::of(&traced.run, rank));
    let called = logs.flat_map(|log| {
        assert!(log.pending.is_none(), "{mpi:?} {words:?}");
        let counted = log.facts.passed_through.keys();
        let counted = counted.filter_map(|name| number(name.trim_start_matches("MPI_")));
        let logged = log.calls.iter().map(|(call, _)| usize::from(call.operation));
        counted.chain(logged).collect::<Vec<_>>()
    });
    called.collect()
}

#[test]
fn every_function_does_what_it_does_untraced() {
    let _alone = alone();
    for mpi in libraries() {
        let folder = tempfile::tempdir().unwrap();
        let program = mpi.build("mpicc", "every.c", folder.path());
        let mut called = BTreeSet::new();
        for name in CASES {
            called.extend(case(mpi, &program, &[name]));
        }
        let path = folder.path().join("file");
        called.extend(case(mpi, &program, &["file", path.to_str().unwrap()]));
        let there = mpi.functions();
        let missing = NAMES.iter().enumerate().filter(|(number, name)| {
            let elsewhere = ELSEWHERE.iter().any(|(other, _)| other == *name);
            there.contains(**name) && !called.contains(number) && !elsewhere
        });
        let missing: Vec<&str> = missing.map(|(_, name)| *name).collect();
        assert_eq!(missing, mpi.unable(), "{mpi:?}: give them a case in programs/every.c");
        let lacks = NAMES.iter().filter(|name| !there.contains(**name)).count();
        println!("skipped: {} lacks {lacks} of {} functions", mpi.0, NAMES.len());
    }
}
