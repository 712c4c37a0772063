//! Peers that die, stop or leave: each is a process of its own, started from this very test
//! program.
//!
//! The test is node 0. A child finds what it needs in a folder, and both tell each other by files
//! in it how far they are.

use crate::table::{
    Carrier, Fabric, PATIENCE, open_one, options, payload, take_in_time, udp_adaptive,
};
use clock::Clock;
use fabric::{FabricError, Node, NodeId, Recording, RunKey, Spec, Wait, Waiting, columns};
use record::{Kind, NodeSheet, RecorderOptions, Run, RunFolder, RunInfo, Schema};
use rustix::process::{Pid, Signal, kill_process};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Messages that a child sends before it dies, stops or leaves.
const SENT: u64 = 200;
/// How long a peer may be silent in these tests, and how long noticing that may take in all.
const PEER_TIMEOUT: Duration = Duration::from_millis(1500);
const NOTICED_WITHIN: Duration = Duration::from_secs(4);

/// What a child does once it is connected.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Send, say so, and wait for the end.
    SendAndWait,
    /// Send and close the node.
    SendAndLeave,
    /// Wait for the end.
    Wait,
}

impl Part {
    const ALL: [(&'static str, Part); 3] = [
        ("send-and-wait", Part::SendAndWait),
        ("send-and-leave", Part::SendAndLeave),
        ("wait", Part::Wait),
    ];
}

/// A fabric of processes, with the test as node 0.
struct Party {
    folder: tempfile::TempDir,
    spec: Spec,
    children: Vec<Child>,
    _segment: Option<fabric::Segment>,
}

impl Party {
    /// Start nodes 1, 2, ... with these parts, and connect.
    fn start(
        fabric: &Fabric,
        parts: &[&str],
        recording: impl FnOnce(&Spec) -> Recording,
    ) -> (Party, Node) {
        let folder = tempfile::tempdir().unwrap();
        let key = RunKey::generate().unwrap();
        key.write_file(&folder.path().join("key")).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let children =
            (1..).zip(parts).map(|(id, part)| start_child(folder.path(), id, part)).collect();
        let addresses = gather_addresses(folder.path(), &listener, parts.len());
        let (mut spec, segment) = fabric.prepared(addresses);
        spec.peer_timeout_ms = PATIENCE.as_millis() as u64;
        tell(folder.path(), "spec", &serde_json::to_string(&spec).unwrap());
        let end = open_one(&spec, &key, 0, Some(listener));
        spec.peer_timeout_ms = PEER_TIMEOUT.as_millis() as u64;
        let node = Node::new(end, options(&spec, 0, recording(&spec)));
        (Party { folder, spec, children, _segment: segment }, node)
    }

    fn signal(&self, node: NodeId, signal: Signal) {
        let pid = Pid::from_child(&self.children[usize::from(node) - 1]);
        kill_process(pid, signal).unwrap();
    }

    fn wait_for(&self, what: &str) {
        hear(self.folder.path(), what);
    }
}

impl Drop for Party {
    fn drop(&mut self) {
        for child in &mut self.children {
            // It may be gone already, which is what most of these tests are about.
            let _ = child.kill();
            let _ = child.wait();
        }
        // Killed nodes leave their rows in named memory: closing their runs removes it.
        for id in 1..=self.children.len() {
            let run = self.folder.path().join(format!("run-{id}"));
            if run.exists() {
                let closed = Run::open(&run);
                assert!(closed.is_ok() || std::thread::panicking(), "{:?}", closed.err());
            }
        }
    }
}

fn start_child(folder: &Path, id: NodeId, part: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "death::child", "--ignored", "--nocapture"])
        .env("FOURSTAMP_TEST_FOLDER", folder)
        .env("FOURSTAMP_TEST_NODE", id.to_string())
        .env("FOURSTAMP_TEST_PART", part)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The life of a child. It is a test only because that is how to get into this program.
#[test]
#[ignore = "started by the other tests, in a process of its own"]
fn child() {
    let Some(folder) = std::env::var_os("FOURSTAMP_TEST_FOLDER").map(PathBuf::from) else { return };
    let id: NodeId = std::env::var("FOURSTAMP_TEST_NODE").unwrap().parse().unwrap();
    let part = std::env::var("FOURSTAMP_TEST_PART").unwrap();
    let (_, part) = Part::ALL.into_iter().find(|(name, _)| *name == part).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    tell(&folder, &format!("address-{id}"), &listener.local_addr().unwrap().to_string());
    let spec: Spec = serde_json::from_str(&hear(&folder, "spec")).unwrap();
    let key = RunKey::from_file(&folder.join("key")).unwrap();
    // Messages carry stamps only if their sender records.
    let run =
        RunFolder::create(folder.join(format!("run-{id}")), RunInfo::new("conformance")).unwrap();
    let options = options(&spec, id, recording(&run, &spec, id));
    let mut node = Node::new(open_one(&spec, &key, id, Some(listener)), options);
    tell(&folder, &format!("connected-{id}"), "");
    if part != Part::Wait {
        for number in 0..SENT {
            node.send(0, Kind::Data, &payload(id, 0, number, 100)).unwrap();
        }
        tell(&folder, &format!("sent-{id}"), "");
    }
    if part == Part::SendAndLeave {
        return node.close().unwrap();
    }
    // Until it is killed, or another node is: then it gives up, as a program would.
    while node.receive(Wait::Forever).is_ok() {}
}

fn recording(run: &RunFolder, spec: &Spec, id: NodeId) -> Recording {
    let sheet = NodeSheet::new(0, u32::from(id), &Clock::best());
    let options = RecorderOptions { capacity_rows: 1024, ..RecorderOptions::default() };
    Recording::Full(run.recorder(sheet, &Schema::new(&columns(spec)), options).unwrap())
}

/// Leave word in the folder, all at once.
fn tell(folder: &Path, name: &str, text: &str) {
    let unfinished = folder.join(format!("{name}.unfinished"));
    std::fs::write(&unfinished, text).unwrap();
    std::fs::rename(unfinished, folder.join(name)).unwrap();
}

/// Wait for word.
fn hear(folder: &Path, name: &str) -> String {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match std::fs::read_to_string(folder.join(name)) {
            Ok(text) => return text,
            Err(_) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
            Err(error) => panic!("waiting for {name}: {error}"),
        }
    }
}

fn gather_addresses(folder: &Path, own: &TcpListener, others: usize) -> Vec<SocketAddr> {
    let theirs = (1..=others).map(|id| hear(folder, &format!("address-{id}")).parse().unwrap());
    std::iter::once(own.local_addr().unwrap()).chain(theirs).collect()
}

/// Take messages until there is an error; how many came.
fn take_until_error(node: &mut Node, from: NodeId) -> (u64, FabricError) {
    let (mut got, deadline) = (0, node.after(PATIENCE));
    loop {
        assert!(node.clock().now() < deadline, "{got} messages have come, and no error");
        match node.receive(Wait::Until(deadline)) {
            Ok(Some(message)) => {
                assert_eq!(message.from, from);
                assert!(message.payload() == payload(from, 0, got, 100));
                got += 1;
            }
            Ok(None) => {}
            Err(error) => return (got, error),
        }
    }
}

fn pairs() -> Vec<Fabric> {
    let carriers = [Carrier::Shm, Carrier::Tcp, udp_adaptive()];
    let waits = [Waiting::Polling, Waiting::Blocking];
    carriers
        .into_iter()
        .flat_map(|carrier| waits.map(|wait| Fabric::mesh(carrier, 2, wait)))
        .collect()
}

/// What a killed peer had sent is received and kept, and the error names it, in time.
#[test]
fn a_killed_peer_is_named_and_what_it_had_sent_is_kept() {
    for fabric in pairs() {
        let folder = tempfile::tempdir().unwrap();
        let run =
            RunFolder::create(folder.path().join("run"), RunInfo::new("conformance")).unwrap();
        let clock = Clock::best();
        let (party, mut node) =
            Party::start(&fabric, &["send-and-wait"], |spec| recording(&run, spec, 0));
        party.wait_for("sent-1");
        party.signal(1, Signal::KILL);
        let begin = Instant::now();
        let (got, error) = take_until_error(&mut node, 1);
        assert!(matches!(error, FabricError::PeerLost { node: 1, .. }), "{fabric:?}: {error}");
        assert_eq!(got, SENT, "{fabric:?}");
        assert!(begin.elapsed() < NOTICED_WITHIN, "{fabric:?}: {:?}", begin.elapsed());
        // The node has lost a peer and keeps what it has written.
        let Recording::Full(recorder) = node.into_recording() else { panic!("it recorded") };
        assert_eq!(recorder.finish(clock.anchor()).unwrap().recorded, SENT);
        run.close().unwrap();
        drop(party);
    }
}

/// A peer killed while we send to it is named, not waited for.
#[test]
fn sending_to_a_killed_peer_fails_in_time() {
    for fabric in pairs() {
        let (party, mut node) = Party::start(&fabric, &["wait"], |_| Recording::Off);
        party.wait_for("connected-1");
        node.send(1, Kind::Data, &payload(0, 1, 0, 100)).unwrap();
        party.signal(1, Signal::KILL);
        let begin = Instant::now();
        let error = loop {
            if let Err(error) = node.send(1, Kind::Data, &[0; 1000]) {
                break error;
            }
        };
        let named = matches!(
            error,
            FabricError::PeerLost { node: 1, .. } | FabricError::Stalled { node: 1, .. }
        );
        assert!(named, "{fabric:?}: {error}");
        assert!(begin.elapsed() < NOTICED_WITHIN, "{fabric:?}: {:?}", begin.elapsed());
    }
}

/// A stopped peer takes nothing: the sender is told so, after the time that a peer may take.
#[test]
fn a_stopped_peer_stalls_its_sender_for_a_limited_time() {
    for fabric in pairs() {
        let (party, mut node) = Party::start(&fabric, &["wait"], |_| Recording::Off);
        party.wait_for("connected-1");
        party.signal(1, Signal::STOP);
        let mut last_sent = Instant::now();
        let error = loop {
            match node.send(1, Kind::Data, &[0; 1000]) {
                Ok(_) => last_sent = Instant::now(),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, FabricError::Stalled { node: 1, .. }), "{fabric:?}: {error}");
        let waited = last_sent.elapsed();
        // A node's time-outs are good to a per mille, as the rate of its clock is known while it
        // runs.
        let least = PEER_TIMEOUT * 99 / 100;
        assert!(waited >= least && waited < NOTICED_WITHIN, "{fabric:?}: {waited:?}");
        assert_eq!(u128::from(party.spec.peer_timeout_ms), PEER_TIMEOUT.as_millis());
    }
}

/// A peer that leaves in good order is no loss.
#[test]
fn a_peer_that_leaves_is_not_lost() {
    for fabric in pairs() {
        let (mut party, mut node) = Party::start(&fabric, &["send-and-leave"], |_| Recording::Off);
        let (got, error) = take_until_error(&mut node, 1);
        assert!(matches!(error, FabricError::Closed), "{fabric:?}: {error}");
        assert_eq!(got, SENT);
        node.close().unwrap();
        assert!(party.children[0].wait().unwrap().success());
    }
}

/// On a hypercube the error names the node that died, not the one in between that gave up because
/// of it.
#[test]
fn a_node_killed_beyond_a_forwarding_one_is_named() {
    for carrier in [Carrier::Shm, Carrier::Tcp, udp_adaptive()] {
        let fabric = Fabric::cube(carrier, 4, Waiting::Blocking);
        let (party, mut node) =
            Party::start(&fabric, &["wait", "wait", "send-and-wait"], |_| Recording::Off);
        party.wait_for("sent-3");
        // All of it has to be forwarded before the node dies.
        for number in 0..SENT {
            let message = take_in_time(&mut node);
            assert!(message.payload == payload(3, 0, number, 100));
        }
        party.signal(3, Signal::KILL);
        let begin = Instant::now();
        let (_, error) = take_until_error(&mut node, 3);
        assert!(matches!(error, FabricError::PeerLost { node: 3, .. }), "{fabric:?}: {error}");
        assert!(begin.elapsed() < NOTICED_WITHIN, "{fabric:?}: {:?}", begin.elapsed());
    }
}
