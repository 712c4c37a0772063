//! A coordinator with a run folder, and launches on it.

use fabric::{RunKey, Spec, Topology, TransportSpec, Waiting};
use fourstamp_launch::*;
use record::{RunFolder, RunInfo};
use rustix::process::{Pid, test_kill_process};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub fn myself() -> NodeCommand {
    NodeCommand {
        program: std::env::current_exe().unwrap(),
        arguments: ["node_process", "--exact", "--nocapture"].map(String::from).into(),
        environment: Vec::new(),
    }
}

pub fn spec(nodes: u16, transport: TransportSpec) -> Spec {
    let (topology, wait) = (Topology::Mesh, Waiting::Blocking);
    Spec { nodes, transport, topology, wait, peer_timeout_ms: 5000, path_room: None, plant: None }
}

pub fn tcp() -> TransportSpec {
    TransportSpec::of(&fabric::TCP)
}

/// Everything that a test needs, with deadlines that a test can wait for.
pub struct Stage {
    pub folder: tempfile::TempDir,
    pub run: RunFolder,
    pub key: RunKey,
    pub coordinator: Coordinator,
    pub options: LaunchOptions,
    pub stop: AtomicBool,
    pub notes: Vec<Note>,
}

impl Stage {
    pub fn new(nodes: u16) -> Stage {
        Stage::with(LaunchOptions::new(
            0,
            spec(nodes, tcp()),
            Hosting::ProcessEach,
            Starter::Local(myself()),
        ))
    }

    pub fn with(mut options: LaunchOptions) -> Stage {
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
        Stage {
            folder,
            run,
            key,
            coordinator,
            options,
            stop: AtomicBool::new(false),
            notes: Vec::new(),
        }
    }

    pub fn pids(&self) -> PathBuf {
        let path = self.folder.path().join("pids");
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    pub fn play(&mut self, nodes: &[&str]) -> Result<LaunchOutcome, LaunchError> {
        self.play_observed(nodes, |_, _| {})
    }

    pub fn play_observed(
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
        let result =
            self.coordinator.run_launch(&mut self.run, &self.options, &plan, stop, &mut observe);
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

pub fn pids_in(folder: &Path) -> Vec<Pid> {
    let read = |entry: std::fs::DirEntry| std::fs::read_to_string(entry.path()).ok()?.parse().ok();
    std::fs::read_dir(folder)
        .unwrap()
        .flatten()
        .filter_map(read)
        .filter_map(Pid::from_raw)
        .collect()
}

pub fn is_gone(pid: Pid) -> bool {
    // A zombie is gone, too: nobody of us has to wait for it.
    let stat =
        std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    test_kill_process(pid).is_err() || matches!(state, Some('Z' | 'X'))
}

pub fn first_failure(result: Result<LaunchOutcome, LaunchError>) -> Failure {
    match result {
        Err(LaunchError::Nodes { first, .. }) => first,
        other => panic!("a node should have failed: {other:?}"),
    }
}
