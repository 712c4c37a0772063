//! Launches that go wrong.

use crate::COORDINATE;
use crate::stage::*;
use fabric::TransportSpec;
use fourstamp_launch::*;
use std::process::Command;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn a_killed_node_is_named_with_its_signal_and_the_others_finish() {
    let mut stage = Stage::new(3);
    let begun = Instant::now();
    let result = stage.play(&["until-stop", "die", "until-stop"]);
    assert!(begun.elapsed() < Duration::from_secs(30));
    let failure = first_failure(result);
    assert_eq!(failure.node, 1);
    assert!(
        matches!(&failure.cause, Cause::Died { how } if how.contains("signal 9 (SIGKILL")),
        "{failure}"
    );
    assert!(stage.run.info().failures[0].contains("node 1"));
}

#[test]
fn what_a_killed_node_and_the_others_had_recorded_is_kept() {
    let mut stage = Stage::new(2);
    let failure = first_failure(stage.play(&["record", "record-and-die"]));
    assert_eq!(failure.node, 1);
    let info = stage.run.close().unwrap();
    assert_eq!(info.rows(), 2000);
    assert!(
        info.failures.iter().any(|failure| failure.contains("signal 9")),
        "{:?}",
        info.failures
    );
}

#[test]
fn a_frozen_node_is_named_and_killed() {
    let mut stage = Stage::new(2);
    stage.options.deadlines.answer = Duration::from_secs(3);
    let failure = first_failure(stage.play(&["until-stop", "freeze"]));
    assert_eq!(failure.node, 1);
    assert!(matches!(failure.cause, Cause::Stopped { waited_ms: 3000.. }), "{failure}");
}

/// The one that waits for a stopped node often gives up first, and says that it does: it is not to
/// blame.
#[test]
fn a_stopped_node_is_blamed_and_not_the_one_that_waits_for_it() {
    let mut stage = Stage::new(2);
    stage.options.deadlines.answer = Duration::from_secs(3);
    let failure = first_failure(stage.play(&["fail", "freeze"]));
    assert_eq!(failure.node, 1);
    assert!(matches!(failure.cause, Cause::Stopped { .. }), "{failure}");
}

#[test]
fn a_node_that_is_told_to_leave_ends_and_says_why() {
    let failure = first_failure(Stage::new(2).play(&["until-stop", "told-to-leave"]));
    assert_eq!(failure.node, 1);
    assert!(failure.to_string().contains("it was told to end by SIGTERM"), "{failure}");
}

/// It has its assignment, but has not begun to record.
#[test]
fn a_node_that_dies_before_it_records_is_named_among_what_is_lost() {
    let mut stage = Stage::new(2);
    first_failure(stage.play(&["record", "die"]));
    let info = stage.run.close().unwrap();
    assert!(info.lost.cut && info.state == record::State::Cut, "{:?}", info.state);
    let lost =
        info.failures.iter().find(|failure| failure.contains("before it had begun to record"));
    assert!(lost.is_some_and(|lost| lost.contains("node 1")), "{:?}", info.failures);
}

#[test]
fn a_node_that_makes_no_progress_is_named() {
    let mut stage = Stage::new(2);
    stage.options.deadlines.progress = Some(Duration::from_secs(2));
    let failure = first_failure(stage.play(&["until-stop", "stuck"]));
    assert_eq!(failure.node, 1);
    assert!(matches!(failure.cause, Cause::Stuck { doing: "working", .. }), "{failure}");
}

#[test]
fn a_node_that_is_never_ready_is_named() {
    let mut stage = Stage::new(2);
    stage.options.deadlines.ready = Duration::from_secs(4);
    stage.options.deadlines.stop = Duration::from_secs(2);
    let failure = first_failure(stage.play(&["count", "deaf-before"]));
    assert_eq!(failure.node, 1);
    assert!(matches!(failure.cause, Cause::Stuck { doing: "setting up", .. }), "{failure}");
}

#[test]
fn a_node_that_does_not_stop_is_named_and_killed() {
    let mut stage = Stage::new(2);
    stage.options.deadlines.stop = Duration::from_secs(2);
    let result = stage.play_observed(&["until-stop", "deaf"], |note, stop| {
        if *note == Note::Begun {
            stop.store(true, Ordering::Relaxed);
        }
    });
    let failure = first_failure(result);
    assert_eq!(failure.node, 1);
    assert!(matches!(failure.cause, Cause::Stuck { doing: "stopping", .. }), "{failure}");
}

#[test]
fn work_that_fails_panics_or_says_too_much_is_repeated_in_words() {
    for (what, words) in
        [("fail", "it has a broken leg"), ("panic", "it lost its head"), ("large", "outcome has")]
    {
        let failure = first_failure(Stage::new(2).play(&["until-stop", what]));
        assert_eq!(failure.node, 1);
        assert!(failure.to_string().contains(words), "{failure}");
    }
}

#[test]
fn a_process_that_exits_is_named_with_its_code_and_last_line() {
    let failure = first_failure(Stage::new(2).play(&["until-stop", "exit"]));
    assert!(
        failure.to_string().contains("exited with code 7; its last line: the dog ate my homework"),
        "{failure}"
    );
}

#[test]
fn a_program_that_does_not_join_is_named_at_once() {
    let script = |text: &str| NodeCommand {
        program: "sh".into(),
        arguments: vec!["-c".into(), text.into()],
        environment: Vec::new(),
    };
    let missing = NodeCommand {
        program: "/no/such/program".into(),
        arguments: Vec::new(),
        environment: Vec::new(),
    };
    for (command, words) in [
        (script("echo cannot find libfoo >&2; exit 3"), "exited with code 3 before it joined"),
        (script("echo cannot find libfoo >&2; exit 3"), "cannot find libfoo"),
        (missing, "/no/such/program"),
    ] {
        let starter = Starter::Local(command);
        let mut stage =
            Stage::with(LaunchOptions::new(0, spec(2, tcp()), Hosting::ProcessEach, starter));
        let begun = Instant::now();
        let error = stage.play(&[]).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn what_cannot_work_is_refused_before_anything_starts() {
    let options = LaunchOptions::new(
        0,
        spec(2, TransportSpec::of(&fabric::THREAD)),
        Hosting::ProcessEach,
        Starter::Local(myself()),
    );
    let error = Stage::with(options).play(&[]).unwrap_err().to_string();
    assert!(error.contains("choose shm or tcp"), "{error}");
    let ssh = Starter::Ssh {
        program: "ssh".into(),
        hosts: vec!["far.example".into()],
        command: myself(),
    };
    let error = Stage::with(LaunchOptions::new(0, spec(1, tcp()), Hosting::ProcessEach, ssh))
        .play(&[])
        .unwrap_err();
    assert!(error.to_string().contains("cannot join at 127.0.0.1"), "{error}");
}

#[test]
fn nodes_do_not_outlive_a_killed_coordinator() {
    let pids = tempfile::tempdir().unwrap();
    let mut coordinator = Command::new(std::env::current_exe().unwrap())
        .args(["coordinator_process", "--exact", "--nocapture"])
        .env(COORDINATE, pids.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    wait_for("both nodes to work", || pids_in(pids.path()).len() == 2);
    thread::sleep(Duration::from_millis(300));
    coordinator.kill().unwrap();
    coordinator.wait().unwrap();
    wait_for("the nodes to be gone", || pids_in(pids.path()).into_iter().all(is_gone));
}

fn wait_for(what: &str, done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < Duration::from_secs(60), "waited in vain for {what}");
        thread::sleep(Duration::from_millis(20));
    }
}
