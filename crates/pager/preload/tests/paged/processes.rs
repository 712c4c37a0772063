//! Beginnings, ends, children and threads.

use crate::common::{Bench, alone, modes, packed};
use serde_json::json;

const BYTES: u64 = 8 << 20;

fn same(cases: &[&str]) {
    let (_alone, bench) = (alone(), Bench::new());
    let program = bench.build("process.c", &[]);
    for case in cases {
        bench.same_both_ways(&[&program, case], BYTES);
    }
}

#[test]
fn eight_threads_fault_at_once() {
    same(&["threads"]);
}

/// The engine's threads are of the process, too, and do not keep it.
#[test]
fn a_process_ends_with_the_last_thread_of_the_program() {
    same(&["main-ends"]);
    let (_alone, bench) = (alone(), Bench::new());
    let program = bench.build("process.c", &[]);
    for mode in modes() {
        let ran = bench.paged(&[&program, "exits-alone"], &mode);
        assert_eq!((ran.code, ran.most_paged() >= BYTES), (Some(4), true), "{}", ran.err);
    }
}

#[test]
fn a_child_that_keeps_to_itself_runs_on() {
    same(&["alone"]);
}

#[test]
fn forking_among_threads_that_fault_harms_nobody() {
    same(&["forks"]);
}

#[test]
fn small_blocks_that_are_paged_change_nothing_of_it() {
    let (_alone, bench) = (alone(), Bench::new());
    let program = bench.build("process.c", &[]);
    for case in ["threads", "programs"] {
        bench.same_in(&packed(4 << 20), &[&program, case], BYTES);
    }
    for mut mode in packed(4 << 20) {
        mode["fork_budget_bytes"] = json!(256 << 20);
        let ran = bench.paged(&[&program, "inherits"], &mode);
        assert_eq!(
            (ran.code, &ran.out),
            (Some(0), &bench.plain(&[&program, "inherits"]).out),
            "{}",
            ran.err
        );
    }
}

#[test]
fn other_programs_are_started_by_every_way_there_is() {
    same(&["programs"]);
}

#[test]
fn a_program_that_takes_the_place_of_another_is_paged_too() {
    same(&["again"]);
}

#[test]
fn a_child_that_touches_its_parents_paged_memory_says_so_and_ends() {
    let (_alone, bench) = (alone(), Bench::new());
    let program = bench.build("process.c", &[]);
    for mode in modes() {
        let ran = bench.paged(&[&program, "touches"], &mode);
        let expected = format!("child ended by -{}\n", libc::SIGSEGV);
        assert_eq!((ran.code, &ran.out), (Some(0), &expected), "{}", ran.err);
        let said: Vec<_> =
            ran.said().into_iter().filter(|line| line.contains("touched paged memory")).collect();
        assert_eq!(said.len(), 1, "{}", ran.err);
        assert!(said[0].contains("which only its parent has"));
    }
}

#[test]
fn a_child_has_its_parents_memory_within_the_budget() {
    let (_alone, bench) = (alone(), Bench::new());
    let program = bench.build("process.c", &[]);
    for mut mode in modes() {
        mode["fork_budget_bytes"] = json!(64 << 20);
        let ran = bench.paged(&[&program, "inherits"], &mode);
        let expected = "child ended by 0\n".repeat(3);
        assert_eq!((ran.code, &ran.out), (Some(0), &expected), "{}", ran.err);
        mode["fork_budget_bytes"] = json!(1 << 20);
        let ran = bench.paged(&[&program, "touches"], &mode);
        assert!(ran.err.contains("--fork-budget, 1048576 bytes"), "{}", ran.err);
        assert_eq!(ran.out, format!("child ended by -{}\n", libc::SIGSEGV), "{}", ran.err);
    }
}

#[test]
fn what_a_child_has_as_well_leaves_memory_again() {
    let (_alone, bench) = (alone(), Bench::new());
    let program = bench.build("process.c", &[]);
    for mut mode in modes() {
        mode["fork_budget_bytes"] = json!(128 << 20);
        let ran = bench.paged(&[&program, "leaves"], &mode);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "pages leave\n"), "{}", ran.err);
    }
}

/// While other threads fault, and with pages that left after the child began.
#[test]
fn children_of_several_threads_have_the_moment_of_their_fork() {
    let (_alone, bench) = (alone(), Bench::new());
    let program = bench.build("process.c", &[]);
    for mut mode in modes() {
        mode["fork_budget_bytes"] = json!(64 << 20);
        let ran = bench.paged(&[&program, "snapshots"], &mode);
        let right = "every child has its moment\n";
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), right), "{}", ran.err);
    }
}

#[test]
fn without_a_configuration_the_library_does_nothing() {
    let (_alone, bench) = (alone(), Bench::new());
    let program = bench.build("heap.c", &["-fno-builtin"]);
    let ran = bench.loaded(&[&program, "300"], "");
    assert_eq!(ran, bench.plain(&[&program, "300"]));
}

#[test]
fn a_program_without_large_allocations_starts_no_engine() {
    let (_alone, bench) = (alone(), Bench::new());
    let ran = bench.paged(&["echo", "small"], &json!({ "policy": "nonsense" }));
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "small\n", ""));
}

#[test]
fn a_program_whose_engine_cannot_start_ends_with_code_2_and_one_line() {
    let (_alone, bench) = (alone(), Bench::new());
    let program = bench.build("process.c", &[]);
    let ran = bench.paged(&[&program, "threads"], &json!({ "policy": "nonsense" }));
    assert_eq!(
        (ran.code, ran.out.as_str(), ran.err.lines().count()),
        (Some(2), "", 1),
        "{}",
        ran.err
    );
    assert!(ran.said()[0].contains("cannot start remote memory: "), "{}", ran.err);
}

#[test]
fn a_damaged_configuration_is_an_error_of_one_line() {
    let (_alone, bench) = (alone(), Bench::new());
    for text in ["{", "[]", "{\"local_bytes\": -1}"] {
        let ran = bench.loaded(&["echo", "unpaged"], text);
        assert_eq!(
            (ran.code, ran.out.as_str(), ran.err.lines().count()),
            (Some(2), "", 1),
            "{}",
            ran.err
        );
        assert!(ran.err.contains("FOURSTAMP_PAGER"), "{}", ran.err);
    }
}
