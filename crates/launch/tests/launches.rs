//! Launches of real processes: this test program starts itself as the nodes, and once as a coordinator.

#![allow(clippy::unwrap_used)] // everything here is a test, also what is not marked as one

use clock::{Clock, Plant};
use fabric::{RunKey, Spec, Topology, TransportSpec, Waiting};
use fourstamp_launch::*;
use record::{Kind, Row, RunFolder, RunInfo, Schema};
use rustix::process::{Pid, Signal, getpid, kill_process, test_kill_process};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const PLANT: &str = "FOURSTAMP_TEST_PLANT";
const COORDINATE: &str = "FOURSTAMP_TEST_COORDINATE";
const PLANTED_TICKS: u64 = 123_456_789_000;

// --- The nodes ------------------------------------------------------------------------------------------------------

/// Not a test: what a node process runs. Without a place to join it does nothing.
#[test]
fn node_process() {
    let Ok(mut options) = NodeOptions::from_env() else { return };
    options.grace = Some(Duration::from_millis(500));
    if std::env::var_os(PLANT).is_some() {
        let plant = Plant { offset_ticks: PLANTED_TICKS, ..Plant::default() };
        options.clock = Clock::best().planted(plant);
    }
    let result = node_key(None)
        .map_err(|error| error.to_string())
        .and_then(|key| serve(&options, &key, behave).map_err(|error| error.to_string()));
    if let Err(error) = &result {
        eprintln!("node ended: {error}");
    }
    std::process::exit(i32::from(result.is_err()));
}

/// The plan says what each node is to do: `{"nodes": ["count", "die"]}`.
fn behave(assignment: &Assignment, control: &Control) -> Result<Value, String> {
    let me = assignment.hosted[0];
    if let Some(folder) = assignment.plan["pids"].as_str() {
        std::fs::write(Path::new(folder).join(format!("node-{me}")), std::process::id().to_string()).unwrap();
    }
    let what = assignment.plan["nodes"][usize::from(me)].as_str().unwrap_or("count");
    match what {
        "never-ready" => return until_stop(control).map(|()| json!({})),
        "deaf-before" => loop {
            thread::sleep(Duration::from_secs(1));
        },
        "exit" => {
            eprintln!("the dog ate my homework");
            std::process::exit(7);
        }
        _ => control.ready_and_wait_go()?,
    }
    match what {
        "count" => count(assignment, control),
        "record" => record(assignment, control),
        "until-stop" => until_stop(control).map(|()| json!({ "node": me })),
        "die" => {
            thread::sleep(Duration::from_millis(100));
            kill_process(getpid(), Signal::KILL).unwrap();
            unreachable!("killed")
        }
        "record-and-die" => {
            record(assignment, control)?;
            kill_process(getpid(), Signal::KILL).unwrap();
            unreachable!("killed")
        }
        "freeze" => {
            kill_process(getpid(), Signal::STOP).unwrap();
            until_stop(control).map(|()| json!({}))
        }
        "stuck" => {
            control.goal.store(10, Ordering::Relaxed);
            control.done.store(1, Ordering::Relaxed);
            until_stop(control).map(|()| json!({}))
        }
        "deaf" => loop {
            thread::sleep(Duration::from_secs(1));
        },
        "fail" => Err("it has a broken leg".into()),
        "panic" => panic!("it lost its head"),
        "large" => Ok(json!("x".repeat(2 << 20))),
        other => Err(format!("unknown behaviour {other}")),
    }
}

fn count(assignment: &Assignment, control: &Control) -> Result<Value, String> {
    const GOAL: u64 = 12;
    control.goal.store(GOAL, Ordering::Relaxed);
    while control.done.load(Ordering::Relaxed) < GOAL && !control.is_stopped() {
        thread::sleep(Duration::from_millis(100));
        control.done.fetch_add(1, Ordering::Relaxed);
    }
    Ok(json!({ "hosted": assignment.hosted, "peers": assignment.fabric.transport }))
}

/// Record 1000 rows into the run folder.
fn record(assignment: &Assignment, control: &Control) -> Result<Value, String> {
    let me = assignment.hosted[0];
    let folder = RunFolder::join(&assignment.run_folder).map_err(|error| error.to_string())?;
    let clock = control.clock();
    let sheet = record::NodeSheet::with_quality(assignment.launch, u32::from(me), &clock, control.quality());
    let recorder = folder.recorder(sheet, &Schema::new(&[]), assignment.recorder);
    let mut recorder = recorder.map_err(|error| error.to_string())?;
    for seq in 0..1000 {
        recorder.push(&row(me, seq, &clock));
    }
    if assignment.plan["nodes"][usize::from(me)] == "record" {
        recorder.finish(clock.anchor()).map_err(|error| error.to_string())?;
    } else {
        std::mem::forget(recorder);
    }
    Ok(json!({ "folder": assignment.run_folder }))
}

fn row(src: u16, seq: u64, clock: &Clock) -> Row {
    let now = clock.now().0;
    Row {
        ready: now,
        sent: now + 1,
        arrived: now + 2,
        taken: now + 3,
        seq,
        src,
        dst: src,
        kind: Kind::Data,
        hops: 1,
        arrived_clock: record::ArrivedClock::Receiver,
        arrived_how: record::How::Observed,
        bytes: 8,
        packets: 1,
        in_flight: 0,
        queue_len: 0,
        batch: 1,
    }
}

fn until_stop(control: &Control) -> Result<(), String> {
    while !control.is_stopped() {
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

// --- The coordinator ------------------------------------------------------------------------------------------------

fn myself() -> NodeCommand {
    NodeCommand {
        program: std::env::current_exe().unwrap(),
        arguments: ["node_process", "--exact", "--nocapture"].map(String::from).into(),
        environment: Vec::new(),
    }
}

fn spec(nodes: u16, transport: TransportSpec) -> Spec {
    let (topology, wait) = (Topology::Mesh, Waiting::Blocking);
    Spec { nodes, transport, topology, wait, bare_bytes: None, peer_timeout_ms: 5000 }
}

fn tcp() -> TransportSpec {
    TransportSpec::Tcp { peers: Vec::new() }
}

/// Everything that a test needs, with deadlines that a test can wait for.
struct Stage {
    folder: tempfile::TempDir,
    run: RunFolder,
    key: RunKey,
    coordinator: Coordinator,
    options: LaunchOptions,
    stop: AtomicBool,
    notes: Vec<Note>,
}

impl Stage {
    fn new(nodes: u16) -> Stage {
        Stage::with(LaunchOptions::new(0, spec(nodes, tcp()), Hosting::ProcessEach, Starter::Local(myself())))
    }

    fn with(mut options: LaunchOptions) -> Stage {
        options.deadlines = Deadlines {
            join: Duration::from_secs(60),
            ready: Duration::from_secs(60),
            answer: Duration::from_secs(20),
            progress: Some(Duration::from_secs(20)),
            stop: Duration::from_secs(20),
        };
        let folder = tempfile::tempdir().unwrap();
        let run = RunFolder::create(folder.path().join("run"), RunInfo::new("test")).unwrap();
        let key = RunKey::generate().unwrap();
        let coordinator = Coordinator::bind(Coordinator::LOOPBACK, key.clone()).unwrap();
        Stage { folder, run, key, coordinator, options, stop: AtomicBool::new(false), notes: Vec::new() }
    }

    fn pids(&self) -> PathBuf {
        let path = self.folder.path().join("pids");
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    fn play(&mut self, nodes: &[&str]) -> Result<LaunchOutcome, LaunchError> {
        self.play_observed(nodes, |_, _| {})
    }

    fn play_observed(
        &mut self,
        nodes: &[&str],
        mut see: impl FnMut(&Note, &AtomicBool),
    ) -> Result<LaunchOutcome, LaunchError> {
        let plan = json!({ "nodes": nodes, "pids": self.pids() });
        let (notes, stop) = (&mut self.notes, &self.stop);
        let mut observe = |note: Note| {
            see(&note, stop);
            notes.push(note);
        };
        let result = self.coordinator.run_launch(&mut self.run, &self.options, &plan, stop, &mut observe);
        self.nobody_is_left();
        result
    }

    /// All node processes that ever began are gone.
    fn nobody_is_left(&self) {
        for pid in pids_in(&self.pids()) {
            assert!(is_gone(pid), "process {pid} was left behind");
        }
    }
}

fn pids_in(folder: &Path) -> Vec<Pid> {
    let read = |entry: std::fs::DirEntry| std::fs::read_to_string(entry.path()).ok()?.parse().ok();
    std::fs::read_dir(folder).unwrap().flatten().filter_map(read).filter_map(Pid::from_raw).collect()
}

fn is_gone(pid: Pid) -> bool {
    // A zombie is gone, too: nobody of us has to wait for it.
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    test_kill_process(pid).is_err() || matches!(state, Some('Z' | 'X'))
}

fn first_failure(result: Result<LaunchOutcome, LaunchError>) -> Failure {
    match result {
        Err(LaunchError::Nodes { first, .. }) => first,
        other => panic!("a node should have failed: {other:?}"),
    }
}

// --- Launches that go well ------------------------------------------------------------------------------------------

#[test]
fn two_processes_work_together_and_leave() {
    let mut stage = Stage::new(2);
    let outcome = stage.play(&["count", "count"]).unwrap();
    assert!(!outcome.stopped);
    let hosted: Vec<_> = outcome.nodes.iter().map(|node| node.hosted.clone()).collect();
    assert_eq!(hosted, [vec![0], vec![1]]);
    let peers = outcome.nodes[0].outcome["peers"]["peers"].as_array().unwrap();
    assert_eq!(peers.len(), 2, "each process listens, and all know where");
    assert!(stage.notes.iter().any(|note| matches!(note, Note::Progress(p) if p.goal == 24 && p.done > 0)));
    let domains = &stage.run.info().domains;
    assert!(domains.len() == 1 && domains[0].reference && domains[0].anchors.len() >= 3, "{domains:?}");
    assert!(stage.run.info().failures.is_empty());
}

#[test]
fn one_process_holds_all_nodes_of_transport_thread() {
    let spec = spec(4, TransportSpec::Thread);
    let mut stage = Stage::with(LaunchOptions::new(0, spec, Hosting::OneProcess, Starter::Local(myself())));
    let outcome = stage.play(&["count"]).unwrap();
    assert_eq!(outcome.nodes.len(), 1);
    assert_eq!(outcome.nodes[0].outcome["hosted"], json!([0, 1, 2, 3]));
}

#[test]
fn a_segment_is_there_while_nodes_set_up_and_gone_afterwards() {
    let spec = spec(2, TransportSpec::Shm { path: PathBuf::new() });
    let mut stage = Stage::with(LaunchOptions::new(0, spec, Hosting::ProcessEach, Starter::Local(myself())));
    let outcome = stage.play(&["count", "count"]).unwrap();
    let path = outcome.nodes[0].outcome["peers"]["path"].as_str().unwrap().to_owned();
    assert!(path.contains("fourstamp-") && !Path::new(&path).exists(), "{path}");
}

#[test]
fn stop_ends_the_work_with_what_there_is() {
    let mut stage = Stage::new(2);
    let outcome = stage
        .play_observed(&["until-stop", "until-stop"], |note, stop| {
            if *note == Note::Begun {
                stop.store(true, Ordering::Relaxed);
            }
        })
        .unwrap();
    assert!(outcome.stopped && outcome.nodes.len() == 2);
}

#[test]
fn stop_before_the_beginning_is_said_so() {
    let mut stage = Stage::new(2);
    let result =
        stage.play_observed(&["count", "never-ready"], |_, stop| stop.store(true, Ordering::Relaxed));
    assert!(matches!(result, Err(LaunchError::Stopped)), "{result:?}");
}

#[test]
fn launches_follow_each_other_and_a_node_started_by_hand_joins_again() {
    let mut options = LaunchOptions::new(0, spec(1, tcp()), Hosting::ProcessEach, Starter::External);
    options.more = true;
    let mut stage = Stage::with(options);
    let (node_options, key) = (NodeOptions::new(stage.coordinator.join_address()), stage.key.clone());
    let by_hand = thread::spawn(move || {
        let mut launches = 0;
        loop {
            launches += 1;
            match serve(&node_options, &key, |_, control| Ok(json!(control.ready_and_wait_go().is_ok())))
                .unwrap()
            {
                Served::MoreFollow => continue,
                Served::Last => return launches,
            }
        }
    });
    stage.play(&["count"]).unwrap();
    (stage.options.launch, stage.options.more) = (1, false);
    stage.play(&["count"]).unwrap();
    assert_eq!(by_hand.join().unwrap(), 2);
}

// --- Those who do not belong -----------------------------------------------------------------------------------------

#[test]
fn strangers_are_refused_and_noted_and_disturb_nobody() {
    let mut stage = Stage::new(2);
    let address = stage.coordinator.address();
    let mut http = TcpStream::connect(address).unwrap();
    http.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let _silent = TcpStream::connect(address).unwrap();
    let wrong = thread::spawn(move || {
        let key = RunKey::generate().unwrap();
        serve(&NodeOptions::new(address.to_string()), &key, |_, _| Ok(json!(1)))
    });
    let error = wrong.join().unwrap().unwrap_err();
    assert!(error.to_string().contains("does not hold the same run key"), "{error}");
    assert!(stage.play(&["count", "count"]).is_ok());
    let mut answer = Vec::new();
    http.read_to_end(&mut answer).unwrap_or_default();
    assert!(answer.is_empty(), "a stranger is told nothing");
    let refused: Vec<_> = stage.notes.iter().filter(|note| matches!(note, Note::Refused(_))).collect();
    let text = format!("{refused:?}");
    assert!(text.contains("GET / HTTP/1.1") && text.contains("does not hold the same run key"), "{text}");
    assert!(stage.run.info().notes.iter().any(|note| note.contains("run key")));
}

#[test]
fn one_process_too_many_is_refused_and_told_why() {
    let mut stage =
        Stage::with(LaunchOptions::new(0, spec(1, tcp()), Hosting::ProcessEach, Starter::External));
    let key = stage.key.clone();
    let options = NodeOptions::new(stage.coordinator.join_address());
    let joining: Vec<_> = (0..2)
        .map(|_| {
            let (options, key) = (options.clone(), key.clone());
            thread::spawn(move || {
                serve(&options, &key, |assignment, control| {
                    control.ready_and_wait_go()?;
                    count(assignment, control)
                })
            })
        })
        .collect();
    stage.play(&["count"]).unwrap();
    let results: Vec<_> = joining.into_iter().map(|node| node.join().unwrap()).collect();
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
    let refused = results.into_iter().find_map(Result::err).unwrap().to_string();
    assert!(refused.contains("all 1 nodes are there already"), "{refused}");
}

#[test]
fn an_oversized_message_and_foreign_words_after_the_handshake_are_refused() {
    use fabric::{Introduction, Purpose, Role, authenticate};
    let mut stage =
        Stage::with(LaunchOptions::new(0, spec(1, tcp()), Hosting::ProcessEach, Starter::External));
    let key = stage.key.clone();
    stage.options.deadlines.join = Duration::from_secs(2);
    let address = stage.coordinator.address();
    for bytes in [[&u32::MAX.to_le_bytes()[..], &[1]].concat(), b"\x02\0\0\0\x01{}".to_vec()] {
        let mut stream = TcpStream::connect(address).unwrap();
        let node = Introduction::NO_NODE;
        let who = Introduction { role: Role::Client, purpose: Purpose::Control, node, session: 0 };
        authenticate(&mut stream, address, &key, who, Duration::from_secs(20)).unwrap();
        stream.write_all(&bytes).unwrap();
        assert!(matches!(stream.read(&mut [0]), Ok(0) | Err(_)), "it must hang up");
    }
    let error = stage.play(&[]).unwrap_err().to_string();
    assert!(error.contains("0 of 1") && error.contains("fourstamp node --join"), "{error}");
    let text = format!("{:?}", stage.notes);
    assert!(text.contains("4294967295 bytes") && text.contains("malformed"), "{text}");
}

// --- Launches that go wrong -----------------------------------------------------------------------------------------

#[test]
fn a_killed_node_is_named_with_its_signal_and_the_others_finish() {
    let mut stage = Stage::new(3);
    let begun = Instant::now();
    let result = stage.play(&["until-stop", "die", "until-stop"]);
    assert!(begun.elapsed() < Duration::from_secs(30));
    let failure = first_failure(result);
    assert_eq!(failure.node, 1);
    assert!(matches!(&failure.cause, Cause::Died { how } if how.contains("signal 9 (SIGKILL")), "{failure}");
    assert!(stage.run.info().failures[0].contains("node 1"));
}

#[test]
fn what_a_killed_node_and_the_others_had_recorded_is_kept() {
    let mut stage = Stage::new(2);
    let failure = first_failure(stage.play(&["record", "record-and-die"]));
    assert_eq!(failure.node, 1);
    let info = stage.run.close().unwrap();
    assert_eq!(info.rows(), 2000);
    assert!(info.failures.iter().any(|failure| failure.contains("signal 9")), "{:?}", info.failures);
}

#[test]
fn a_frozen_node_is_named_and_killed() {
    let mut stage = Stage::new(2);
    stage.options.deadlines.answer = Duration::from_secs(3);
    let failure = first_failure(stage.play(&["until-stop", "freeze"]));
    assert_eq!(failure.node, 1);
    assert!(matches!(failure.cause, Cause::Silent { waited_ms: 3000.. }), "{failure}");
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
    let missing =
        NodeCommand { program: "/no/such/program".into(), arguments: Vec::new(), environment: Vec::new() };
    for (command, words) in [
        (script("echo cannot find libfoo >&2; exit 3"), "exited with code 3 before it had joined"),
        (script("echo cannot find libfoo >&2; exit 3"), "cannot find libfoo"),
        (missing, "/no/such/program"),
    ] {
        let starter = Starter::Local(command);
        let mut stage = Stage::with(LaunchOptions::new(0, spec(2, tcp()), Hosting::ProcessEach, starter));
        let begun = Instant::now();
        let error = stage.play(&[]).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn what_cannot_work_is_refused_before_anything_starts() {
    let options =
        LaunchOptions::new(0, spec(2, TransportSpec::Thread), Hosting::ProcessEach, Starter::Local(myself()));
    let error = Stage::with(options).play(&[]).unwrap_err().to_string();
    assert!(error.contains("choose shm or tcp"), "{error}");
    let ssh = Starter::Ssh { program: "ssh".into(), hosts: vec!["far.example".into()], command: myself() };
    let error =
        Stage::with(LaunchOptions::new(0, spec(1, tcp()), Hosting::ProcessEach, ssh)).play(&[]).unwrap_err();
    assert!(error.to_string().contains("cannot join at 127.0.0.1"), "{error}");
}

/// Not a test: a coordinator that will be killed.
#[test]
fn coordinator_process() {
    let Some(pids) = std::env::var_os(COORDINATE) else { return };
    let mut stage = Stage::new(2);
    let plan = json!({ "nodes": ["deaf", "until-stop"], "pids": PathBuf::from(pids) });
    let _ = stage.coordinator.run_launch(&mut stage.run, &stage.options, &plan, &stage.stop, &mut |_| {});
    std::process::exit(1);
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

// --- Clocks, and nodes elsewhere ------------------------------------------------------------------------------------

#[test]
fn a_planted_clock_offset_is_found_within_its_bound() {
    let mut command = myself();
    command.environment.push((PLANT.into(), "1".into()));
    let mut options = LaunchOptions::new(0, spec(2, tcp()), Hosting::ProcessEach, Starter::Local(command));
    options.synchronising.every = Duration::from_millis(300);
    let mut stage = Stage::with(options);
    stage.play(&["count", "count"]).unwrap();
    let info = stage.run.info();
    for node in 0..2 {
        let planted =
            info.domains.iter().find(|domain| domain.id.ends_with(&format!("/planted-{node}"))).unwrap();
        assert!(planted.offsets.len() >= 3, "at the start, in between, and at the end");
        for offset in &planted.offsets {
            let difference = offset.local.0.wrapping_sub(offset.remote.0) as i64 - PLANTED_TICKS as i64;
            let ns_per_tick = ns_per_tick(&info.domains[0].anchors);
            assert!(
                (difference as f64 * ns_per_tick).abs() <= offset.error_ns,
                "{difference} ticks, {offset:?}"
            );
        }
    }
}

fn ns_per_tick(anchors: &[clock::Anchor]) -> f64 {
    let (first, last) = (anchors.first().unwrap(), anchors.last().unwrap());
    (last.monotonic_raw_ns - first.monotonic_raw_ns) as f64 / (last.ticks.0 - first.ticks.0) as f64
}

#[test]
fn a_node_that_does_not_see_the_run_folder_sends_its_log() {
    let probe = Command::new("unshare").args(["-m", "true"]).output();
    if !probe.is_ok_and(|output| output.status.success()) {
        println!("skipped: hiding a folder from a process needs unshare(1) and privilege");
        return;
    }
    let mut stage = Stage::new(2);
    let hide = format!("mount -t tmpfs none '{}' && exec \"$@\"", stage.run.path().display());
    let inner = myself();
    let mut arguments: Vec<String> = ["-m", "sh", "-c", &hide, "sh"].map(String::from).into();
    arguments.push(inner.program.display().to_string());
    arguments.extend(inner.arguments);
    stage.options.starter =
        Starter::Local(NodeCommand { program: "unshare".into(), arguments, environment: Vec::new() });
    let outcome = stage.play(&["record", "record"]).unwrap();
    for node in &outcome.nodes {
        let folder = node.outcome["folder"].as_str().unwrap();
        assert!(folder.contains("fourstamp-away-"), "{folder}");
        assert!(!Path::new(folder).exists(), "the node's own folder is removed");
    }
    let info = stage.run.close().unwrap();
    assert_eq!(info.rows(), 2000);
    assert!(info.lost.is_nothing(), "{:?}", info.lost);
}

#[test]
fn over_ssh_the_key_is_on_no_command_line() {
    let tools = tempfile::tempdir().unwrap();
    let (ssh, seen) = (tools.path().join("ssh"), tools.path().join("seen"));
    // Stands in for ssh: notes its arguments, then does what a remote shell would.
    let script = format!(
        "#!/bin/sh\necho \"$@\" >> '{}'\neval \"last=\\${{$#}}\"\nexec sh -c \"$last\"\n",
        seen.display()
    );
    std::fs::write(&ssh, script).unwrap();
    Command::new("chmod").arg("755").arg(&ssh).status().unwrap();
    let hosts = vec!["localhost".to_string(), "me@localhost".to_string()];
    let starter = Starter::Ssh { program: ssh, hosts, command: myself() };
    let mut stage = Stage::with(LaunchOptions::new(0, spec(3, tcp()), Hosting::ProcessEach, starter));
    let outcome = stage.play(&["count", "count", "count"]).unwrap();
    assert_eq!(outcome.nodes.len(), 3);
    let seen = std::fs::read_to_string(&seen).unwrap();
    assert_eq!(seen.matches("-- localhost ").count(), 2);
    assert_eq!(seen.matches("-- me@localhost ").count(), 1);
    assert!(!seen.contains(&stage.key.to_hex()));
}

#[test]
fn tmux_shows_each_node_in_a_pane_and_is_cleaned_up() {
    if !Command::new("tmux").arg("-V").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: tmux is not installed");
        return;
    }
    let server = format!("fourstamp-test-{}", std::process::id());
    let tmux =
        |arguments: &[&str]| Command::new("tmux").args(["-L", &server]).args(arguments).output().unwrap();
    let starter = Starter::Tmux { session: "nodes".into(), server: Some(server.clone()), command: myself() };
    let mut stage = Stage::with(LaunchOptions::new(0, spec(3, tcp()), Hosting::ProcessEach, starter));
    let mut panes = 0;
    let outcome = stage.play_observed(&["count", "count", "count"], |note, _| {
        if *note == Note::Begun {
            let listed = tmux(&["list-panes", "-s", "-t", "=nodes:"]);
            panes = String::from_utf8_lossy(&listed.stdout).lines().count();
        }
    });
    assert_eq!(outcome.unwrap().nodes.len(), 3);
    assert_eq!(panes, 3);
    assert!(!tmux(&["has-session", "-t", "=nodes"]).status.success(), "the session is closed");

    let failure = first_failure(stage.play(&["until-stop", "until-stop", "exit"]));
    assert!(
        failure.to_string().contains("exited with code 7; its last line: the dog ate my homework"),
        "{failure}"
    );
    let _ = tmux(&["kill-server"]);
}
