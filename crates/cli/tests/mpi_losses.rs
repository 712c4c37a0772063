//! Programs whose messages are easily lost from a record, with the number of messages that they
//! say: all of them are there, or the report says which are not and concludes nothing from them.

#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect fails")]

mod common;

use common::{folder, fourstamp, mpi_program, succeed, text};
use serde_json::Value;
use std::path::Path;

/// A traced run.
struct Traced {
    /// `parameters.mpi` of its `run.json`.
    facts: Value,
    /// Messages that the program says it sent.
    messages: i64,
    /// What the terminal says.
    report: String,
}

fn mpirun(mpi: &str, ranks: u32) -> String {
    let more = if mpi == "openmpi" { "--oversubscribe " } else { "" };
    format!("mpirun.{mpi} {more}-n {ranks}")
}

fn trace(home: &Path, command: &str) -> Traced {
    let _ = std::fs::remove_dir_all(home.join("run"));
    let mut traced = fourstamp(home, &format!("mpi trace --no-report --out run -- {command}"));
    crate::common::for_open_mpi(&mut traced);
    let output = traced.output().expect("the command starts");
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command}: {err}");
    let said = out.lines().find_map(|line| line.strip_prefix("messages "));
    let run: Value =
        serde_json::from_slice(&std::fs::read(home.join("run/run.json")).expect("closed"))
            .expect("run.json is JSON");
    assert_eq!(run["state"], "closed", "{command}: {err}");
    Traced {
        facts: run["parameters"]["mpi"].clone(),
        messages: said.expect("rank 0 says it").parse().expect("a number"),
        report: succeed(home, "report --terminal run").replace('\u{a0}', " "),
    }
}

/// A case on the libraries that can do it: `newer` is MPI 4.
fn case(name: &str, ranks: u32, newer: bool, look: impl Fn(&Path, &Traced)) {
    for mpi in ["openmpi", "mpich"] {
        let home = folder();
        let Some(program) = mpi_program(mpi, "losses", home.path()) else { continue };
        if newer && mpi == "openmpi" {
            println!("skipped: Open MPI 4 has no functions of MPI 4");
            continue;
        }
        let command = format!("{} {} {name}", mpirun(mpi, ranks), program.display());
        look(home.path(), &trace(home.path(), &command));
    }
}

/// All messages are there and matched.
fn whole(traced: &Traced) {
    let Traced { facts, messages, .. } = traced;
    assert_eq!(facts["matched"], *messages, "{facts}");
    assert_eq!((&facts["sends"], &facts["receives"]), (&facts["matched"], &facts["matched"]));
    assert!(facts.get("doubtful_pairs").is_none(), "{facts}");
}

/// A figure of the report's series.
fn figure(home: &Path, series: &str, name: &str) -> f64 {
    let csv = succeed(home, &format!("report --csv={series} run"));
    let row = csv.lines().find(|line| line.split(',').nth(2) == Some(name));
    let row = row.unwrap_or_else(|| panic!("no {name} in {csv}"));
    row.split(',').nth(6).unwrap().parse().unwrap()
}

#[test]
fn every_program_of_old_functions_is_whole() {
    for name in ["plain", "cancel"] {
        case(name, 3, false, |_, traced| whole(traced));
    }
}

#[test]
fn a_message_that_did_not_fit_was_received() {
    case("truncated", 3, false, |_, traced| {
        whole(traced);
        assert_eq!(traced.facts["truncated"], traced.messages / 2, "{}", traced.facts);
        assert!(traced.report.contains("larger than the buffer"), "{}", traced.report);
    });
}

/// The ranks of the second world are numbered behind those of the first.
#[test]
fn spawned_processes_are_ranks_of_the_run() {
    let home = folder();
    let Some(program) = mpi_program("openmpi", "losses", home.path()) else { return };
    println!("skipped: MPICH as Debian builds it cannot spawn");
    let traced =
        trace(home.path(), &format!("{} {} spawned", mpirun("openmpi", 3), program.display()));
    let facts = &traced.facts;
    assert_eq!((&facts["ranks"], &facts["missing_ranks"]), (&5.into(), &serde_json::json!([])));
    whole(&traced);
    assert_eq!(facts["outside"], 0, "{facts}");
}

#[test]
fn newer_functions_are_whole() {
    for name in ["large", "both", "parts", "session"] {
        case(name, 3, true, |_, traced| whole(traced));
    }
}

/// MPICH does not say what a send and a receive in one request received.
#[test]
fn a_receive_that_ended_without_word_is_not_called_open() {
    case("from_any", 3, true, |_, traced| {
        let Traced { facts, messages, report } = traced;
        if facts["matched"] == *messages {
            return whole(traced);
        }
        assert_eq!(facts["untold_receives"], *messages, "{facts}");
        assert_eq!(facts["open_receives"], 0, "{facts}");
        let words = report.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("ended without word of what was received"), "{report}");
        assert!(!words.contains("still open"), "{report}");
    });
}

/// Which functions there are does not depend on what starts the job.
#[test]
fn large_counts_are_traced_behind_scripts_and_timeouts() {
    let home = folder();
    let Some(program) = mpi_program("mpich", "losses", home.path()) else { return };
    let job = format!("{} {} large", mpirun("mpich", 2), program.display());
    std::fs::write(home.path().join("job.sh"), format!("{job}\n")).unwrap();
    for command in [format!("timeout 60 {job}"), format!("env A=b {job}"), "sh job.sh".to_owned()] {
        whole(&trace(home.path(), &command));
    }
}

#[test]
fn a_collective_that_was_prepared_is_waited_for_as_one() {
    case("prepared", 3, true, |home, traced| {
        // Two ranks wait five times 20 ms for the root.
        let ns = figure(home, "mpi-calls", "MPI_Bcast_init ranks waited");
        assert!((150e6..300e6).contains(&ns), "{ns} {}", traced.report);
    });
}

#[test]
fn a_message_in_parts_is_late_until_its_last_part_is_ready() {
    case("late-parts", 2, true, |home, traced| {
        whole(traced);
        let ns = figure(home, "mpi-waits", "late-sender total");
        assert!((90e6..150e6).contains(&ns), "{ns} {}", traced.report);
    });
}

/// Threads that send and receive at once on one communicator: that is said, and what has one for
/// each thread is whole. It takes a thread that loses its core within a call, so it is tried again.
#[test]
fn what_threads_post_at_once_is_told_and_leaves_the_rest_whole() {
    for mpi in ["openmpi", "mpich"] {
        let home = folder();
        let Some(program) = mpi_program(mpi, "threads", home.path()) else { continue };
        let said = (0..20).any(|_| {
            let command = format!("{} {} 8 500 together", mpirun(mpi, 2), program.display());
            let Traced { facts, report, .. } = trace(home.path(), &command);
            let doubtful = facts["doubtful_messages"].as_u64().unwrap_or(0);
            assert!(doubtful <= 8000, "those of one communicator: {facts}");
            assert_eq!(facts["matched"].as_u64(), Some(16_000 - doubtful), "{facts}");
            let calls = ["sends", "receives"].map(|kind| facts["by_threads"][kind].as_u64());
            let calls: u64 = calls.into_iter().flatten().sum();
            assert!(calls <= 16_000, "sends and receives of one communicator: {facts}");
            let words: Vec<_> = report.split_whitespace().collect();
            let is_told =
                words.join(" ").contains("while another thread of the same rank was in a");
            assert_eq!(is_told, calls > 0, "{report}");
            is_told
        });
        assert!(said, "{mpi}");
    }
}

/// A library gives a handle that one thread is done with to another, while the first is still on
/// its way out of the call.
#[test]
fn what_threads_hand_on_to_each_other_is_not_mixed_up() {
    for mpi in ["openmpi", "mpich"] {
        let home = folder();
        let Some(program) = mpi_program(mpi, "threads", home.path()) else { continue };
        for (how, messages) in [("4 2000 windows", 128_000), ("4 500 handles", 2_000)] {
            let command = format!("{} {} {how}", mpirun(mpi, 2), program.display());
            let Traced { facts, .. } = trace(home.path(), &command);
            assert_eq!(facts["matched"], messages, "{mpi}, {how}: {facts}");
            for key in ["unmatched_sends", "unmatched_receives", "causality_violations"] {
                assert_eq!(facts[key], 0, "{mpi}, {how}: {facts}");
            }
        }
    }
}

/// A receive that nobody sees shifts all that follow with its tag: they are left out, and others of
/// the two ranks are as they were.
#[test]
fn a_shifted_pair_allows_no_conclusion() {
    let wrong =
        [("sizes", "sizes_differ", 80), ("times", "too_early", 80), ("over", "left_over", 1)];
    for (name, wrong, least) in wrong {
        case(name, 2, false, |_, traced| {
            let (facts, report) = (&traced.facts, &traced.report);
            let pairs = facts["doubtful_pairs"].as_array().expect("one is doubtful");
            assert_eq!(pairs.len(), 1, "{facts}");
            assert_eq!((&pairs[0]["src"], &pairs[0]["dst"]), (&0.into(), &1.into()));
            assert!(pairs[0][wrong].as_u64() >= Some(least), "{facts}");
            assert_eq!((&pairs[0]["channels"], &pairs[0]["tag"]), (&1.into(), &5.into()));
            assert_eq!(facts["matched"], 200, "another tag and the way back: {facts}");
            let words: Vec<_> = report.split_whitespace().collect();
            let said = words.join(" ");
            assert!(said.contains("from rank 0 to rank 1 with tag 5 is not known"), "{report}");
            assert!(report.contains("No conclusion can be drawn from this run"), "{report}");
        });
    }
}
